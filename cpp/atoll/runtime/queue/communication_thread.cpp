// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/start_thread.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/runtime/aggregation/packet_dispatcher.hpp>
#include <atoll/runtime/queue/communication_thread.hpp>
#include <mutex>

namespace atl {

void CommunicationThread::begin() {
  thread_ = start_thread("the communication thread", [this] { run(); });
}

void CommunicationThread::end() {
  if (!thread_.joinable()) return;
  stop_.store(true, std::memory_order_relaxed);
  fabric_.wake();
  thread_.join();
}

void CommunicationThread::run() {
  Team::name_this_thread(number_);
  Backoff backoff;
  Timer idle;
  while (!stop_.load(std::memory_order_relaxed)) {
    bool moved = false;
    if (pauses_.load(std::memory_order_acquire) == 0) {
      std::lock_guard hold(gate_);
      try {
        moved = dispatcher_.progress();
      } catch (...) {
        error_ = std::current_exception();
        failed_.store(true, std::memory_order_release);
        return;
      }
    }
    if (moved) {
      backoff.reset();
      idle.lap();
    } else if (!backoff.pause()) {
      fabric_.wait(Backoff::nap_s(idle.seconds()), dispatcher_.wanted());
    }
  }
}

void CommunicationThread::park(const Packet& packet) {
  std::lock_guard hold(parked_lock_);
  parked_.push_back(packet);
  parked_count_.store(static_cast<int>(parked_.size()), std::memory_order_release);
}

std::vector<Packet> CommunicationThread::take_parked() {
  if (failed_.load(std::memory_order_acquire)) std::rethrow_exception(error_);
  std::vector<Packet> packets;
  if (parked_count_.load(std::memory_order_acquire) == 0) return packets;
  std::lock_guard hold(parked_lock_);
  packets.swap(parked_);
  parked_count_.store(0, std::memory_order_relaxed);
  return packets;
}

CommunicationThread::Pause::Pause(CommunicationThread* thread) : thread_(thread) {
  if (!thread_) return;
  thread_->pauses_.fetch_add(1, std::memory_order_acq_rel);
  thread_->gate_.lock();
}

CommunicationThread::Pause::~Pause() {
  if (!thread_) return;
  thread_->gate_.unlock();
  thread_->pauses_.fetch_sub(1, std::memory_order_release);
}

}  // namespace atl
