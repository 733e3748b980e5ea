// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/communities/communities.hpp>
#include <atoll/verify/dense.hpp>
#include <atoll/verify/flood.hpp>
#include <atoll/verify/violations.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kCommunitiesGrain = 1024;
// Beyond what rounding makes of sums in another order, and of moves that gain too little to be made.
constexpr double kModularityTolerance = 1e-9;

// Rule 1: a label that is no vertex, or one of another community, goes to whom it names.
void check_names(const Graph& graph, std::span<const Vertex> label, Violations& violations) {
  World& world = graph.world();
  std::vector<Vertex> names(label.begin(), label.end());
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  const Array<Vertex> dense = dense_of(world, graph.ids(), names);
  std::vector<std::vector<Vertex>> asked(static_cast<std::size_t>(world.size()));
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (dense[i] < 0) {
      violations.note({.rule = 1, .a = names[i], .p = names[i], .q = 1});
    } else {
      asked[static_cast<std::size_t>(graph.blocks().owner(dense[i]))].push_back(dense[i]);
    }
  }
  const Vertex begin = graph.blocks().begin(world.rank());
  for (const auto& list : world.exchange(std::move(asked)))
    for (const Vertex d : list)
      if (const Vertex k = d - begin, id = graph.id_of(graph.local_of(k)); label[index(k)] != id)
        violations.note({.rule = 1, .a = id, .p = label[index(k)], .q = 2});
}

}  // namespace

Verdict verify_communities(const Graph& graph, std::span<const Vertex> label, const CommunitiesClaim& claim) {
  const CommunityWeightTable table(graph, label, claim.weighting);
  const std::span<const Vertex> labels = table.labels();
  World& world = graph.world();
  Violations violations(world);
  const auto for_masters = [&](auto&& f) {
    world.team().for_range(index(graph.owned()), kCommunitiesGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) f(static_cast<Local>(v));
    });
  };
  for_masters([&](Local v) {
    const Vertex id = graph.id_of(v), mine = labels[index(v)];
    if (mine < 0 || mine > id) violations.note({.rule = 1, .a = id, .p = mine, .q = 0});
  });
  check_names(graph, label, violations);
  Violation b = violations.first();
  if (b.rule == 1 && b.q == 0)
    return {false,
            fmt::format("rule 1: vertex {} has the label {} (the smallest id of its community is at most its own)", b.a,
                        b.p)};
  if (b.rule == 1 && b.q == 1)
    return {false, fmt::format("rule 1: a vertex has the label {}, which is no vertex", b.p)};
  if (b.rule == 1)
    return {false,
            fmt::format("rule 1: a vertex has the label {}, but vertex {} itself has the label {}", b.a, b.a, b.p)};

  const double modularity = table.modularity(claim.resolution);
  if (claim.modularity && !(std::abs(*claim.modularity - modularity) <= kModularityTolerance))
    return {false, fmt::format("rule 2: the modularity is said to be {} (it is {})", *claim.modularity, modularity)};

  if (claim.connected) {
    VertexBits joined(graph.locals());
    for (Local v = 0; v < graph.owned(); ++v)
      if (labels[index(v)] == graph.id_of(v)) joined.set_unsynchronized(v);
    flood(graph, joined, [&](Local v, auto&& mark) {
      for (const Local u : graph.out().neighbours(v))
        if (labels[index(u)] == labels[index(v)]) mark(u);
    });
    for_masters([&](Local v) {
      if (!joined.test(v)) violations.note({.rule = 3, .a = graph.id_of(v), .p = labels[index(v)]});
    });
    b = violations.first();
    if (b.rule == 3)
      return {false,
              fmt::format("rule 3: vertex {} is in the community {}, but no path inside it joins it and vertex {}", b.a,
                          b.p, b.p)};
  }

  if (const auto pair = table.best_union(claim.resolution); pair.gain > kModularityTolerance)
    return {false, fmt::format("rule 4: the communities {} and {} together have a modularity that is {:.3g} greater",
                               pair.a, pair.b, pair.gain)};
  return {};
}

}  // namespace atl
