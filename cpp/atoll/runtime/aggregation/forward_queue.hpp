// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/parallel.hpp>
#include <atoll/runtime/aggregation/hops.hpp>
#include <atoll/transport/fabric.hpp>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <vector>

/// Blocks of records that wait for a slot to their next hop, within a budget.
///
/// What waits is accounted by the round (Route::round_of) of the hop that it waits for. Over its share, producers wait,
/// and ranks whose packets would add to it are told to stop until half of it has gone. A stopped sender keeps what it has
/// for this rank, so that the flood goes back hop by hop to those who produce it.
///
/// Why nothing deadlocks: a record's rounds rise from hop to hop. What waits for the last round waits for a slot to a rank
/// that handles it and never says stop; what waits for a round before it, for a rank that says stop only while something
/// of a later round waits there. By induction over the rounds, from the last: all drains. Blocks of one round never take
/// another's share, and every progress() of a rank tries to send all that waits, whatever else the rank waits for.
///
/// What handlers themselves send is accounted but never held up: nobody is behind them who could wait.
namespace atl {

class World;

class ForwardQueue {
 public:
  /// Two columns of `capacity`: records, and from targets_at on their targets.
  struct Block {
    std::uint32_t way = 0;
    std::uint32_t epoch = 0;
    std::uint64_t closes = 0;  ///< not 0: 1 + the records that have gone this way in this epoch; it is the last block
    std::size_t size = 0, sent = 0, capacity = 0, targets_at = 0;
    std::unique_ptr<std::byte[]> memory;
    std::size_t bytes() const { return targets_at + capacity * sizeof(Rank); }
  };
  /// Of records to this very rank.
  using Arrive = void (*)(void* box, const Block& block);

  /// `channels` are by 2 * round + arrival. Collective by order, like a declaration.
  ForwardQueue(World& world, const Hops& hops, std::size_t record_bytes, std::vector<std::uint32_t> channels,
               Arrive arrive, void* box);
  ~ForwardQueue();
  ForwardQueue(const ForwardQueue&) = delete;
  ForwardQueue& operator=(const ForwardQueue&) = delete;

  /// Records of one slot.
  std::size_t piece() const { return piece_; }
  /// A closing packet has this bit in its stamp, and ends with Block::closes less one.
  static constexpr std::uint32_t kCloses = std::uint32_t{1} << 31;

  /// Sends the block, if there are slots for all of it; what has gone is noted in block.sent. To the own rank: only
  /// outside handlers, which are not called from within each other.
  bool send(Block& block);
  /// Waits until the next hop has taken what was sent before (Plan::buffers is "single").
  void settle(std::uint32_t way);
  /// Takes the block over until there is a slot.
  void keep(Block&& block);
  /// Tries all that waits; true if something went. Any thread; called by every World::progress().
  bool pump();
  /// A packet of `from` was passed on or laid aside: if too much waits, tells it to stop.
  void mind(Rank from, int round, Route::Phase arrival);
  /// Of packets that are laid aside for the next epoch.
  void note_held(std::ptrdiff_t bytes) {
    held_bytes_.fetch_add(static_cast<std::size_t>(bytes), std::memory_order_relaxed);
  }
  /// Waits, as a producer, until less waits than the plan's buffers allow.
  void make_room(std::uint32_t way);
  /// Waits until nothing waits for hops up to `round`.
  void clear(int round);
  /// Bytes that all lanes of this rank may hold.
  std::size_t lanes_limit() const;

  /// What `from` says about packets on one of this relay's channels.
  void hear(Rank from, std::uint32_t channel, bool stop);
  bool owns(std::uint32_t channel) const;
  std::string describe() const;

 private:
  struct Stop {
    Rank from;
    std::uint32_t channel;
    int after;  // rounds behind this one are what `from` adds to
  };
  std::size_t share() const;
  bool send_first(std::uint32_t way);
  bool is_over(int after, std::size_t limit) const;
  std::uint32_t channel_of(int round, Route::Phase arrival) const {
    return channels_[2 * static_cast<std::size_t>(round) + static_cast<std::size_t>(arrival)];
  }
  bool is_stopped(Rank next, std::uint32_t channel) const;
  void resume();

  World& world_;
  const Hops& hops_;
  const std::size_t record_bytes_;
  const std::size_t piece_;
  const std::vector<std::uint32_t> channels_;
  const Arrive arrive_;
  void* const box_;
  mutable SpinLock lock_;                                // of the three lists
  std::map<std::uint32_t, std::deque<Block>> waiting_;   // [way], of those that have some
  std::vector<std::atomic<std::size_t>> waiting_bytes_;  // [round], those in the hands of a pump() included
  std::vector<std::atomic<int>> waiting_blocks_;         // likewise
  std::vector<Stop> told_;                               // to stop, and not yet to go on
  std::atomic<int> count_{0}, told_count_{0}, stopped_count_{0};
  std::atomic<std::size_t> held_bytes_{0};
  std::vector<std::pair<Rank, std::uint32_t>> stopped_;  // they have told us, by channel
};

/// The words between Onwards of different ranks: "stop" and "go on", for one channel.
class FlowControl {
 public:
  explicit FlowControl(World& world) : world_(world) {}
  /// Collective by order; after the World's channels work.
  void open();
  void add(ForwardQueue* onward);
  void remove(ForwardQueue* onward);
  int open_relays() const { return open_.load(std::memory_order_relaxed); }
  /// The next progress() sends it, or a later one.
  void tell(Rank to, std::uint32_t channel, bool stop);

 private:
  struct Word {
    std::uint32_t channel;
    std::uint32_t number;  // later words have higher numbers, however they come
    std::uint32_t stop;
  };
  struct Unsent {
    Rank to;
    Word word;
  };
  struct Heard {
    std::uint32_t channel;
    Rank from;
    std::uint32_t number;
  };
  bool hear(const Packet& packet);
  bool pump();

  World& world_;
  int sink_ = -1;
  // Taken in this order: lock_, an ForwardQueue's own, words_lock_.
  SpinLock lock_;
  std::vector<ForwardQueue*> onwards_;
  std::vector<Heard> heard_;  // the last word of each rank that has ever said stop, by channel
  SpinLock words_lock_;
  std::vector<Unsent> unsent_;
  std::uint32_t number_ = 0;
  std::atomic<int> unsent_count_{0}, open_{0};
};

}  // namespace atl
