// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/bfs/state.hpp>
#include <atoll/engine/neighbor_alltoallv.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <bit>

namespace atl {
namespace {

constexpr std::size_t kStreamGrain = 512;  // words of bits that a thread takes at a time
// An estimate: the cost of reductions was measured on two ranks.
constexpr Rank kFewRanks = 16;

}  // namespace

bool may_exchange_small_levels(const Graph& graph, const BfsOptions& options) {
  const World& world = graph.world();
  const bool suits = world.size() <= kFewRanks || NeighborAlltoallv::by_queue(world);
  return world.size() > 1 && suits && world.savings().claims && world.route().is_direct() &&
         options.fission == kNoFission && graph.cut().cut() == Cut::edge;
}

template <class Id>
BfsState<Id>::BfsState(const TraversalView<Id>& view, const BfsOptions& options)
    : view_(view),
      graph_(view.graph()),
      team_(view.world().team()),
      words_(words_of_bits(view.active())),
      reachable_(may_exchange_small_levels(graph_, options) ? view.locals() : view.rows()),
      visited_(words_of_bits(view.locals()) + 1),
      frontier_(visited_.size(), 0),
      next_(visited_.size(), 0),
      parent_(words_of_bits(reachable_) * 64 + 16),
      depth_(options.depths == Depths::yes ? static_cast<std::size_t>(view.active()) + 1 : 0),
      queue_(static_cast<std::size_t>(reachable_) + 1),
      next_queue_(queue_.size()),
      threads_(static_cast<std::size_t>(team_.size())) {
  if (!view.mirrors_have_rows()) return;
  unreachable_ = Array<std::uint64_t>(visited_.size(), 0);
  for (Local v = view.active(); v < view.locals(); ++v)
    if (view.in().degree(v) == 0) unreachable_[static_cast<std::size_t>(v) / 64] |= std::uint64_t{1} << (v % 64);
}

template <class Id>
BfsLevel BfsState<Id>::start(Local root, Vertex source) {
  team_.run([&](int thread) {
    const auto [a, b] = team_.share(thread, visited_.size());
    if (unreachable_.empty()) {
      std::fill(visited_.begin() + a, visited_.begin() + b, 0);
    } else {
      std::copy(unreachable_.begin() + a, unreachable_.begin() + b, visited_.begin() + a);
    }
    threads_[thread].found = {};
    threads_[thread].pending = 0;  // an interrupted run may have left some
  });
  // The bits after the last active vertex are marked as visited, so that pulls skip them.
  if (const auto tail = static_cast<std::size_t>(graph_.active()) % 64; tail > 0)
    visited_[words_ - 1] = ~std::uint64_t{0} << tail;
  queue_size_ = 0;
  queue_edges_ = 0;
  next_size_.store(0, std::memory_order_relaxed);
  if (root < 0) return {};
  if (root >= graph_.active()) return {.vertices = 1};
  const auto at = static_cast<std::size_t>(root);
  visited_[at / 64] |= std::uint64_t{1} << (at % 64);
  parent_[at] = static_cast<Id>(source);
  if (!depth_.empty()) depth_[at] = 0;
  queue_[queue_size_++] = root;
  queue_edges_ = graph_.out().degree(root);
  return {.vertices = 1, .edges = queue_edges_};
}

template <class Id>
PullView<Id> BfsState<Id>::pull_view(const EllPrefix<Id>& prefix) {
  return {frontier_.data(),          visited_.data(),           next_.data(),       &prefix,
          view_.in().offsets.data(), view_.in().targets.data(), view_.ids().data(), parent_.data()};
}

template <class Id>
BfsLevel BfsState<Id>::end_push() {
  for (Thread& t : threads_) flush(t);
  take_queue();
  const BfsLevel found = take_found();
  queue_edges_ = found.edges;
  return found;
}

template <class Id>
BfsLevel BfsState<Id>::end_pull() {
  // Masters that other ranks have found were appended to the queue.
  for (Thread& t : threads_) flush(t);
  const std::size_t pulled = next_size_.exchange(0, std::memory_order_relaxed);
  for (std::size_t i = 0; i < pulled; ++i) {
    const auto v = static_cast<std::size_t>(next_queue_[i]);
    next_[v / 64] |= std::uint64_t{1} << (v % 64);
  }
  frontier_.swap(next_);
  if (!depth_.empty())
    team_.for_range(words_, kStreamGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t w = a; w < b; ++w)
        for (std::uint64_t bits = frontier_[w]; bits; bits &= bits - 1)
          depth_[w * 64 + static_cast<std::size_t>(std::countr_zero(bits))] = level_;
    });
  BfsLevel found = take_found();
  found.edges = 0;
  return found;
}

template <class Id>
void BfsState<Id>::to_bits() {
  team_.run([&](int thread) {
    const auto [a, b] = team_.share(thread, frontier_.size());
    std::fill(frontier_.begin() + a, frontier_.begin() + b, 0);
    team_.barrier();
    const auto [first, last] = team_.share(thread, queue_size_);
    for (std::size_t i = first; i < last; ++i) {
      const auto v = static_cast<std::size_t>(queue_[i]);
      std::atomic_ref(frontier_[v / 64]).fetch_or(std::uint64_t{1} << (v % 64), std::memory_order_relaxed);
    }
  });
}

template <class Id>
void BfsState<Id>::to_queue() {
  team_.for_range(words_, kStreamGrain, [&](int thread, std::size_t a, std::size_t b) {
    Thread& t = threads_[thread];
    for (std::size_t w = a; w < b; ++w)
      for (std::uint64_t bits = frontier_[w]; bits; bits &= bits - 1)
        append(t, static_cast<Local>(w * 64) + std::countr_zero(bits));
  });
  for (Thread& t : threads_) flush(t);
  take_queue();
  queue_edges_ = 0;
  for (const Local v : queue()) queue_edges_ += graph_.out().degree(v);
}

template <class Id>
void BfsState<Id>::visit_mirrors() {
  const auto first = static_cast<std::size_t>(view_.first_mirror()) / 64;
  for (std::size_t w = first; w < visited_.size() - 1; ++w) visited_[w] |= frontier_[w];
}

template <class Id>
void BfsState<Id>::queue_mirrors() {
  const auto first = static_cast<std::size_t>(view_.first_mirror()) / 64;
  for (std::size_t w = first; w < words_of_bits(view_.rows()); ++w)
    for (std::uint64_t bits = frontier_[w]; bits; bits &= bits - 1) {
      const Local v = static_cast<Local>(w * 64) + std::countr_zero(bits);
      if (view_.out().degree(v) > 0) queue_[queue_size_++] = v;
    }
}

template <class Id>
void BfsState<Id>::flush(Thread& t) {
  if (t.pending == 0) return;
  const std::size_t at = next_size_.fetch_add(t.pending, std::memory_order_relaxed);
  std::copy_n(t.fresh, t.pending, next_queue_.begin() + at);
  t.pending = 0;
}

template <class Id>
void BfsState<Id>::take_queue() {
  queue_.swap(next_queue_);
  queue_size_ = next_size_.exchange(0, std::memory_order_relaxed);
}

template <class Id>
BfsLevel BfsState<Id>::take_found() {
  BfsLevel found;
  for (Thread& t : threads_) found += std::exchange(t.found, {});
  return found;
}

template <class Id>
std::size_t BfsState<Id>::memory_bytes() const {
  return (3 * visited_.size() + unreachable_.size()) * sizeof(std::uint64_t) + parent_.size() * sizeof(Id) +
         (queue_.size() + next_queue_.size() + depth_.size()) * sizeof(Local);
}

template class BfsState<std::uint32_t>;
template class BfsState<Vertex>;

}  // namespace atl
