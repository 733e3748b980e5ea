// SPDX-License-Identifier: Apache-2.0
// Algorithms that answer with a value for each vertex.
#include <atoll/algorithms/betweenness/betweenness.hpp>
#include <atoll/algorithms/components/components.hpp>
#include <atoll/algorithms/kcore/coreness.hpp>
#include <atoll/algorithms/label_propagation/label_propagation.hpp>
#include <atoll/algorithms/pagerank/pagerank.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/algorithms/sssp/whole_weights.hpp>
#include <atoll/algorithms/triangles/clustering_coefficient.hpp>
#include <atoll/base/timer.hpp>

#include "bindings.hpp"

namespace atl::python {
namespace {

// Makes the algorithm's layouts, runs it, and times both.
template <class Made, class Result, class Make, class Run>
std::pair<double, double> timed(SharedGraph& g, Result& result, Make&& make, Run&& run) {
  return g.world->call([&](World&) {
    Timer timer;
    const std::unique_ptr<Made> made = make();
    const double prepare = timer.lap();
    run(*made, result);
    return std::pair(prepare, timer.lap());
  });
}

nb::dict with_seconds(std::pair<double, double> seconds) {
  nb::dict out;
  out["prepare_seconds"] = seconds.first;
  out["seconds"] = seconds.second;
  return out;
}

template <class Real>
nb::dict pagerank_of(SharedGraph& g, double damping, std::optional<double> tolerance, int max_iterations, bool spread,
                     const std::vector<double>& personalisation) {
  PageRankResult<Real> result;
  const PageRankOptions options{.damping = damping,
                                .tolerance = tolerance,
                                .max_iterations = max_iterations,
                                .dangling = spread ? Dangling::spread : Dangling::ignore,
                                .personalisation = personalisation};
  nb::dict out = with_seconds(timed<PageRank<Real>>(
      g, result, [&] { return std::make_unique<PageRank<Real>>(g.graph); },
      [&](PageRank<Real>& pagerank, PageRankResult<Real>& r) { pagerank.run(options, r); }));
  out["score"] = to_numpy(std::move(result.score));
  out["iterations"] = result.iterations;
  out["change"] = result.change;
  out["converged"] = result.converged;
  return out;
}

nb::dict pagerank(SharedGraph& g, double damping, std::optional<double> tolerance, int max_iterations, bool spread,
                  const std::vector<double>& personalisation, bool narrow) {
  return narrow ? pagerank_of<float>(g, damping, tolerance, max_iterations, spread, personalisation)
                : pagerank_of<double>(g, damping, tolerance, max_iterations, spread, personalisation);
}

nb::dict components(SharedGraph& g) {
  ComponentsResult result;
  nb::dict out = with_seconds(timed<Components>(
      g, result, [&] { return std::make_unique<Components>(g.graph); },
      [](Components& components, ComponentsResult& r) { components.run(r); }));
  out["component"] = to_numpy(std::move(result.component));
  out["components"] = result.components;
  return out;
}

template <class Real>
nb::dict paths_of(SharedGraph& g, Vertex source, std::optional<double> delta) {
  SsspResult<Real> result;
  nb::dict out = with_seconds(timed<Sssp<Real>>(
      g, result, [&] { return std::make_unique<Sssp<Real>>(g.graph, SsspOptions{.delta = delta}); },
      [&](Sssp<Real>& sssp, SsspResult<Real>& r) { sssp.run(source, r); }));
  out["distance"] = to_numpy(std::move(result.distance));
  out["parent"] = to_numpy(std::move(result.parent));
  out["reached"] = result.reached;
  return out;
}

nb::dict sssp(SharedGraph& g, Vertex source, std::optional<double> delta) {
  const bool wide = g.world->call([&](World&) { return needs_double_sums(g.graph); });
  return wide ? paths_of<double>(g, source, delta) : paths_of<float>(g, source, delta);
}

nb::dict betweenness(SharedGraph& g, const std::vector<Vertex>& sources, bool weighted) {
  BetweennessResult result;
  nb::dict out = with_seconds(timed<Betweenness>(
      g, result,
      [&] { return std::make_unique<Betweenness>(g.graph, weighted ? PathLength::weights : PathLength::edges); },
      [&](Betweenness& betweenness, BetweennessResult& r) { betweenness.run(sources, r); }));
  out["score"] = to_numpy(std::move(result.score));
  return out;
}

nb::dict label_propagation(SharedGraph& g, int iterations) {
  LabelPropagationResult result;
  nb::dict out = with_seconds(timed<LabelPropagation>(
      g, result, [&] { return std::make_unique<LabelPropagation>(g.graph); },
      [&](LabelPropagation& propagation, LabelPropagationResult& r) {
        propagation.run({.iterations = iterations}, r);
      }));
  out["label"] = to_numpy(std::move(result.label));
  out["iterations"] = result.iterations;
  out["changed"] = result.changed;
  return out;
}

nb::dict core_numbers(SharedGraph& g) {
  CorenessResult result = g.world->call([&](World&) { return coreness(g.graph); });
  nb::dict out;
  out["core"] = to_numpy(std::move(result.core));
  out["degeneracy"] = result.degeneracy;
  return out;
}

nb::dict clustering(SharedGraph& g) {
  ClusteringResult result = g.world->call([&](World&) { return clustering_coefficient(g.graph); });
  nb::dict out;
  out["coefficient"] = to_numpy(std::move(result.coefficient));
  out["triangles"] = to_numpy(std::move(result.triangles));
  out["total"] = result.total;
  return out;
}

}  // namespace

void bind_values(nb::module_& m) {
  using namespace nb::literals;
  m.def("pagerank", &pagerank, "graph"_a, "damping"_a, "tolerance"_a.none(), "max_iterations"_a, "spread"_a,
        "personalisation"_a, "narrow"_a);
  m.def("components", &components, "graph"_a);
  m.def("sssp", &sssp, "graph"_a, "source"_a, "delta"_a.none());
  m.def("betweenness", &betweenness, "graph"_a, "sources"_a, "weighted"_a);
  m.def("label_propagation", &label_propagation, "graph"_a, "iterations"_a);
  m.def("core_numbers", &core_numbers, "graph"_a);
  m.def("clustering", &clustering, "graph"_a);
}

}  // namespace atl::python
