// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/transport/shared_memory/inbox.hpp>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

/// Ranks that see each other's memory: the fabric of inproc and shm, which differ only in where the inboxes lie.
namespace atl {

/// The non-virtual path of small messages inside a node, for callers that cannot afford a virtual call per message.
class Rings {
 public:
  /// The ring towards a rank of this node, or null for other ranks. From the first call on the receiver polls this
  /// ring.
  RingSender* to(Rank rank) {
    const auto r = static_cast<std::size_t>(rank);
    if (senders_[r] && !used_there_[r]->load(std::memory_order_relaxed)) announce(rank);
    return senders_[r];
  }
  bool reaches(Rank rank) const { return senders_[rank] != nullptr; }
  /// The bytes of this rank's incoming rings that have been written.
  std::size_t ring_bytes() const;
  /// Wakes the receiver after pushes, if it sleeps.
  void ring(Rank to) { wakeups_[to]->ring(); }

  /// The decision of a callback of take() about the message and the next ones.
  enum class Next { go_on, stop, put_back };
  /// Passes messages of the node's ranks to f(from, message), round robin by sender; f says how to go on, and put_back
  /// leaves the message in its ring. Does nothing while another thread is in take().
  template <class F>
  void take(F&& f);
  /// Whether take() would find something.
  bool any();
  void release(Rank from, std::uint32_t ticket);

  /// One sending rank of this node: the rings and slots in which it sends here.
  struct Source {
    RingReceiver messages, control;
    Rank from = -1;
    Inbox::Area area;
  };

 protected:
  std::vector<RingSender*> senders_;                    // [rank]
  std::vector<Wakeup*> wakeups_;                        // [rank]
  std::vector<std::atomic<std::uint8_t>*> used_there_;  // [rank] this rank's mark in that rank's inbox
  std::vector<std::uint32_t> index_;                    // [rank] number on the node
  std::vector<std::unique_ptr<Source>> sources_;        // [number on the node]
  std::vector<Source*> active_;                         // sources that have sent something; under scan_
  std::size_t turn_ = 0;
  SpinLock scan_;  // one thread scans at a time; handlers run outside it

  bool shuffled_ = false;  // delays messages, but keeps the order of each pair
  Random random_{0};       // under scan_
  bool delayed() { return shuffled_ && (random_() & 1) != 0; }
  virtual void announce(Rank rank) = 0;
  std::atomic<std::uint32_t>* sources_used_ = nullptr;
  void find_active() {
    if (sources_used_->load(std::memory_order_acquire) != active_.size()) [[unlikely]]
      look_for_active();
  }
  void look_for_active();
  void freed(const Source& source) {  // its sender may wait for capacity
    if (Wakeup* wakeup = wakeups_[source.from]) wakeup->ring();
  }
  std::vector<std::atomic<std::uint8_t>*> used_;  // [number on the node]
};

struct NodeFabricOptions {
  std::string name;                 ///< "inproc" "shm"
  Rank rank = 0, size = 1;          ///< in the job
  std::vector<Rank> members;        ///< ranks of this node, ascending, including this one
  std::vector<int> nodes;           ///< node of each rank of the job
  std::vector<std::byte*> inboxes;  ///< [member] as this rank sees them
  std::shared_ptr<void> memory;     ///< owns the mappings of the inboxes
  bool one_process = false;         ///< ranks are threads and share addresses
  std::uint64_t shuffle_seed = 0;   ///< nonzero: delay and reorder delivery
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

inline void Rings::release(Rank from, std::uint32_t ticket) { sources_[index_[from]]->messages.release(ticket); }

}  // namespace atl
