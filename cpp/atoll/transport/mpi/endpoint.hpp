// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <atoll/base/timer.hpp>
#include <atoll/transport/mpi/session.hpp>
#include <atomic>
#include <mutex>
#include <thread>

/// One rank of an MPI job: what the layers of this plug-in share. Each layer adds how bytes travel.
///
/// All MPI calls are made under mpi_, unless the layer runs with MPI_THREAD_MULTIPLE.
namespace atl::mpi {

class Endpoint : public MpiFabric {
 public:
  Endpoint(const MpiOptions& options, int thread_level, const std::optional<Launcher>& launcher);

  std::string library() const final { return mpi::library(); }
  Rank rank() const final { return rank_; }
  Rank size() const final { return size_; }
  int node_of(Rank rank) const final { return nodes_[rank]; }
  std::size_t slot_bytes() const final { return slot_bytes_; }
  std::size_t message_bytes() const final { return message_bytes_; }

  void wake() final;
  void abort(int exit_code) noexcept final { MPI_Abort(comm_, exit_code); }

  std::vector<std::string> gather_texts(const std::string& mine) final;
  double alltoallv(const AlltoallvInput& input) final;
  double raw_latency(RawMode mode, std::size_t bytes, long iterations, int threads) final;
  double raw_rate(RawMode mode, std::size_t bytes, long messages, int window, int threads) final;
  std::unique_ptr<RmaExchange> rma_exchange(std::span<const std::size_t> bound_from) final;

 protected:
  /// True once arrived() holds or wake() was called. Naps grow: a short wait adds little delay, and a long one leaves
  /// the core to other ranks. While bytes are `moving` it only yields, because MPI moves large messages in pieces, one
  /// per call (3 GiB with naps: 0.3 GB/s). If nothing has arrived for seconds (timeout_s is then at its maximum), it
  /// takes short naps nevertheless.
  template <class Arrived, class Moving>
  bool nap_until(double timeout_s, Arrived&& arrived, Moving&& moving);
  /// Overridden by a layer with work of its own for peers and no thread for it.
  virtual void serve() {}
  /// Ends the use of MPI; the layer has completed or cancelled all its requests. Collective.
  void close_endpoint() {
    closed_ = true;
    close_session(comm_, finalize_);
  }

  const std::size_t slot_bytes_, message_bytes_;
  const MPI_Comm comm_;
  Rank rank_ = 0, size_ = 1;
  bool closed_ = false;
  alignas(64) SpinLock mpi_;

 private:
  void find_nodes();
  template <class Start>
  void while_serving(const char* what, Start&& start);
  std::unique_lock<SpinLock> meet();

  const bool finalize_;
  std::vector<int> nodes_;
  std::atomic<std::uint32_t> wakes_{0};
};

// ---------------------------------------------------------------------------------------------------------------------

template <class Arrived, class Moving>
bool Endpoint::nap_until(double timeout_s, Arrived&& arrived, Moving&& moving) {
  constexpr double kShortest_s = 10e-6;
  constexpr double kBetweenPieces_s = 250e-6;
  const double longest_s = std::max(kBetweenPieces_s, timeout_s / 4);
  const std::uint32_t seen = wakes_.load(std::memory_order_acquire);
  const Timer timer;
  for (double nap_s = kShortest_s;;) {
    if (arrived()) return true;
    const double left_s = timeout_s - timer.seconds();
    if (left_s <= 0) return false;
    const bool pieces = moving();
    if (pieces && timeout_s < Backoff::kLongestNap_s) {
      std::this_thread::yield();
      continue;
    }
    const timespec limit{0, static_cast<long>(std::min(nap_s, left_s) * 1e9)};
    syscall(SYS_futex, &wakes_, FUTEX_WAIT_PRIVATE, seen, &limit, nullptr, 0);
    nap_s = std::min(2 * nap_s, pieces ? kBetweenPieces_s : longest_s);
    if (wakes_.load(std::memory_order_acquire) != seen) return true;
  }
}

}  // namespace atl::mpi
