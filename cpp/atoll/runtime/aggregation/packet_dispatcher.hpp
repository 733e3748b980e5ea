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
class World;

/// What arrives at a rank, and who gets it: bulk packets go to channels, messages and control to sinks, in the order of
/// their sends. What comes before its channel or sink is open waits for it. World passes on what it says of these; what
/// is `collective by order` is so there.
class PacketDispatcher {
 public:
  /// Takes messages, control and ends of puts; the upper half of a note's type is the number open_messages() gave.
  enum class Taken { done, kept, no };  ///< read; released by the sink later; later, please
  struct MessageSink {
    void* context = nullptr;
    Taken (*take)(void* context, const Packet& packet) = nullptr;
    bool (*pump)(void* context) = nullptr;  ///< sends on what could not be sent before; true if it could now
    std::string (*describe)(void* context) = nullptr;
    bool control_only = false;  ///< no messages come for it, so nobody has to look for any
  };

  PacketDispatcher(World& world, Fabric& fabric);
  ~PacketDispatcher();
  PacketDispatcher(const PacketDispatcher&) = delete;
  PacketDispatcher& operator=(const PacketDispatcher&) = delete;

  /// A thread of its own, which makes progress while the team computes; `number` among the rank's threads.
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
  /// What progress() takes: messages stay in rings until a queue asks for them.
  TrafficSet wanted() const {
    return open_sinks_ > 0 && !rings_reach_all_ ? kAllTraffic : Traffic::bulk | Traffic::control;
  }
  /// How often something has arrived, or gone on, so far.
  std::uint64_t moved() const { return moved_.load(std::memory_order_relaxed); }

 private:
  struct Early {
    std::mutex mutex;
    std::vector<Packet> packets;
    std::atomic<bool> retry{false};  // a channel was opened since they were last looked at
    std::atomic<int> messages{0};    // of these: a queue had no packet for them
  };

  bool deliver(const Packet& packet);
  bool deliver_bulk(const Packet& packet);
  void deliver_early();
  bool is_gone(std::size_t sink) const { return !sinks_[sink].take && static_cast<int>(sink) < next_sink_; }

  World& world_;
  Fabric& fabric_;
  bool rings_reach_all_ = false;
  Channels channels_;
  Early early_;  // packets for channels that are not open yet
  std::array<MessageSink, 16> sinks_{};
  std::atomic<int> open_sinks_{0};  // the communication thread looks between pauses too
  int next_sink_ = 0;
  SpinLock far_messages_;                // whoever polls and hands over messages: their order must not change between
  std::atomic<std::uint64_t> moved_{0};  // packets that this rank has taken
  std::unique_ptr<CommunicationThread> thread_;
};

}  // namespace atl
