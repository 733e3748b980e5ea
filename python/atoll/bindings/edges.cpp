// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>

#include "bindings.hpp"

/// The edges of a graph, given back: all of this rank, those of one vertex, and how many each vertex has.
namespace atl::python {
namespace {

constexpr std::size_t kVertices = 1024;

const Csr& lists_of(const Graph& graph, bool entering) { return entering ? graph.in() : graph.out(); }

// (source, target, weight or None) of this rank's edges, in the order of its lists: parallel ones lie side by side. Of
// an undirected edge the end with the lesser id is the source, where both are here. Not collective.
nb::tuple edges_of(const SharedGraph& g) {
  const Graph& graph = g.graph;
  const Csr& out = graph.out();
  Array<Vertex> source, target;
  nb::object weight = nb::none();
  g.world->call([&](World& world) {
    std::size_t count = 0;
    const auto each = [&](auto&& f) {
      for (Local v = 0; v < graph.active(); ++v) {
        if (v % 4096 == 0) world.team().cancellation_point();
        const Vertex from = graph.id_of(v);
        for (Edge e = out.offsets[v]; e < out.offsets[static_cast<std::size_t>(v) + 1]; ++e) {
          const Vertex to = graph.id_of(out.targets[e]);
          if (graph.directed() || from <= to) f(from, to, static_cast<std::size_t>(e));
        }
      }
    };
    each([&](Vertex, Vertex, std::size_t) { ++count; });
    source = Array<Vertex>(count);
    target = Array<Vertex>(count);
    count = 0;
    each([&](Vertex from, Vertex to, std::size_t) {
      source[count] = from;
      target[count++] = to;
    });
    std::visit(
        [&]<class Column>(const Column& column) {
          if constexpr (!std::is_same_v<Column, std::monostate>) {
            Column kept(count);
            std::size_t k = 0;
            each([&](Vertex, Vertex, std::size_t e) { kept[k++] = column[e]; });
            nb::gil_scoped_acquire hold;
            weight = nb::cast(to_numpy(std::move(kept)));
          }
        },
        out.weights);
  });
  return nb::make_tuple(to_numpy(std::move(source)), to_numpy(std::move(target)), weight);
}

// Each edge counts once at each of its ends: an undirected self-loop twice.
Edge degree_of(const Graph& graph, Local v, const Csr& lists) {
  Edge degree = lists.degree(v);
  if (!graph.directed())
    for (const Local u : lists.neighbours(v)) degree += u == v ? 1 : 0;
  return degree;
}

// Returns an array of this rank's vertices, by owned index. Not collective.
Numpy<Edge> degrees_of(const SharedGraph& g, bool entering) {
  Array<Edge> degrees(static_cast<std::size_t>(g.graph.owned()));
  g.world->call([&](World& world) {
    const Csr& lists = lists_of(g.graph, entering);
    world.team().for_range(degrees.size(), kVertices, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t k = a; k < b; ++k)
        degrees[k] = degree_of(g.graph, g.graph.local_of(static_cast<Vertex>(k)), lists);
    });
  });
  return to_numpy(std::move(degrees));
}

// Returns the sum of the weights of each of this rank's vertices, by owned index; an undirected self-loop counts twice.
// Without weights each edge has 1. Not collective.
Numpy<double> strengths_of(const SharedGraph& g, bool entering) {
  Array<double> strengths(static_cast<std::size_t>(g.graph.owned()));
  g.world->call([&](World& world) {
    const Csr& lists = lists_of(g.graph, entering);
    world.team().for_range(strengths.size(), kVertices, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t k = a; k < b; ++k) {
        const Local v = g.graph.local_of(static_cast<Vertex>(k));
        double sum = 0;
        lists.for_edges(v, [&](Local u, auto weight) { sum += (u == v && !g.graph.directed() ? 2.0 : 1.0) * weight; });
        strengths[k] = sum;
      }
    });
  });
  return to_numpy(std::move(strengths));
}

// Original ids of the list of one vertex, ascending, on every rank; of parallel edges each. With their weights, 1 where
// the graph has none, or without (None). Collective; InputError where there is no such vertex.
nb::tuple neighbours_of(const SharedGraph& g, Vertex id, bool entering, bool weighted) {
  Array<Vertex> ids;
  Array<double> weights;
  g.world->call([&](World& world) {
    const auto [owner, owned_index] = g.graph.find(id);
    std::vector<std::pair<Vertex, double>> list;
    if (owner == world.rank()) {
      const Csr& lists = lists_of(g.graph, entering);
      const Local v = g.graph.local_of(owned_index);
      list.reserve(static_cast<std::size_t>(lists.degree(v)));
      lists.for_edges(v, [&](Local u, auto weight) { list.emplace_back(g.graph.id_of(u), weight); });
      std::sort(list.begin(), list.end());
    }
    auto size = static_cast<Vertex>(list.size());
    world.broadcast(std::span(&size, 1), owner);
    ids = Array<Vertex>(static_cast<std::size_t>(size));
    weights = Array<double>(weighted ? ids.size() : 0);
    for (std::size_t k = 0; k < list.size(); ++k) {
      ids[k] = list[k].first;
      if (weighted) weights[k] = list[k].second;
    }
    world.broadcast(std::span(ids.data(), ids.size()), owner);
    if (weighted) world.broadcast(std::span(weights.data(), weights.size()), owner);
  });
  nb::object found = nb::none();
  if (weighted) found = nb::cast(to_numpy(std::move(weights)));
  return nb::make_tuple(to_numpy(std::move(ids)), found);
}

}  // namespace

void bind_edges(nb::class_<SharedGraph>& graph) {
  using namespace nb::literals;
  graph.def("edges", &edges_of)
      .def("degrees", &degrees_of, "entering"_a)
      .def("strengths", &strengths_of, "entering"_a)
      .def("neighbours", &neighbours_of, "id"_a, "entering"_a, "weighted"_a);
}

}  // namespace atl::python
