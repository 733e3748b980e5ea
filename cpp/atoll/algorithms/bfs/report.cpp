// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/bfs/report.hpp>
#include <bit>

namespace atl {
namespace {

constexpr std::size_t kReportGrain = 4096;  // vertices that a thread takes at a time
constexpr Vertex kFew = 16;                 // few are less than one in so many, times the threads

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
void BfsReport<Id>::write(BfsState<Id>& state, Vertex source, Vertex owned_index, BfsResult& result,
                          const std::optional<Outside>& outside) const {
  const auto resize = [&](Array<Vertex>& values, Vertex size) {
    if (values.size() == index(size)) return;
    values = Array<Vertex>(index(size));
    result.listed.reset();
  };
  const bool depths = !state.depth().empty();
  resize(result.parent, graph_.owned());
  resize(result.depth, depths ? graph_.owned() : 0);
  const bool few = result.reached * kFew * team_.size() < graph_.vertices();
  if (!few) result.listed.reset();
  const Edge mine = few ? write_listed(state, result) : write_parents(state, result.parent);
  if (!few && depths) write_depths(state, result.depth);
  if (owned_index >= 0) {  // it may have no edges, and is not among those of the state then
    result.parent[owned_index] = source;
    if (depths) result.depth[owned_index] = 0;
    if (few && graph_.local_of(owned_index) >= graph_.active()) result.listed->push_back(owned_index);
  }
  const auto add = [](const Outside& a, const Outside& b) { return Outside{a.edges + b.edges, a.loops + b.loops}; };
  result.edges = edges_without(outside ? *outside : graph_.world().fold(Outside{mine, loops_outside(state)}, add));
}

// Returns the number of out-edges of unreached vertices.
template <class Id>
Edge BfsReport<Id>::write_listed(const BfsState<Id>& state, BfsResult& result) const {
  const bool depths = !result.depth.empty();
  if (result.listed) {
    for (const Vertex at : *result.listed) {
      result.parent[at] = kNoVertex;
      if (depths) result.depth[at] = kUnreachable;
    }
  } else {
    team_.for_range(result.parent.size(), kReportGrain, [&](int, std::size_t a, std::size_t b) {
      std::fill(&result.parent[a], result.parent.data() + b, kNoVertex);
      if (depths) std::fill(&result.depth[a], result.depth.data() + b, kUnreachable);
    });
  }
  result.listed.emplace();
  Edge inside = 0;
  for (std::size_t w = 0; w < state.words(); ++w)
    for (std::uint64_t bits = state.visited()[w]; bits; bits &= bits - 1) {
      const Local v = static_cast<Local>(w * 64) + std::countr_zero(bits);
      if (v >= graph_.active()) break;
      const Vertex at = graph_.owned_index_of(v);
      result.parent[at] = static_cast<Vertex>(state.parent()[v]);
      if (depths) result.depth[at] = state.depth()[v];
      result.listed->push_back(at);
      inside += graph_.out().degree(v);
    }
  return graph_.out().size() - inside;
}

// Returns the number of out-edges of unreached vertices, usually few.
template <class Id>
Edge BfsReport<Id>::write_parents(BfsState<Id>& state, Array<Vertex>& parent) const {
  const auto owned = static_cast<std::size_t>(graph_.owned());
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
Edge BfsReport<Id>::loops_outside(const BfsState<Id>& state) const {
  Edge loops = 0;
  for (const Local v : loops_) loops += !state.is_visited(v);
  return loops;
}

template <class Id>
Edge BfsReport<Id>::edges_without(const Outside& outside) const {
  if (graph_.directed()) return all_edges_ - outside.edges;
  return graph_.edges() - (outside.edges + outside.loops) / 2;  // each edge is in two lists, but a self-loop in one
}

template <class Id>
void BfsReport<Id>::write_depths(const BfsState<Id>& state, Array<Vertex>& depth) const {
  const auto owned = static_cast<std::size_t>(graph_.owned());
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
