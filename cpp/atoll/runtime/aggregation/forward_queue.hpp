// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/parallel.hpp>
#include <atoll/runtime/aggregation/drain_sums.hpp>
#include <atoll/runtime/aggregation/hop_list.hpp>
#include <atoll/transport/fabric.hpp>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <vector>

/// Blocks of records that wait for a slot to their next hop, within a budget.
///
/// Waiting bytes are counted by the round (Route::round_of) of the hop they wait for. When a round exceeds its share of
/// the budget, producers wait, and this rank tells the ranks whose packets would add to it to stop until half of it has
/// gone. A stopped sender keeps its records for this rank, so the back-pressure travels hop by hop to the producers.
///
/// Why nothing deadlocks: a record's rounds rise from hop to hop. Blocks of the last round wait for a slot to a rank
/// that handles them and never says stop. Blocks of an earlier round wait for a rank that says stop only while blocks
/// of a later round wait there. By induction over the rounds, from the last to the first, everything drains. Blocks of
/// one round never use another round's share, and every progress() of a rank tries to send all waiting blocks, whatever
/// else the rank waits for.
///
/// Records that handlers send are counted but never delayed, because no producer could wait on their behalf.
namespace atl {

class World;

class ForwardQueue {
 public:
  /// Two columns of `capacity` entries each: records, and from byte targets_at on their targets.
  struct Block {
    std::uint32_t hop = 0;
    std::uint32_t epoch = 0;
    std::uint64_t closes = 0;  ///< nonzero in the last block of a hop: 1 + the records sent on it in this epoch
    DrainSums sums;            ///< what the last block of a hop carries of the ranks' sums
    std::size_t size = 0, sent = 0, capacity = 0, targets_at = 0;
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes() const { return targets_at + capacity * sizeof(Rank); }
  };
  /// Handles a block whose records are for this very rank.
  using Arrive = void (*)(void* box, const Block& block);

  /// `channels` are indexed by 2 * round + arrival. Collective by order, like a declaration.
  ForwardQueue(World& world, const HopList& hops, std::size_t record_bytes, std::vector<std::uint32_t> channels,
               Arrive arrive, void* box);
  ~ForwardQueue();
  ForwardQueue(const ForwardQueue&) = delete;
  ForwardQueue& operator=(const ForwardQueue&) = delete;

  /// How many records fit into one slot.
  std::size_t piece() const { return piece_; }
  /// The stamp of a closing packet has this bit, and the packet ends with this.
  static constexpr std::uint32_t kCloses = std::uint32_t{1} << 31;
  struct Closing {
    std::uint64_t records = 0;  ///< sent on this hop in this epoch
    DrainSums sums;
  };

  /// Sends as much of the block as there are slots for, and records that in block.sent. True if all of it went. A block
  /// to the own rank is handled only outside handlers, which never nest.
  bool send(Block& block);
  /// Waits until a slot to the next hop is free (Plan::buffers is "single").
  void wait_for_slot(std::uint32_t hop);
  /// Queues the block until a slot is free.
  void enqueue(Block&& block);
  /// Tries to send all waiting blocks; true if one went. Any thread; every World::progress() calls it.
  bool pump();
  /// A packet of `from` was forwarded or deferred: tells `from` to stop if too much waits here.
  void throttle(Rank from, int round, Route::Phase arrival);
  /// Counts bytes of packets that were deferred to the next epoch (fewer, if negative).
  void note_deferred(std::ptrdiff_t bytes) {
    deferred_bytes_.fetch_add(static_cast<std::size_t>(bytes), std::memory_order_relaxed);
  }
  /// Makes a producer wait until no more bytes wait on this hop's round than Plan::buffers allows.
  void wait_for_capacity(std::uint32_t hop);
  /// Waits until no block waits for a hop of a round up to `round`.
  void wait_until_empty(int round);
  /// The bytes that all send buffers of this rank may hold.
  std::size_t buffers_limit() const;

  /// `from` tells this rank to stop sending packets on `channel` of this relay, or to go on.
  void on_flow_control(Rank from, std::uint32_t channel, bool stop);
  bool owns(std::uint32_t channel) const;
  std::string describe() const;

 private:
  struct Throttled {
    Rank from;
    std::uint32_t channel;
    int after;  // packets of `from` add to rounds after this one
  };
  std::size_t share() const;
  LongSlots slots_to(Rank next) const;
  bool send_first(std::uint32_t hop);
  bool is_over(int after, std::size_t limit) const;
  std::uint32_t channel_of(int round, Route::Phase arrival) const {
    return channels_[2 * static_cast<std::size_t>(round) + static_cast<std::size_t>(arrival)];
  }
  bool is_stopped(Rank next, std::uint32_t channel) const;
  void resume();

  World& world_;
  const HopList& hops_;
  const std::size_t record_bytes_;
  const std::size_t slot_bytes_;
  const std::vector<int> per_peer_;  // [level] slots that may be in flight to a peer
  const std::size_t piece_;
  const std::vector<std::uint32_t> channels_;
  const Arrive arrive_;
  void* const box_;
  mutable SpinLock lock_;                                // guards waiting_, throttled_ and stopped_
  std::map<std::uint32_t, std::deque<Block>> waiting_;   // [hop], only hops with waiting blocks
  std::vector<std::atomic<std::size_t>> waiting_bytes_;  // [round], including blocks that a pump() is sending
  std::vector<std::atomic<int>> waiting_blocks_;         // likewise
  std::vector<Throttled> throttled_;                     // ranks that this rank told to stop, and not yet to go on
  std::atomic<int> count_{0}, throttled_count_{0}, stopped_count_{0};
  std::atomic<std::size_t> deferred_bytes_{0};
  std::vector<std::pair<Rank, std::uint32_t>> stopped_;  // ranks that told this rank to stop, by channel
};

/// Exchanges flow-control messages, "stop" and "go on" for one channel, between the ForwardQueues of different ranks.
class FlowControl {
 public:
  explicit FlowControl(World& world) : world_(world) {}
  /// Collective by order; call it once the World's channels work.
  void open();
  void add(ForwardQueue* queue);
  void remove(ForwardQueue* queue);
  int open_relays() const { return open_.load(std::memory_order_relaxed); }
  /// Queues a message to `to`; the next progress() with a free slot sends it.
  void send(Rank to, std::uint32_t channel, bool stop);

 private:
  struct Message {
    std::uint32_t channel;
    std::uint32_t number;  // a later message has a higher number: they may arrive out of order
    std::uint32_t stop;
  };
  struct Unsent {
    Rank to;
    Message message;
  };
  struct LastReceived {
    std::uint32_t channel;
    Rank from;
    std::uint32_t number;
  };
  bool receive(const Packet& packet);
  bool pump();

  World& world_;
  int sink_ = -1;
  // Lock order: lock_, then a ForwardQueue's own, then messages_lock_.
  SpinLock lock_;
  std::vector<ForwardQueue*> queues_;
  std::vector<LastReceived> last_received_;  // the last message of each rank that ever sent one, by channel
  SpinLock messages_lock_;
  std::vector<Unsent> unsent_;
  std::uint32_t number_ = 0;
  std::atomic<int> unsent_count_{0}, open_{0};
};

}  // namespace atl
