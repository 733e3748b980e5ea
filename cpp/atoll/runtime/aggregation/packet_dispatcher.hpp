// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/base/parallel.hpp>
#include <atoll/runtime/aggregation/channels.hpp>
#include <atoll/transport/fabric.hpp>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace atl {

class CommunicationThread;

/// Hands each arriving packet to its receiver: bulk packets to channels, messages and control to sinks, in the order of
/// their sends. A packet whose channel or sink is not open yet waits for it. World forwards its functions of the same
/// names to this class and documents them; what is collective by order there is so here.
class PacketDispatcher {
 public:
  using Taken = World::Taken;
  using MessageSink = World::MessageSink;

  PacketDispatcher(World& world, Fabric& fabric);
  ~PacketDispatcher();
  PacketDispatcher(const PacketDispatcher&) = delete;
  PacketDispatcher& operator=(const PacketDispatcher&) = delete;

  /// Starts the communication thread, which makes progress while the team computes. `number` is its number among the
  /// rank's threads.
  void begin_thread(int number);
  void end_thread();
  bool has_thread() const { return thread_ != nullptr; }

  std::uint32_t open_channel(Channels::Deliver deliver, void* context, Channels::Runs runs);
  void close_channel(std::uint32_t channel);
  int open_messages(const MessageSink& sink);
  void close_messages(int number);
  bool deliver_message(const Packet& packet);
  std::string describe_sinks() const;

  bool progress();
  /// Whether messages of all peers come through rings in shared memory.
  bool all_near() const { return rings_reach_all_; }
  /// The traffic that progress() polls for. Messages stay in rings until a queue asks for them.
  TrafficSet wanted() const {
    return open_sinks_ > 0 && !rings_reach_all_ ? kAllTraffic : Traffic::bulk | Traffic::control;
  }
  /// How many progress() calls have moved something so far.
  std::uint64_t moved() const { return moved_.load(std::memory_order_relaxed); }

 private:
  struct UnexpectedPackets {
    std::mutex mutex;
    std::vector<Packet> packets;
    std::atomic<bool> retry{false};  // a channel or sink was opened since the last attempt
    std::atomic<int> messages{0};    // of these, messages that their sink refused
  };

  bool deliver(const Packet& packet);
  bool deliver_bulk(const Packet& packet);
  void deliver_unexpected();
  bool is_gone(std::size_t sink) const { return !sinks_[sink].take && static_cast<int>(sink) < next_sink_; }

  World& world_;
  Fabric& fabric_;
  bool rings_reach_all_ = false;
  Channels channels_;
  UnexpectedPackets unexpected_;  // packets that wait for their channel or sink
  std::array<MessageSink, 16> sinks_{};
  std::atomic<int> open_sinks_{0};  // atomic: the communication thread reads it too
  int next_sink_ = 0;
  SpinLock far_messages_;                // held while polling and delivering messages, which must stay in order
  std::atomic<std::uint64_t> moved_{0};  // progress() calls that moved something
  std::unique_ptr<CommunicationThread> thread_;
};

}  // namespace atl
