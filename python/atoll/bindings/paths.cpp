// SPDX-License-Identifier: Apache-2.0
// The shortest simple paths of a pair, one after the other; cycles; flows; sums over paths.
#include <atoll/algorithms/bellman_ford/bellman_ford.hpp>
#include <atoll/algorithms/betweenness/edge_betweenness.hpp>
#include <atoll/algorithms/maximum_flow/maximum_flow.hpp>
#include <atoll/algorithms/point_to_point/plane_bounds.hpp>
#include <atoll/algorithms/topological_order/topological_order.hpp>
#include <atoll/apsp/queries/pair_paths.hpp>
#include <atoll/apsp/queries/row_summaries.hpp>
#include <atoll/base/timer.hpp>

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

using Ids = nb::ndarray<const Vertex, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

nb::dict edge_betweenness(SharedGraph& g, const Ids& sources, bool weighted, const nb::object& on_progress) {
  const Progress progress = progress_of(on_progress);
  EdgeBetweennessResult result;
  double prepare_seconds = 0, seconds = 0;
  g.world->call([&](World&) {
    Timer timer;
    EdgeBetweenness betweenness(g.graph, weighted ? PathLength::weights : PathLength::edges);
    prepare_seconds = timer.lap();
    betweenness.run({sources.data(), sources.size()}, result, progress);
    seconds = timer.lap();
  });
  nb::dict out;
  out["source"] = to_numpy(std::move(result.source));
  out["target"] = to_numpy(std::move(result.target));
  out["score"] = to_numpy(std::move(result.score));
  out["prepare_seconds"] = prepare_seconds;
  out["seconds"] = seconds;
  return out;
}

nb::dict flow_between(SharedGraph& g, Vertex source, Vertex target) {
  MaximumFlow found;
  double seconds = 0;
  g.world->call([&](World&) {
    Timer timer;
    found = maximum_flow(g.graph, source, target);
    seconds = timer.lap();
  });
  nb::dict out;
  out["value"] = found.value;
  out["source"] = to_numpy(std::move(found.source));
  out["target"] = to_numpy(std::move(found.target));
  out["flow"] = to_numpy(std::move(found.flow));
  out["target_side"] = array_of(found.target_side);
  out["seconds"] = seconds;
  return out;
}

nb::dict summarize(SharedGraph& g, bool to_vertex, const nb::object& on_progress) {
  const Progress progress = progress_of(on_progress);
  RowSummaries found = g.world->call([&](World&) {
    return summarize_rows(g.graph, to_vertex ? PathsLead::to_vertex : PathsLead::from_vertex, progress);
  });
  nb::dict out;
  out["farness"] = to_numpy(std::move(found.farness));
  out["harmonic"] = to_numpy(std::move(found.harmonic));
  out["greatest"] = to_numpy(std::move(found.greatest));
  out["reached"] = to_numpy(std::move(found.reached));
  return out;
}

using Coordinates = nb::ndarray<const double, nb::shape<-1, 2>, nb::c_contig, nb::device::cpu>;

// The search of this graph, made if there is none, or none by these coordinates. Collective.
std::unique_ptr<PathSearch>& path_search(SharedGraph& g, World& world, PathLength length,
                                         const std::optional<std::span<const double>>& coordinates,
                                         double& prepare_seconds) {
  const int which = static_cast<int>(length);
  Timer timer;
  if (!coordinates) {
    auto& search = g.path_searches[which];
    if (world.any(search == nullptr)) {
      search = std::make_unique<PathSearch>(g.graph, length);
      prepare_seconds = timer.lap();
    }
    return search;
  }
  auto& [known, search] = g.guided_searches[which];
  if (world.any(search == nullptr || !std::ranges::equal(known, *coordinates))) {
    search.reset();
    known.assign(coordinates->begin(), coordinates->end());
    PlaneCoordinates plane{Array<double>(known.size() / 2), Array<double>(known.size() / 2)};
    for (std::size_t k = 0; 2 * k < known.size(); ++k) {
      plane.x[k] = known[2 * k];
      plane.y[k] = known[2 * k + 1];
    }
    search = std::make_unique<PathSearch>(g.graph, length, &plane);
    prepare_seconds = timer.lap();
  }
  return search;
}

nb::dict shortest_path(SharedGraph& g, Vertex source, Vertex target, bool weighted,
                       const std::optional<Coordinates>& coordinates) {
  std::optional<std::span<const double>> rows;
  if (coordinates) rows.emplace(coordinates->data(), coordinates->size());
  VertexPath path;
  double prepare_seconds = 0, seconds = 0;
  g.world->call([&](World& world) {
    const PathLength length = weighted ? PathLength::weights : PathLength::edges;
    auto& search = path_search(g, world, length, rows, prepare_seconds);
    Timer timer;
    try {
      path = search->run(source, target);
    } catch (...) {
      search.reset();  // left in the midst
      throw;
    }
    seconds = timer.lap();
  });
  Array<Vertex> vertices(path.vertices.size());
  std::copy(path.vertices.begin(), path.vertices.end(), vertices.begin());
  nb::dict out;
  out["vertices"] = to_numpy(std::move(vertices));
  out["length"] = path.length;
  out["visited"] = path.visited;
  out["prepare_seconds"] = prepare_seconds;
  out["seconds"] = seconds;
  return out;
}

}  // namespace

void bind_paths(nb::module_& m) {
  using namespace nb::literals;
  nb::class_<SharedPairPaths>(m, "PairPaths").def("next", &next_path, "shortest"_a);
  m.def("directed_cycle", &directed_cycle, "graph"_a);
  m.def("edge_betweenness", &edge_betweenness, "graph"_a, "sources"_a.noconvert(), "weighted"_a, "progress"_a.none());
  m.def("maximum_flow", &flow_between, "graph"_a, "source"_a, "target"_a);
  m.def("negative_cycle", &negative_cycle, "graph"_a, "source"_a.none());
  m.def("shortest_path", &shortest_path, "graph"_a, "source"_a, "target"_a, "weighted"_a,
        "coordinates"_a.noconvert().none());
  m.def("summarize_rows", &summarize, "graph"_a, "to_vertex"_a, "progress"_a.none());
  m.def("pair_paths", &paths_of_pair, "graph"_a, "source"_a, "target"_a, "weighted"_a);
}

}  // namespace atl::python
