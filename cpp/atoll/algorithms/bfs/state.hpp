// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/bfs/kernel.hpp>
#include <atoll/engine/traversal_view.hpp>
#include <atoll/runtime/world.hpp>
#include <atomic>
#include <bit>

/// The visited vertices and parents of one rank, and its frontier: a queue where rounds push, bits where they pull.
///
///     state.start(root, source);                 // root: -1 on ranks that do not own the source
///     state.begin_level(1);
///     state.reach(state.mine(), v, parent);      // by the thread that has set v's bit of visited()
///     const BfsLevel found = state.end_push();   // the reached vertices become the frontier: state.queue()
///     state.to_bits();                           // converts the frontier to bits: state.frontier()
///
/// Nothing here is collective. Memory: 3 bits a local vertex; a parent, two queue entries and, if asked for, a depth
/// per master; a parent and two queue entries per mirror too, if may_exchange_small_levels() or mirrors have rows; a
/// fourth bit then.
namespace atl {

/// Whether a search may push small levels with one thread per rank and exchange them by one message per pair of ranks
/// (RemoteUpdates::exchange_small_level). It needs a direct route and an edge-cut; with many ranks it costs more than a
/// reduction. By the message queue all levels that are pushed are exchanged so.
bool may_exchange_small_levels(const Graph& graph, const BfsOptions& options);

/// Vertices and edges that a level found, on one rank or on all.
struct BfsLevel {
  Vertex vertices = 0;
  Edge edges = 0;      ///< out-edges of those vertices; 0 after a pull, which does not count them
  Vertex records = 0;  ///< records sent to find them
  BfsLevel& operator+=(const BfsLevel& other) {
    vertices += other.vertices;
    edges += other.edges;
    records += other.records;
    return *this;
  }
  /// Collective.
  BfsLevel on_all(World& world) const {
    return world.fold(*this, [](BfsLevel a, const BfsLevel& b) { return a += b; });
  }
};

inline std::size_t words_of_bits(Local vertices) { return (static_cast<std::size_t>(vertices) + 63) / 64; }

template <class Id>
class BfsState {
 public:
  /// The vertices that one thread has found in a level.
  struct alignas(128) Thread {
    BfsLevel found;
    std::size_t pending = 0;
    Local fresh[1024];  // reached masters on their way into the next queue
  };

  BfsState(const TraversalView<Id>& view, const BfsOptions& options);
  BfsState(const BfsState&) = delete;
  BfsState& operator=(const BfsState&) = delete;

  BfsLevel start(Local root, Vertex source);
  void begin_level(Local level) { level_ = level; }
  Thread& thread(int t) { return threads_[t]; }
  Thread& mine() { return thread(Team::this_thread()); }

  /// v's bit was set by this thread: nobody else writes about v.
  void reach(Thread& t, Local v, Id parent) {
    const auto at = static_cast<std::size_t>(v);
    parent_[at] = parent;
    if (!depth_.empty()) depth_[at] = level_;
    ++t.found.vertices;
    t.found.edges += graph_.out().degree(v);
    append(t, v);
  }

  /// Serves a level that one thread pushes, or threads that write disjoint words, while no records arrive (serial.hpp,
  /// team_push.hpp). If may_exchange_small_levels(), arrays have entries for mirrors too.
  struct UnsynchronizedView {
    std::span<const Local> queue;
    Local* next;  ///< capacity: all reachable vertices and one more
    std::uint64_t* visited;
    Id* parent;
    Local* depth;  ///< nullptr if not asked for
    Local level;
  };
  UnsynchronizedView unsynchronized_view() {
    return {queue(), next_queue_.data(), visited(), parent_.data(), depth_.empty() ? nullptr : depth_.data(), level_};
  }
  /// `next` has this many vertices, with this many out-edges in total; their parents and depths have been written.
  void found_unsynchronized(std::size_t vertices, Edge edges) {
    next_size_.store(vertices, std::memory_order_relaxed);
    threads_[0].found += {.vertices = static_cast<Vertex>(vertices), .edges = edges};
  }

  /// Ends the level: the vertices that it has reached become the frontier.
  BfsLevel end_push();
  BfsLevel end_pull();
  void to_bits();
  void to_queue();
  /// Marks the mirrors in the frontier's bits as visited.
  void visit_mirrors();
  /// Appends those of them to the queue that have rows.
  void queue_mirrors();
  /// Between a pull and its end: calls f(thread, mirror, parent) for each mirror that has found a parent.
  template <class F>
  void for_pulled_mirrors(F&& f) {
    const std::size_t first = static_cast<std::size_t>(view_.first_mirror()) / 64;
    if (pulled_words() <= first) return;
    team_.for_range(pulled_words() - first, kMirrorGrain, [&](int t, std::size_t a, std::size_t b) {
      for (std::size_t w = first + a; w < first + b; ++w)
        for (std::uint64_t bits = next_[w]; bits; bits &= bits - 1) {
          const std::size_t v = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
          --thread(t).found.vertices;  // its master counts it
          f(t, static_cast<Local>(v), parent_[v]);
        }
    });
  }

  std::span<Local> queue() { return {queue_.data(), queue_size_}; }
  Edge queue_edges() const { return queue_edges_; }  ///< out-edges of the queue's vertices
  /// Bits by local number, and a spare word that stays 0.
  std::uint64_t* visited() { return visited_.data(); }
  const std::uint64_t* visited() const { return visited_.data(); }
  Array<std::uint64_t>& frontier() { return frontier_; }
  PullView<Id> pull_view(const EllPrefix<Id>& prefix);
  bool is_visited(Local v) const { return visited_[static_cast<std::size_t>(v) / 64] >> (v % 64) & 1; }
  std::size_t words() const { return words_; }  ///< words that have active masters' bits
  std::size_t pulled_words() const { return words_of_bits(view_.rows()); }
  Array<Id>& parent() { return parent_; }  ///< original ids, by local number of the masters
  const Array<Id>& parent() const { return parent_; }
  const Array<Local>& depth() const { return depth_; }
  std::size_t memory_bytes() const;

 private:
  void append(Thread& t, Local v) {
    t.fresh[t.pending++] = v;
    if (t.pending == std::size(t.fresh)) flush(t);
  }
  void flush(Thread& t);
  void take_queue();
  BfsLevel take_found();

  static constexpr std::size_t kMirrorGrain = 64;  // words of mirrors' bits that a thread takes at a time

  const TraversalView<Id>& view_;
  const Graph& graph_;
  Team& team_;
  const std::size_t words_;
  const Local reachable_;  // local vertices below it have parents and queue entries
  Array<std::uint64_t> visited_, frontier_, next_;
  Array<std::uint64_t> unreachable_;  // if mirrors have rows: local numbers that no edge here enters, but for masters
  Array<Id> parent_;
  Array<Local> depth_;
  Array<Local> queue_, next_queue_;
  std::size_t queue_size_ = 0;
  Edge queue_edges_ = 0;
  std::atomic<std::size_t> next_size_{0};
  std::vector<Thread> threads_;
  Local level_ = 0;
};

}  // namespace atl
