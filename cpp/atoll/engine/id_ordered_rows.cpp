// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/engine/id_ordered_rows.hpp>
#include <atoll/runtime/world.hpp>
#include <cmath>
#include <vector>

namespace atl {
namespace {

constexpr std::size_t kRowGrain = 1 << 10;

struct Neighbour {
  Vertex id;
  double weight;
  Local local;
  bool operator<(const Neighbour& other) const { return id != other.id ? id < other.id : weight < other.weight; }
};

}  // namespace

void require_chances(const Graph& graph, const Csr& lists) {
  check(graph.weighted(),
        "{} has no weights (edges are to be drawn by their weights). Give edges with weights, or leave that out.",
        graph.name());
  graph.world().collective_try([&] {
    for (Local v = 0; v < graph.owned(); ++v)
      lists.for_edges(v, [&](Local u, auto weight) {
        check(weight >= 0 && std::isfinite(static_cast<double>(weight)),
              "{}: the edge between {} and {} has the weight {} (edges are drawn in proportion to weights that are "
              "finite and not negative). Correct it, or leave the weights out.",
              graph.name(), graph.id_of(v), graph.id_of(u), weight);
      });
  });
}

IdOrderedRows::IdOrderedRows(const Graph& graph, const Csr& lists, EdgeWeighting weighting)
    : lists_(lists), weighted_(weighting == EdgeWeighting::of_edges), targets_(lists.targets.size()) {
  if (weighted_) weights_ = Array<double>(lists.targets.size());
  Team& team = graph.world().team();
  std::vector<std::vector<Neighbour>> scratch(static_cast<std::size_t>(team.size()));
  team.for_range(index(graph.owned()), kRowGrain, [&](int thread, std::size_t a, std::size_t b) {
    std::vector<Neighbour>& row = scratch[static_cast<std::size_t>(thread)];
    for (std::size_t v = a; v < b; ++v) {
      row.clear();
      // On one rank all but the hubs, which come first, are in order already.
      std::size_t hubs = 0;
      const auto add = [&](Local u, auto weight) {
        row.push_back({graph.id_of(u), static_cast<double>(weight), u});
        hubs += u < graph.hubs();
      };
      lists.for_edges(static_cast<Local>(v), add);
      const auto rest = row.begin() + static_cast<std::ptrdiff_t>(hubs);
      std::sort(row.begin(), rest);
      if (!std::is_sorted(rest, row.end())) std::sort(rest, row.end());
      std::inplace_merge(row.begin(), rest, row.end());
      auto e = static_cast<std::size_t>(lists.offsets[v]);
      for (const Neighbour& neighbour : row) {
        targets_[e] = neighbour.local;
        if (weighted_) weights_[e] = neighbour.weight;
        ++e;
      }
    }
  });
}

}  // namespace atl
