// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/base/random.hpp>
#include <atoll/matrix/matrix.hpp>
#include <atoll/runtime/plan.hpp>
#include <string>
#include <vector>

#include "apsp/random_arcs.hpp"
#include "reference/apsp.hpp"

/// Small graphs with difficult properties for paths: loops, parallel arcs, weights of 0, trees, cycles, several
/// components.
namespace samples {

using namespace atl;

/// One thread a rank, and a limit that a rank which waits for nothing meets before CTest's.
inline Plan quiet_plan() {
  Plan plan;
  plan.threads = 1;
  plan.timeout_seconds = 120;
  return plan;
}

/// The same with weights as read from a file.
template <class T>
ReplicatedCsr<double> as_read(const ReplicatedCsr<T>& arcs) {
  std::vector<Arc<double>> list;
  for (Vertex v = 0; v < arcs.vertices(); ++v)
    for (std::size_t k = 0; k < arcs.heads_of(v).size(); ++k)
      list.push_back({static_cast<Local>(v), arcs.heads_of(v)[k], static_cast<double>(arcs.weights_of(v)[k])});
  ReplicatedCsr<double> out = make_arcs<double>(arcs.ids, true, list, arcs.name);
  out.directed = arcs.directed;
  return out;
}

template <class T>
struct Sample {
  std::string name;
  std::size_t n = 0;
  bool directed = false;
  std::vector<Arc<T>> arcs;

  ReplicatedCsr<T> build() const {
    std::vector<Vertex> ids;
    for (std::size_t v = 0; v < n; ++v) ids.push_back(static_cast<Vertex>(10 + 3 * v));
    return make_arcs<T>(std::move(ids), directed, arcs, name);
  }
  reference::Square<T> distances() const { return *reference::floyd_warshall(n, arcs, directed); }
  Matrix<T> matrix() const {
    const auto square = distances();
    Matrix<T> d(static_cast<std::int64_t>(n), static_cast<std::int64_t>(n));
    for (std::size_t i = 0; i < n; ++i)
      std::copy(square[i].begin(), square[i].end(), d.view().row(static_cast<std::int64_t>(i)).begin());
    return d;
  }
};

/// Weights are whole numbers of [least, least + kinds), for floats in quarters, so that sums are exact in any order.
template <class T>
T weight(Random& random, int least, int kinds) {
  const int w = least + static_cast<int>(random.below(static_cast<std::uint64_t>(kinds)));
  return std::is_floating_point_v<T> ? static_cast<T>(w) / 4 : static_cast<T>(w);
}

template <class T>
Sample<T> random_graph(std::size_t n, std::size_t m, bool directed, int least, int kinds, std::uint64_t seed) {
  Sample<T> s{"random " + std::to_string(n) + " " + std::to_string(m), n, directed, {}};
  Random random(seed);
  s.arcs = random_arcs(random, n, m, [&](Local, Local) { return weight<T>(random, least, kinds); });
  return s;
}

/// A graph of `core` vertices with pendant trees, shuffled; if directed, some arcs have only one direction.
template <class T>
Sample<T> with_trees(std::size_t core, std::size_t n, bool directed, std::uint64_t seed) {
  Sample<T> s = random_graph<T>(n, 0, directed, 0, 1, seed);
  s.name = "trees on " + std::to_string(core);
  Random random(seed);
  std::vector<Local> order;
  for (std::size_t v = 0; v < n; ++v) order.push_back(static_cast<Local>(v));
  for (std::size_t v = n; v-- > 1;) std::swap(order[v], order[random.below(v + 1)]);
  for (std::size_t e = 0; e < 3 * core; ++e)
    s.arcs.push_back({order[random.below(core)], order[random.below(core)], weight<T>(random, 0, 9)});
  for (std::size_t v = core; v < n; ++v) {
    const Local anchor = order[random.below(v)];
    const std::uint64_t ways = directed ? 1 + random.below(3) : 1;
    if (ways & 1) s.arcs.push_back({anchor, order[v], weight<T>(random, 0, 9)});
    if (ways & 2) s.arcs.push_back({order[v], anchor, weight<T>(random, 0, 9)});
  }
  return s;
}

/// Negative arcs, but no negative cycle: nonnegative weights, moved by potentials.
template <class T>
Sample<T> with_negative_arcs(std::size_t n, std::size_t m, std::uint64_t seed) {
  Sample<T> s = random_graph<T>(n, m, true, 0, 9, seed);
  s.name = "negative " + std::to_string(n);
  std::vector<T> height;
  Random random(seed + 1);
  for (std::size_t v = 0; v < n; ++v) height.push_back(weight<T>(random, 0, 9));
  for (auto& a : s.arcs)
    a.weight =
        static_cast<T>(a.weight + height[static_cast<std::size_t>(a.head)] - height[static_cast<std::size_t>(a.tail)]);
  return s;
}

template <class T>
std::vector<Sample<T>> all() {
  std::vector<Sample<T>> list;
  for (const bool directed : {false, true}) {
    list.push_back({"one vertex", 1, directed, {}});
    list.push_back({"a loop", 1, directed, {{0, 0, T{2}}}});
    list.push_back({"two apart", 2, directed, {}});
    list.push_back({"one edge", 2, directed, {{1, 0, T{3}}}});
    list.push_back(
        {"parallel edges", 3, directed, {{0, 1, T{5}}, {0, 1, T{2}}, {1, 0, T{4}}, {1, 2, T{0}}, {2, 2, T{1}}}});
    Sample<T> path{"path", 40, directed, {}}, star{"star", 40, directed, {}}, cycle{"cycle", 40, directed, {}};
    Sample<T> far{"a path longer than some types reach", 80, directed, {}};
    for (Local v = 0; v + 1 < 40; ++v) path.arcs.push_back({v, static_cast<Local>(v + 1), static_cast<T>(v % 5)});
    for (Local v = 0; v + 1 < 80; ++v) far.arcs.push_back({v, static_cast<Local>(v + 1), static_cast<T>(100)});
    for (Local v = 0; v < 40; ++v)
      if (v != 17)
        star.arcs.push_back(
            {static_cast<Local>(v % 2 ? 17 : v), static_cast<Local>(v % 2 ? v : 17), static_cast<T>(v % 7)});
    for (Local v = 0; v < 40; ++v) cycle.arcs.push_back({v, static_cast<Local>((v + 1) % 40), static_cast<T>(v % 3)});
    list.push_back(path), list.push_back(star), list.push_back(cycle), list.push_back(far);
    for (const std::size_t n : {2, 3, 4, 5, 7, 8, 15, 16, 17, 33, 64, 65, 100}) {
      list.push_back(random_graph<T>(n, n / 2, directed, 0, 5, n));      // several components, with trees
      list.push_back(random_graph<T>(n, 2 * n, directed, 0, 3, n + 1));  // many weights of 0
      list.push_back(random_graph<T>(n, 2 * n, directed, 1, 9, n + 2));
      list.push_back(random_graph<T>(n, n * n / 2, directed, 1, 30, n + 3));  // dense
      list.push_back(random_graph<T>(n, 3 * n, directed, 4, 1, n + 4));       // all weights equal
    }
    list.push_back(random_graph<T>(60, 200, directed, 0, 1, 5));  // every path has length 0
    for (const std::size_t core : {1, 2, 5, 20, 60}) list.push_back(with_trees<T>(core, 90, directed, core));
  }
  if constexpr (!std::is_unsigned_v<T>)
    for (const std::size_t n : {2, 3, 10, 40, 90})
      for (const std::size_t times : {1, 3, 8}) list.push_back(with_negative_arcs<T>(n, times * n, n));
  return list;
}

}  // namespace samples
