// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/isa/isa.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/graph/graph.hpp>
#include <map>
#include <string>
#include <vector>

#include "graph/cases.hpp"
#include "shapes.hpp"

/// The graphs on which one-rank algorithms are tested, with their edges in the form of a naive oracle.
namespace samples {

using namespace atl;

struct Arc {
  Vertex from, to;  // owned indices
  double weight;
};

struct Sample {
  cases::Case edges;
  bool directed;
  Duplicates duplicates;

  /// Owned indices: each undirected edge in both directions, a loop once; the smallest weight of merged multi-edges.
  std::vector<Arc> arcs() const {
    const auto ids = edges.ids();
    auto index_of = [&](Vertex id) { return std::lower_bound(ids.begin(), ids.end(), id) - ids.begin(); };
    std::vector<Arc> list;
    std::map<std::pair<Vertex, Vertex>, double> merged;
    for (std::size_t i = 0; i < edges.edges.size(); ++i) {
      const Arc arc{index_of(edges.edges[i].first), index_of(edges.edges[i].second), edges.weight(i)};
      const Arc back{arc.to, arc.from, arc.weight};
      for (const Arc& a : {arc, back}) {
        list.push_back(a);
        const auto [at, fresh] = merged.try_emplace({a.from, a.to}, a.weight);
        if (!fresh) at->second = std::min(at->second, a.weight);
        if (directed || arc.from == arc.to) break;
      }
    }
    if (duplicates == Duplicates::keep) return list;
    list.clear();
    for (const auto& [ends, weight] : merged) list.push_back({ends.first, ends.second, weight});
    return list;
  }
  std::size_t vertices() const { return edges.ids().size(); }
};

inline cases::Case from_text(const std::string& text) {
  Plan plan;
  plan.threads = 1;
  const auto world = World::alone(plan);
  const EdgeList list = generate(*world, text);
  cases::Case c{text, {}, list.range, {}};
  std::visit(
      [&](const auto& source) {
        const auto& target = std::get<std::decay_t<decltype(source)>>(list.target);
        for (std::size_t i = 0; i < source.size(); ++i)
          c.edges.emplace_back(static_cast<Vertex>(source[i]), static_cast<Vertex>(target[i]));
      },
      list.source);
  return c;
}

/// The instruction sets of this processor, for algorithms that choose kernels.
inline std::vector<Isa> every_isa() {
  std::vector<Isa> list;
  for (const Isa isa : {Isa::portable, Isa::avx2, Isa::avx512})
    if (isa <= machine_isa()) list.push_back(isa);
  return list;
}

/// Calls f(sample, graph) for all graphs, directed and not, with multi-edges kept and merged, on 1 to 3 threads
/// (sanitizers: a sixth of the combinations).
template <class F>
void for_each(cases::Weight weight, const std::vector<Isa>& isas, F&& f) {
  std::vector<cases::Case> list = cases::all();
  for (const char* text :
       {"kron:5", "kron:9", "kron:11:4", "uniform:8:2", "uniform:9:8", "grid:17x9", "star:300", "path:90"})
    list.push_back(from_text(text));
  list.push_back({"no vertex", {}, IdRange{0, 0}, {}});
  std::uint64_t variant = 0;
  for (const auto& c : list)
    for (const bool directed : {false, true})
      for (const Duplicates duplicates : {Duplicates::merge_min, Duplicates::keep})
        for (const int threads : {1, 2, 3})
          for (const Isa isa : isas) {
            if (shapes::kSanitized && random_at(5, ++variant) % 12 != 0) continue;
            const shapes::WithIsa with_isa{std::string(name_of(isa))};
            const Sample sample{c, directed, duplicates};
            Plan plan;
            plan.threads = threads;
            const auto world = World::alone(plan);
            const Graph graph = Graph::build(
                *world, cases::slice(c, directed, weight, c.ids().empty(), 0, 1, cases::Distribution::spread),
                {.duplicates = duplicates});
            CAPTURE(c.name);
            CAPTURE(directed);
            CAPTURE(threads);
            CAPTURE(name_of(isa));
            CAPTURE(static_cast<int>(duplicates));
            f(sample, graph);
          }
}

// The smallest id of each vertex's component, by propagating it along edges until nothing changes.
inline std::vector<Vertex> least_ids(const Sample& sample) {
  std::vector<Vertex> label = sample.edges.ids();
  const auto arcs = sample.arcs();
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto& a : arcs) {
      Vertex &x = label[static_cast<std::size_t>(a.from)], &y = label[static_cast<std::size_t>(a.to)];
      changed |= x != y;
      x = y = std::min(x, y);
    }
  }
  return label;
}

}  // namespace samples
