// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/id_order.hpp>
#include <atoll/runtime/job/launch.hpp>

#include "local_samples.hpp"

/// The samples of local_samples.hpp over several ranks: every algorithm must find the same as on one.
namespace samples {

struct Spread {
  Rank ranks;
  const char* domains;
  const char* route;
  int threads;
  Partition partition;
  Cut cut = Cut::edge;
  Edge heavy = kHeavyDegree;
};

inline const std::vector<Spread> kSpreads = {{1, "", "direct", 2, Partition::blocked},
                                             {2, "", "direct", 2, Partition::blocked},
                                             {3, "", "direct", 1, Partition::hashed},
                                             {4, "2x2", "row", 2, Partition::balanced},
                                             {4, "3+1", "domain", 1, Partition::blocked},
                                             {5, "3+2", "aml", 1, Partition::hashed},
                                             {7, "4+1+2", "mst", 1, Partition::blocked},
                                             {8, "2x2x2", "auto", 1, Partition::balanced},
                                             {8, "2x4", "domain", 1, Partition::hierarchy},
                                             // Vertex-cuts.
                                             {2, "", "direct", 2, Partition::balanced, Cut::hybrid, 3},
                                             {3, "", "direct", 2, Partition::hashed, Cut::cartesian},
                                             {4, "2x2", "row", 2, Partition::balanced, Cut::cartesian},
                                             {4, "", "direct", 1, Partition::blocked, Cut::chosen},
                                             {5, "3+2", "domain", 1, Partition::hashed, Cut::hybrid, 6},
                                             {8, "", "direct", 1, Partition::balanced, Cut::cartesian},
                                             {8, "4+1+3", "mst", 1, Partition::hierarchy, Cut::hybrid, 10}};

/// Values in the order of owned indices, gathered from all ranks by ascending id. Collective.
template <class T>
std::vector<T> by_id(const Graph& graph, const Array<T>& by_owned_index) {
  const IdOrder order(graph.world(), graph.ids());
  const std::vector<T> here = order.arrange(std::span<const T>(by_owned_index.data(), by_owned_index.size()));
  return graph.world().all_gather_varying(std::span<const T>(here));
}

/// Calls f(sample, graph) on each rank of a spread, which may have `replicated_bytes` for what every rank would hold.
template <class F>
void on_spread(const Spread& spread, const Sample& sample, cases::Weight weight, F&& f,
               std::size_t replicated_bytes = Plan{}.replicated_bytes) {
  const cases::Case& c = sample.edges;
  Plan plan;
  plan.threads = spread.threads;
  plan.domains = spread.domains;
  plan.route = spread.route;
  plan.replicated_bytes = replicated_bytes;
  CAPTURE(c.name);
  CAPTURE(sample.directed);
  CAPTURE(spread.ranks);
  CAPTURE(spread.route);
  CAPTURE(static_cast<int>(spread.cut));
  CAPTURE(replicated_bytes);
  run_ranks(spread.ranks, plan, [&](World& world) {
    const Graph graph =
        Graph::build(world,
                     cases::slice(c, sample.directed, weight, c.ids().empty(), world.rank(), world.size(),
                                  cases::Distribution::spread),
                     {.placement = {.partition = spread.partition, .cut = spread.cut, .heavy = spread.heavy}});
    f(sample, graph);
  });
}

/// Calls f(sample, graph) on each rank.
template <class F>
void for_each_spread(cases::Weight weight, F&& f, double lightest = 0) {
  std::vector<cases::Case> list = cases::all();
  for (const char* text : {"kron:8", "uniform:8:3", "grid:11x9", "star:200", "path:60"})
    list.push_back(from_text(text));
  list.push_back({"no vertex", {}, IdRange{0, 0}, {}});
  for (cases::Case& c : list) c.lightest = lightest;
  std::uint64_t variant = 0, cut_variant = 0;
  for (const auto& c : list)
    for (const bool directed : {false, true})
      for (const Spread& spread : kSpreads) {
        if (shapes::kSanitized && random_at(6, ++variant) % 16 != 0) continue;
        if (spread.cut != Cut::edge && random_at(7, ++cut_variant) % 3 != 0)
          continue;  // all cuts, a third of the graphs
        on_spread(spread, Sample{c, directed, Duplicates::merge_min}, weight, f);
      }
}

}  // namespace samples
