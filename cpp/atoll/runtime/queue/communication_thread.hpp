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

/// The thread that makes progress while the team computes (Plan::progress is "thread"). It receives all packets. It
/// parks bulk packets whose handlers must run on the team until a thread of the team makes progress.
class CommunicationThread {
 public:
  /// `number`: this thread's number among the rank's threads.
  CommunicationThread(PacketDispatcher& dispatcher, Fabric& fabric, int number)
      : dispatcher_(dispatcher), fabric_(fabric), number_(number) {}
  ~CommunicationThread() { end(); }
  CommunicationThread(const CommunicationThread&) = delete;
  CommunicationThread& operator=(const CommunicationThread&) = delete;

  // Separate from construction, so that the dispatcher knows the thread before it runs. Otherwise it would run handlers
  // that belong to the team.
  void begin();
  void end();

  bool is_this_thread() const { return Team::this_thread() == number_; }
  void park(const Packet& packet);
  /// The parked packets, for a thread of the team. Rethrows the error that ended the communication thread.
  std::vector<Packet> take_parked();

  /// While a Pause lives, the thread uses neither channels nor queues. `thread` may be null.
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

  PacketDispatcher& dispatcher_;
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
