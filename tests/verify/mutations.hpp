// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/job/launch.hpp>
#include <atoll/verify/verdict.hpp>

#include "algorithms/local_samples.hpp"

/// Runs a check on correct and wrong answers on several set-ups of ranks: its verdict must be the same on all.
namespace mutations {

using namespace atl;
using samples::Sample;

struct Setup {
  Rank ranks;
  const char *domains, *route;
  Partition partition;
};

inline const std::vector<Setup> kSetups = {{1, "", "direct", Partition::blocked},
                                           {3, "", "direct", Partition::hashed},
                                           {5, "3+2", "domain", Partition::blocked}};

/// Values by ascending id, restricted to this rank's vertices.
template <class T>
Array<T> by_owned_index(const Graph& graph, const std::vector<Vertex>& ids, const std::vector<T>& by_id) {
  Array<T> values(static_cast<std::size_t>(graph.owned()));
  for (std::size_t k = 0; k < values.size(); ++k) {
    const Vertex id = graph.ids().id_of(static_cast<Vertex>(k));
    values[k] = by_id[static_cast<std::size_t>(std::lower_bound(ids.begin(), ids.end(), id) - ids.begin())];
  }
  return values;
}

template <class T>
std::span<const T> span(const Array<T>& a) {
  return {a.data(), a.size()};
}

/// The verdict of check(graph, answer) on each answer, given by ascending id, which must agree on every rank of every
/// machine.
template <class Answer, class F>
std::vector<std::string> said(const Sample& sample, cases::Weight weight, const std::vector<Answer>& answers,
                              F&& check) {
  std::vector<std::vector<std::string>> all;
  for (const Setup& m : kSetups) {
    Plan plan;
    plan.threads = m.ranks == 1 ? 2 : 1;
    plan.domains = m.domains;
    plan.route = m.route;
    std::vector<std::vector<std::string>> here(static_cast<std::size_t>(m.ranks));
    run_ranks(m.ranks, plan, [&](World& world) {
      const cases::Case& c = sample.edges;
      const Graph graph = Graph::build(world,
                                       cases::slice(c, sample.directed, weight, c.ids().empty(), world.rank(),
                                                    world.size(), cases::Distribution::spread),
                                       {.duplicates = sample.duplicates, .placement = {.partition = m.partition}});
      for (const Answer& answer : answers) {
        const Verdict verdict = check(graph, answer);
        CHECK(verdict.ok == verdict.what.empty());
        here[static_cast<std::size_t>(world.rank())].push_back(verdict.what);
      }
    });
    for (const auto& rank : here) CHECK(rank == here[0]);
    all.push_back(here[0]);
    CHECK(all.back() == all[0]);
  }
  return all[0];
}

/// The verdicts of verify(graph, values) on answers given by ascending id, over a graph without weights.
template <class T, class F>
std::vector<std::string> said_of(const Sample& s, const std::vector<std::vector<T>>& answers, F&& verify) {
  const auto ids = s.edges.ids();
  return said(s, cases::Weight::none, answers, [&](const Graph& graph, const std::vector<T>& answer) {
    const Array<T> values = by_owned_index(graph, ids, answer);
    return verify(graph, span(values));
  });
}

/// Calls f(sample) for all small graphs.
template <class F>
void for_each_sample(F&& f) {
  std::uint64_t variant = 0;
  for (const cases::Case& c : cases::all())
    for (const bool directed : {false, true}) {
      if (shapes::kSanitized && random_at(12, ++variant) % 3 != 0) continue;
      CAPTURE(c.name);
      CAPTURE(directed);
      f(Sample{c, directed, Duplicates::merge_min});
    }
}

/// The correct answer, followed by `wrong` ones that change(value, k) makes by changing it at one place each.
template <class T, class F>
std::vector<std::vector<T>> mutants(const std::vector<T>& right, std::size_t wrong, F&& change) {
  std::vector<std::vector<T>> all{right};
  for (std::size_t i = 0; i < wrong; ++i) {
    auto mutant = right;
    const std::size_t at = random_at(11, i) % right.size();
    mutant[at] = change(right[at], at, i);
    if (mutant != right) all.push_back(std::move(mutant));
  }
  return all;
}

/// Checks that the first answer passes and no other does.
inline void check_only_first_passes(const std::vector<std::string>& what) {
  REQUIRE(!what.empty());
  CHECK(what[0] == "");
  for (std::size_t i = 1; i < what.size(); ++i) {
    CAPTURE(i);
    CHECK(what[i] != "");
  }
}

/// Out-neighbours by index; those of both directions if the graph is undirected.
inline std::vector<std::vector<std::size_t>> lists(const Sample& s) {
  std::vector<std::vector<std::size_t>> out(s.vertices());
  for (const auto& a : s.arcs()) out[static_cast<std::size_t>(a.from)].push_back(static_cast<std::size_t>(a.to));
  return out;
}

/// Two triangles joined by an edge, and a separate edge.
inline Sample two_triangles() {
  return {{"two triangles", {{1, 2}, {2, 3}, {3, 1}, {3, 4}, {4, 5}, {5, 6}, {6, 4}, {8, 9}}, {}, {}},
          false,
          Duplicates::merge_min};
}

}  // namespace mutations
