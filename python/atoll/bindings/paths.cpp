// SPDX-License-Identifier: Apache-2.0
// The shortest simple paths of a pair, one after the other; cycles.
#include <atoll/algorithms/bellman_ford/bellman_ford.hpp>
#include <atoll/algorithms/topological_order/topological_order.hpp>
#include <atoll/apsp/queries/pair_paths.hpp>

#include "bindings.hpp"

namespace atl::python {
namespace {

/// The paths of one pair. The arcs that it refers to are its own, the threads are the World's.
struct SharedPairPaths {
  std::shared_ptr<SharedWorld> world;
  PairPaths::Sequence paths;
};

Numpy<Vertex> array_of(const std::vector<Vertex>& list) {
  Array<Vertex> values(list.size());
  std::copy(list.begin(), list.end(), values.begin());
  return to_numpy(std::move(values));
}

SharedPairPaths paths_of_pair(SharedGraph& g, Vertex source, Vertex target, bool weighted) {
  return g.world->call([&](World& world) {
    auto& kept = g.pair_paths[weighted ? 1 : 0];
    if (world.any(kept == nullptr))
      kept = std::make_unique<PairPaths>(g.graph, weighted ? PathLength::weights : PathLength::edges);
    return SharedPairPaths{g.world, kept->between(source, target)};
  });
}

// (length, vertices), or None where there is no further one, or no further one as short as the first.
nb::object next_path(SharedPairPaths& shared, bool shortest) {
  std::optional<PairPaths::Path> path = shared.world->call([&](World& world) {
    const auto keep_on = [&] {
      world.team().cancellation_point();
      return true;
    };
    return shortest ? shared.paths.next_shortest(keep_on) : shared.paths.next(keep_on);
  });
  if (!path) return nb::none();
  return nb::make_tuple(path->length, array_of(path->vertices));
}

// Original ids along the cycle; empty where there is none.
Numpy<Vertex> negative_cycle(SharedGraph& g, std::optional<Vertex> source) {
  return array_of(g.world->call([&](World&) { return BellmanFord(g.graph).negative_cycle(source); }));
}

Numpy<Vertex> directed_cycle(SharedGraph& g) {
  return array_of(g.world->call([&](World&) {
    TopologicalOrder order(g.graph);
    TopologicalResult result;
    order.run(result);
    return order.cycle();
  }));
}

}  // namespace

void bind_paths(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<SharedPairPaths>(m, "PairPaths").def("next", &next_path, "shortest"_a);
  m.def("directed_cycle", &directed_cycle, "graph"_a);
  m.def("negative_cycle", &negative_cycle, "graph"_a, "source"_a.none());
  m.def("pair_paths", &paths_of_pair, "graph"_a, "source"_a, "target"_a, "weighted"_a);
}

}  // namespace atl::python
