// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/parallel.hpp>
#include <atoll/transport/fabric.hpp>
#include <atomic>
#include <exception>
#include <thread>
#include <vector>

namespace atl {

class PacketDispatcher;

/// The thread that moves messages on while the team computes (Plan::progress is "thread"). It takes everything; bulk
/// packets whose handlers belong to the team are parked until one of the team makes progress.
class CommunicationThread {
 public:
  /// `number`: its own among the rank's threads.
  CommunicationThread(PacketDispatcher& reception, Fabric& fabric, int number)
      : reception_(reception), fabric_(fabric), number_(number) {}
  ~CommunicationThread() { end(); }
  CommunicationThread(const CommunicationThread&) = delete;
  CommunicationThread& operator=(const CommunicationThread&) = delete;

  // Apart from construction, so that the thread always finds itself known: else it would run handlers that are the
  // team's.
  void begin();
  void end();

  bool is_this_thread() const { return Team::this_thread() == number_; }
  void park(const Packet& packet);
  /// For a thread of the team. Throws what the thread ended with.
  std::vector<Packet> take_parked();

  /// While it lives, the thread touches neither channels nor queues. `thread` may be null.
  class Pause {
   public:
    explicit Pause(CommunicationThread* thread);
    ~Pause();
    Pause(const Pause&) = delete;
    Pause& operator=(const Pause&) = delete;

   private:
    CommunicationThread* thread_;
  };

 private:
  void run();

  PacketDispatcher& reception_;
  Fabric& fabric_;
  const int number_;
  SpinLock gate_;
  std::atomic<int> pauses_{0};
  SpinLock parked_lock_;
  std::vector<Packet> parked_;
  std::atomic<int> parked_count_{0};
  std::exception_ptr error_;
  std::atomic<bool> failed_{false}, stop_{false};
  std::thread thread_;
};

}  // namespace atl
