// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/bfs/report.hpp>
#include <bit>

namespace atl {
namespace {

constexpr std::size_t kReportGrain = 4096;  // vertices that a thread takes at a time

}  // namespace

template <class Id>
BfsReport<Id>::BfsReport(const Graph& graph, const BfsKernels<Id>& kernels)
    : graph_(graph),
      team_(graph.world().team()),
      kernels_(kernels),
      order_(team_, graph),
      all_edges_(graph.world().sum(graph.out().size())) {
  if (!graph.directed() && 2 * graph.edges() > all_edges_) find_loops();
}

template <class Id>
void BfsReport<Id>::find_loops() {
  std::vector<std::vector<Local>> found(static_cast<std::size_t>(team_.size()));
  team_.for_range(static_cast<std::size_t>(graph_.active()), kReportGrain,
                  [&](int thread, std::size_t a, std::size_t b) {
                    auto& here = found[thread];
                    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
                      const auto list = graph_.out().neighbours(v);
                      const auto [first, last] = std::equal_range(list.begin(), list.end(), v);
                      here.insert(here.end(), static_cast<std::size_t>(last - first), v);
                    }
                  });
  for (const auto& part : found) loops_.insert(loops_.end(), part.begin(), part.end());
}

template <class Id>
void BfsReport<Id>::write(BfsState<Id>& state, Vertex source, Vertex owned_index, BfsResult& result) const {
  const Edge outside = write_parents(state, result.parent);
  if (owned_index >= 0) result.parent[owned_index] = source;
  result.edges = edges_without(state, outside);
  if (state.depth().empty()) return;
  write_depths(state, result.depth);
  if (owned_index >= 0) result.depth[owned_index] = 0;
}

// Returns the number of out-edges of unreached vertices, usually few.
template <class Id>
Edge BfsReport<Id>::write_parents(BfsState<Id>& state, Array<Vertex>& parent) const {
  const auto owned = static_cast<std::size_t>(graph_.owned());
  if (parent.size() != owned) parent = Array<Vertex>(owned);
  const OwnedIndexView<Id> view{&order_, state.parent().data(), parent.data(), owned};
  std::atomic<Edge> outside{0};
  team_.run([&](int thread) {
    const auto [a, b] = team_.share(thread, state.words());
    Edge edges = 0;
    for (std::size_t w = a; w < b; ++w)
      for (std::uint64_t bits = ~state.visited()[w]; bits; bits &= bits - 1) {
        const std::size_t v = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        state.parent()[v] = kNoId<Id>;
        edges += graph_.out().degree(static_cast<Local>(v));
      }
    outside.fetch_add(edges, std::memory_order_relaxed);
    team_.barrier();
    const auto [first, last] = team_.share(thread, (owned + 63) / 64);
    kernels_.to_owned_index(view, first, last);
  });
  return outside.load();
}

template <class Id>
Edge BfsReport<Id>::edges_without(const BfsState<Id>& state, Edge outside) const {
  World& world = graph_.world();
  if (graph_.directed()) return all_edges_ - world.sum(outside);
  // Each edge is in two lists, but a self-loop in one.
  Edge loops_outside = 0;
  for (const Local v : loops_) loops_outside += !state.is_visited(v);
  return graph_.edges() - world.sum(outside + loops_outside) / 2;
}

template <class Id>
void BfsReport<Id>::write_depths(const BfsState<Id>& state, Array<Vertex>& depth) const {
  const auto owned = static_cast<std::size_t>(graph_.owned());
  if (depth.size() != owned) depth = Array<Vertex>(owned);
  team_.for_range(owned, kReportGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      const Local local = graph_.local_of(static_cast<Vertex>(v));
      const bool reached = local < graph_.active() && state.is_visited(local);
      depth[v] = reached ? state.depth()[local] : kUnreachable;
    }
  });
}

template class BfsReport<std::uint32_t>;
template class BfsReport<Vertex>;

}  // namespace atl
