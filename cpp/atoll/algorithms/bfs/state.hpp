// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/bfs/kernel.hpp>
#include <atoll/runtime/world.hpp>
#include <atomic>

/// What a search has found so far on one rank, and its frontier: a list where rounds push, bits where they pull.
///
///     state.start(root, source);                 // root: -1 on ranks that do not own the source
///     state.begin_level(1);
///     state.reach(state.mine(), v, parent);      // by the thread that has set v's bit of visited()
///     const BfsLevel found = state.end_push();   // they are the frontier: state.queue()
///     state.to_bits();                           // they are the frontier: state.frontier()
///
/// Nothing here is collective. Memory: 3 bits a local vertex; a parent, two numbers and, if asked for, a depth a master;
/// a parent and two numbers a mirror too, where narrow levels are posted.
namespace atl {

/// Whether a search may push narrow levels with one thread of each rank that tell each other by one message each way
/// (BfsVisits::post): it is more than a vote's where ranks are many, and has to have one hop.
bool may_post(const Graph& graph, const BfsOptions& options);

/// What a level found, on one rank or on all.
struct BfsLevel {
  Vertex vertices = 0;
  Edge edges = 0;      ///< out-edges of those vertices; unknown after a pull
  Vertex records = 0;  ///< sent to find them
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
  /// Of one thread, between two levels.
  struct alignas(128) Thread {
    BfsLevel found;
    std::size_t pending = 0;
    Local fresh[1024];  // reached masters on their way into the next queue
  };

  BfsState(const Graph& graph, const BfsOptions& options);
  BfsState(const BfsState&) = delete;
  BfsState& operator=(const BfsState&) = delete;

  BfsLevel start(Local root, Vertex source);
  void begin_level(Local level) { level_ = level; }
  Thread& thread(int t) { return threads_[static_cast<std::size_t>(t)]; }
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

  /// For a level that no other thread takes part in, nor another rank before its end (bfs_alone.hpp). Where levels may be
  /// posted there is room for mirrors.
  struct UnsynchronizedView {
    std::span<const Local> queue;
    Local* next;  ///< room for all that can be reached, and one more
    std::uint64_t* visited;
    Id* parent;
    Local* depth;  ///< nullptr if not asked for
    Local level;
  };
  UnsynchronizedView unsynchronized_view() {
    return {queue(), next_queue_.data(), visited(), parent_.data(), depth_.empty() ? nullptr : depth_.data(), level_};
  }
  /// So many vertices, with so many edges that leave them, stand in `next`, and all is written about them.
  void found_unsynchronized(std::size_t vertices, Edge edges) {
    next_size_.store(vertices, std::memory_order_relaxed);
    threads_[0].found += {.vertices = static_cast<Vertex>(vertices), .edges = edges};
  }

  /// The level is over: what it has reached, or what stands in the bits of a pull, is the frontier.
  BfsLevel end_push();
  BfsLevel end_pull();
  void to_bits();
  void to_queue();
  /// The frontier's bits of mirrors are known: they are visited.
  void visit_mirrors();

  std::span<Local> queue() { return {queue_.data(), queue_size_}; }
  Edge queue_edges() const { return queue_edges_; }  ///< that leave the queue's vertices
  /// Bits by local number, and a spare word that stays 0.
  std::uint64_t* visited() { return visited_.data(); }
  Array<std::uint64_t>& frontier() { return frontier_; }
  PullView<Id> pull_view(const HeadColumns<Id>& heads, const Array<Id>& ids);
  bool is_visited(Local v) const { return visited_[static_cast<std::size_t>(v) / 64] >> (v % 64) & 1; }
  std::size_t words() const { return words_; }  ///< of the active masters' bits
  Array<Id>& parent() { return parent_; }       ///< original ids, by local number of the masters
  const Array<Local>& depth() const { return depth_; }
  std::size_t memory_bytes() const;

 private:
  void append(Thread& t, Local v) {
    t.fresh[t.pending++] = v;
    if (t.pending == std::size(t.fresh)) pass_on(t);
  }
  void pass_on(Thread& t);
  void take_queue();
  BfsLevel take_found();

  const Graph& graph_;
  Team& team_;
  const std::size_t words_;
  const Local reachable_;  // by local number
  Array<std::uint64_t> visited_, frontier_, next_;
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
