// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/triangles/forward_lists.hpp>
#include <atoll/graph/mirror_values.hpp>

namespace atl {
namespace {

// Calls f(neighbour, directions) once for each neighbour of a master, except itself.
template <class F>
void for_neighbours(const Graph& graph, Local self, F&& f) {
  const auto out = graph.out().neighbours(self);
  const auto in = graph.directed() ? graph.in().neighbours(self) : std::span<const Local>{};
  for (std::size_t i = 0, k = 0; i < out.size() || k < in.size();) {  // both are sorted
    const bool from_out = i < out.size() && (k == in.size() || out[i] <= in[k]);
    const bool from_in = k < in.size() && (i == out.size() || in[k] <= out[i]);
    const Local u = from_out ? out[i] : in[k];
    while (i < out.size() && out[i] == u) ++i;
    while (k < in.size() && in[k] == u) ++k;
    if (u != self) f(u, static_cast<std::uint8_t>(from_out + from_in));
  }
}

}  // namespace

ForwardLists::ForwardLists(const Graph& graph)
    : graph_(graph),
      active_(static_cast<std::size_t>(graph.active())),
      degree_(static_cast<std::size_t>(graph.locals())),
      begin_(active_ + 1) {
  count_neighbours();
  list_higher();
}

template <class F>
void ForwardLists::for_masters(F&& f) {
  graph_.world().team().for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) f(v);
  });
}

// Counts the neighbours of masters and broadcasts them to mirrors.
void ForwardLists::count_neighbours() {
  for_masters([&](std::size_t v) {
    Local degree = 0;
    for_neighbours(graph_, static_cast<Local>(v), [&](Local, std::uint8_t) { ++degree; });
    degree_[v] = degree;
  });
  broadcast_to_mirrors(graph_, std::span<Local>(degree_.data(), degree_.size()));
}

// Ties are broken by id, which is the same on all ranks.
bool ForwardLists::is_above(Local u, Local v) const {
  const Local a = degree(u), b = degree(v);
  return a != b ? a > b : graph_.id_of(u) < graph_.id_of(v);
}

void ForwardLists::list_higher() {
  begin_[0] = 0;
  for_masters([&](std::size_t v) {
    Edge higher = 0;
    for_neighbours(graph_, static_cast<Local>(v),
                   [&](Local u, std::uint8_t) { higher += is_above(u, static_cast<Local>(v)); });
    begin_[v + 1] = higher;
  });
  for (std::size_t v = 0; v < active_; ++v) begin_[v + 1] += begin_[v];
  targets_ = Array<Local>(static_cast<std::size_t>(begin_[active_]));
  if (graph_.directed()) directions_ = Array<std::uint8_t>(targets_.size());
  for_masters([&](std::size_t v) {
    auto at = static_cast<std::size_t>(begin_[v]);
    for_neighbours(graph_, static_cast<Local>(v), [&](Local u, std::uint8_t directions) {
      if (!is_above(u, static_cast<Local>(v))) return;
      if (graph_.directed()) directions_[at] = directions;
      targets_[at++] = u;
    });
  });
}

}  // namespace atl
