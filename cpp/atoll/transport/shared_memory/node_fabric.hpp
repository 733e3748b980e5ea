// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/transport/shared_memory/inbox.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

/// Ranks that see each other's memory: the fabric behind inproc and shm, which differ in where the inboxes lie.
namespace atl {

/// The concrete small-message path of a node, for callers that cannot afford a virtual call a message.
class Rings {
 public:
  /// Towards a rank of the node (not the own one); null for others. The receiver looks at this ring from now on.
  RingSender* to(Rank rank) {
    const auto r = static_cast<std::size_t>(rank);
    if (senders_[r] && !used_there_[r]->load(std::memory_order_relaxed)) announce(rank);
    return senders_[r];
  }
  bool reaches(Rank rank) const { return senders_[static_cast<std::size_t>(rank)] != nullptr; }
  /// Of the rings in which others send here: the part that has been written.
  std::size_t ring_bytes() const;
  /// Wakes the receiver after pushes, if it sleeps.
  void ring(Rank to) { bells_[static_cast<std::size_t>(to)]->ring(); }

  /// What a look at a message decides about the next ones.
  enum class Next { go_on, stop, put_back };
  /// Hands out messages from the node's ranks, in turn by sender: f(from, message) says how to go on; put_back leaves
  /// this one where it is. Does nothing while another thread is at it.
  template <class F>
  void take(F&& f);
  /// Whether take() would find something.
  bool any();
  void release(Rank from, std::uint32_t ticket);

  /// Every message that take() gives out comes from here.
  struct Source {
    RingReceiver messages, control;
    Rank from = -1;
    Inbox::Area area;
  };

 protected:
  std::vector<RingSender*> senders_;                    // [rank]
  std::vector<Bell*> bells_;                            // [rank]
  std::vector<std::atomic<std::uint8_t>*> used_there_;  // [rank] this rank's mark in the other's inbox
  std::vector<std::uint32_t> index_;                    // [rank] number on the node
  std::vector<std::unique_ptr<Source>> sources_;        // [number on the node]
  std::vector<Source*> active_;                         // those that have sent; under scan_
  std::size_t turn_ = 0;
  SpinLock scan_;  // one thread scans at a time; handlers run outside it

  bool shuffled_ = false;  // messages of a pair keep their order but not their moment
  Random random_{0};       // under scan_
  bool delayed() { return shuffled_ && (random_() & 1) != 0; }
  virtual void announce(Rank rank) = 0;
  std::atomic<std::uint32_t>* sources_used_ = nullptr;
  void find_active() {
    if (sources_used_->load(std::memory_order_acquire) != active_.size()) [[unlikely]]
      look_for_active();
  }
  void look_for_active();
  void freed(const Source& source) {  // its sender may have waited for room
    if (Bell* bell = bells_[static_cast<std::size_t>(source.from)]) bell->ring();
  }
  std::vector<std::atomic<std::uint8_t>*> used_;  // [number on the node]
};

struct NodeFabricOptions {
  std::string name;                 ///< "inproc" "shm"
  Rank rank = 0, size = 1;          ///< of the job
  std::vector<Rank> members;        ///< ranks of this node, ascending, with this one
  std::vector<int> nodes;           ///< node of each rank of the job
  std::vector<std::byte*> inboxes;  ///< [member] as this rank sees them
  std::shared_ptr<void> memory;     ///< what keeps the inboxes mapped
  bool one_process = false;         ///< ranks are threads: one's addresses are the others' too
  std::uint64_t shuffle_seed = 0;   ///< not 0: delay and reorder delivery
  std::function<void(int)> abort = [](int) {};
};

std::unique_ptr<Fabric> make_node_fabric(NodeFabricOptions options);

template <class F>
void Rings::take(F&& f) {
  if (!scan_.try_lock()) return;
  std::lock_guard hold(scan_, std::adopt_lock);
  find_active();
  for (std::size_t i = 0; i < active_.size(); ++i) {
    if (turn_ >= active_.size()) turn_ = 0;
    Source& source = *active_[turn_++];
    if (source.messages.reclaim()) freed(source);
    RingMessage m;
    while (!(shuffled_ && delayed()) && source.messages.next(m)) {
      const Next next = f(source.from, m);
      if (next == Next::go_on) continue;
      if (next == Next::put_back) source.messages.put_back(m);
      return;
    }
  }
}

inline void Rings::release(Rank from, std::uint32_t ticket) {
  sources_[index_[static_cast<std::size_t>(from)]]->messages.release(ticket);
}

}  // namespace atl
