// SPDX-License-Identifier: Apache-2.0
// Kahn's algorithm [1] over ranks: vertices that no edge enters are removed with the edges that leave them, until there are
// none.
//
//   in the paper                 here               meaning
//   count of predecessors        left_              entering edges whose tails are not removed
//   list of objects to put out   frontier_          vertices whose count is 0
//
// A rank removes all that it can before ranks exchange: mirrors collect how many edges were removed and the greatest
// generation among their tails, and both are reduced to masters. A generation is known when the last entering edge is
// removed, so it does not matter in which order the others were.
//
// [1] A. Kahn. "Topological sorting of large networks." Communications of the ACM 5(11), 1962.
#include <algorithm>
#include <atoll/algorithms/topological_order/topological_order.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <limits>
#include <unordered_map>

namespace atl {
namespace {

constexpr std::size_t kFrontierGrain = 256;
constexpr std::size_t kSerialFrontier = 1024;  // below, waking the team costs more than it saves
constexpr Vertex kNoTail = std::numeric_limits<Vertex>::max();

}  // namespace

class TopologicalOrder::Removal {
 public:
  explicit Removal(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        counts_(graph),
        greatest_(graph),
        left_(index(graph.owned())),
        removed_(index(graph.locals()), 0),
        generation_(index(graph.locals())),
        touched_(graph.locals()),
        threads_(static_cast<std::size_t>(world_.team().size())) {}

  void run(TopologicalResult& result) {
    start();
    while (world_.any(!frontier_.empty())) {
      while (!frontier_.empty()) remove_frontier();
      exchange();
    }
    write(result);
  }

  std::vector<Vertex> cycle() const;

  std::size_t memory_bytes() const {
    return (left_.size() + removed_.size() + generation_.size()) * sizeof(Vertex) +
           touched_.words() * sizeof(std::uint64_t) + counts_.memory_bytes() + greatest_.memory_bytes();
  }

 private:
  struct alignas(128) Thread {
    std::vector<Local> found;
  };
  struct Step {
    Vertex vertex, tail;  // original ids
  };

  void start() {
    std::fill(removed_.begin(), removed_.end(), 0);
    std::fill(generation_.begin(), generation_.end(), 0);
    touched_.clear();
    frontier_.clear();
    for (Local v = 0; v < graph_.owned(); ++v) {
      left_[v] = v < graph_.active() ? graph_.in().degree(v) : 0;
      if (left_[v] == 0) frontier_.push_back(v);
    }
  }

  void remove(Local v, Thread& thread) {
    if (v >= graph_.active()) return;
    const Vertex next = generation_[v] + 1;
    for (const Local u : graph_.out().neighbours(v)) {
      combine_atomically(generation_[u], next, MaxOf{});
      if (u >= graph_.owned()) {
        std::atomic_ref(removed_[u]).fetch_add(1, std::memory_order_relaxed);
        touched_.set(u);
      } else if (std::atomic_ref(left_[u]).fetch_sub(1) == 1) {
        thread.found.push_back(u);
      }
    }
  }

  void remove_frontier() {
    if (frontier_.size() < kSerialFrontier) {
      for (const Local v : frontier_) remove(v, threads_[0]);
    } else {
      world_.team().for_range(frontier_.size(), kFrontierGrain, [&](int thread, std::size_t a, std::size_t b) {
        for (std::size_t i = a; i < b; ++i) remove(frontier_[i], threads_[static_cast<std::size_t>(thread)]);
      });
    }
    frontier_.clear();
    for (Thread& t : threads_) {
      frontier_.insert(frontier_.end(), t.found.begin(), t.found.end());
      t.found.clear();
    }
  }

  void exchange() {
    VertexBits of_counts(graph_.locals());
    std::vector<Local> mirrors;
    for_touched([&](Local u) {
      of_counts.set_unsynchronized(u);
      mirrors.push_back(u);
    });
    greatest_.reduce({generation_.data(), generation_.size()}, touched_);
    counts_.reduce({removed_.data(), removed_.size()}, of_counts);
    for (const Local u : mirrors) removed_[u] = 0;
    touched_.clear();
    for (std::size_t w = 0; w * 64 < index(graph_.owned()); ++w)
      for (std::uint64_t bits = of_counts.at(w); bits; bits &= bits - 1) {
        const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits);
        if (v >= graph_.owned()) break;
        const Vertex removed = std::exchange(removed_[v], 0);
        if (removed == 0) continue;
        left_[v] -= removed;
        if (left_[v] == 0) frontier_.push_back(v);
      }
  }

  template <class F>
  void for_touched(F&& f) {
    for (std::size_t w = 0; w < touched_.words(); ++w)
      for (std::uint64_t bits = touched_.at(w); bits; bits &= bits - 1)
        f(static_cast<Local>(w * 64) + std::countr_zero(bits));
  }

  void write(TopologicalResult& result) {
    const std::size_t owned = index(graph_.owned());
    if (result.generation.size() != owned) result.generation = Array<Vertex>(owned);
    Vertex greatest = kBehindCycle;
    bool acyclic = true;
    for (std::size_t k = 0; k < owned; ++k) {
      const Local v = graph_.local_of(static_cast<Vertex>(k));
      result.generation[k] = left_[v] == 0 ? generation_[v] : kBehindCycle;
      greatest = std::max(greatest, result.generation[k]);
      acyclic &= left_[v] == 0;
    }
    result.generations = world_.max(greatest) + 1;
    result.acyclic = world_.all(acyclic);
  }

  const Graph& graph_;
  World& world_;
  MirrorExchange<Vertex, SumOf> counts_;
  MirrorExchange<Vertex, MaxOf> greatest_;
  Array<Vertex> left_;        // [local master]
  Array<Vertex> removed_;     // [local] of mirrors: edges that were removed since the last exchange
  Array<Vertex> generation_;  // [local] 1 + the greatest of the tails that are removed
  VertexBits touched_;        // mirrors with removed edges
  std::vector<Local> frontier_;
  std::vector<Thread> threads_;
};

// Every vertex that is left has an edge from one that is left: going back along these leads into a cycle.
std::vector<Vertex> TopologicalOrder::Removal::cycle() const {
  Array<Vertex> id(index(graph_.locals()), kNoTail);  // of the vertices that are left
  for (Local v = 0; v < graph_.owned(); ++v)
    if (left_[v] > 0) id[v] = graph_.id_of(v);
  MirrorExchange<Vertex, MinOf>(graph_).broadcast_all({id.data(), id.size()});
  std::vector<Step> steps;
  for (Local v = 0; v < graph_.active(); ++v) {
    if (left_[v] == 0) continue;
    Vertex tail = kNoTail;
    for (const Local u : graph_.in().neighbours(v)) tail = std::min(tail, id[u]);
    steps.push_back({id[v], tail});
  }
  std::unordered_map<Vertex, Vertex> tail_of;
  Vertex at = kNoTail;
  for (const Step& step : world_.all_gather_varying(std::span<const Step>(steps))) {
    tail_of[step.vertex] = step.tail;
    at = std::min(at, step.vertex);
  }
  if (tail_of.empty()) return {};
  for (std::size_t k = 0; k < tail_of.size(); ++k) at = tail_of.at(at);  // then it is on the cycle
  std::vector<Vertex> cycle{at};
  for (Vertex v = tail_of.at(at); v != at; v = tail_of.at(v)) cycle.push_back(v);
  std::ranges::reverse(cycle);
  std::ranges::rotate(cycle, std::ranges::min_element(cycle));
  return cycle;
}

TopologicalOrder::TopologicalOrder(const Graph& graph) : removal_(std::make_unique<Removal>(graph)) {}
TopologicalOrder::~TopologicalOrder() = default;
void TopologicalOrder::run(TopologicalResult& result) { removal_->run(result); }
std::vector<Vertex> TopologicalOrder::cycle() const { return removal_->cycle(); }
std::size_t TopologicalOrder::memory_bytes() const { return removal_->memory_bytes(); }

}  // namespace atl
