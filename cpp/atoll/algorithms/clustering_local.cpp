// SPDX-License-Identifier: Apache-2.0
// Triangles by forward lists and marks [1]: each vertex lists its neighbours of higher degree; a vertex marks its list, and
// looks for marks in the lists of those on it.
//
//   in the paper        here              meaning
//   A(v)                forward_          neighbours above v in the order of (degree, number)
//   A, the array        Thread::mark      in how many directions an edge joins the vertex in hand and that one; 0: none
//
// Deviation: marks have the number of directions, for coefficients of directed graphs. Each thread has marks and counts of
// its own, so nothing is locked; hubs have the lowest numbers, so most of what is looked at lies close together.
//
// [1] M. Latapy. "Main-memory triangle computations for very large (sparse (power-law)) graphs." TCS 407, 2008.
#include <atoll/algorithms/clustering_local.hpp>
#include <atoll/algorithms/one_rank.hpp>

namespace atl {
namespace {

constexpr std::size_t kGrain = 256;

class Triangles {
 public:
  explicit Triangles(const Graph& graph)
      : graph_(on_one_rank(graph, "clustering")),
        team_(graph.world().team()),
        active_(static_cast<std::size_t>(graph.active())),
        degree_(active_),
        begin_(active_ + 1),
        threads_(static_cast<std::size_t>(team_.size())) {}

  ClusteringResult run() {
    for_vertices([&](std::size_t v) {
      Local degree = 0;
      for_neighbours(graph_, static_cast<Local>(v), [&](Local, std::uint8_t) { ++degree; });
      degree_[v] = degree;
    });
    list_higher();
    count();
    return collect();
  }

 private:
  struct alignas(128) Thread {
    Array<std::uint8_t> mark;  // [local]
    Array<Edge> corners;       // [local] triangles that it is in
    Array<Edge> edges;         // [local] between its neighbours, by direction; undirected: not needed
  };

  template <class F>
  void for_vertices(F&& f) {
    team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) f(v);
    });
  }

  bool is_above(Local u, std::size_t v) const {
    const Local a = degree_[static_cast<std::size_t>(u)], b = degree_[v];
    return a != b ? a > b : static_cast<std::size_t>(u) < v;
  }

  void list_higher() {
    begin_[0] = 0;
    for_vertices([&](std::size_t v) {
      Edge higher = 0;
      for_neighbours(graph_, static_cast<Local>(v), [&](Local u, std::uint8_t) { higher += is_above(u, v); });
      begin_[v + 1] = higher;
    });
    for (std::size_t v = 0; v < active_; ++v) begin_[v + 1] += begin_[v];
    forward_ = Array<Local>(static_cast<std::size_t>(begin_[active_]));
    directions_ = Array<std::uint8_t>(forward_.size());
    for_vertices([&](std::size_t v) {
      auto at = static_cast<std::size_t>(begin_[v]);
      for_neighbours(graph_, static_cast<Local>(v), [&](Local u, std::uint8_t directions) {
        if (!is_above(u, v)) return;
        forward_[at] = u;
        directions_[at++] = directions;
      });
    });
  }

  void count() {
    const bool directed = graph_.directed();
    for (Thread& t : threads_) {
      t.mark = Array<std::uint8_t>(active_, 0);
      t.corners = Array<Edge>(active_, 0);
      if (directed) t.edges = Array<Edge>(active_, 0);
    }
    team_.for_range(active_, kGrain, [&](int thread, std::size_t a, std::size_t b) {
      Thread& mine = threads_[static_cast<std::size_t>(thread)];
      for (std::size_t v = a; v < b; ++v) {
        const auto begin = static_cast<std::size_t>(begin_[v]), end = static_cast<std::size_t>(begin_[v + 1]);
        if (end - begin < 2) continue;
        for (std::size_t i = begin; i < end; ++i) mine.mark[static_cast<std::size_t>(forward_[i])] = directions_[i];
        for (std::size_t i = begin; i < end; ++i) {
          if (directed) {
            close<true>(mine, v, i);
          } else {
            close<false>(mine, v, i);
          }
        }
        for (std::size_t i = begin; i < end; ++i) mine.mark[static_cast<std::size_t>(forward_[i])] = 0;
      }
    });
  }

  // Triangles of v, the vertex u at place i of its list, and those on u's list that v has marked.
  template <bool kDirected>
  void close(Thread& mine, std::size_t v, std::size_t i) {
    const auto u = static_cast<std::size_t>(forward_[i]);
    Edge found = 0, at_v = 0, at_u = 0;
    for (auto k = static_cast<std::size_t>(begin_[u]); k < static_cast<std::size_t>(begin_[u + 1]); ++k) {
      const auto w = static_cast<std::size_t>(forward_[k]);
      const std::uint8_t mark = mine.mark[w];
      if (mark == 0) continue;
      ++found;
      ++mine.corners[w];
      if constexpr (kDirected) {
        at_v += directions_[k];
        at_u += mark;
        mine.edges[w] += directions_[i];
      }
    }
    mine.corners[v] += found;
    mine.corners[u] += found;
    if constexpr (kDirected) {
      mine.edges[v] += at_v;
      mine.edges[u] += at_u;
    }
  }

  ClusteringResult collect() {
    const auto owned = static_cast<std::size_t>(graph_.owned());
    ClusteringResult result{Array<double>(owned, 0.0), Array<Vertex>(owned, 0), 0};
    std::atomic<Vertex> corners{0};
    team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
      Vertex sum = 0;
      for (std::size_t v = a; v < b; ++v) {
        Edge triangles = 0, edges = 0;
        for (const Thread& t : threads_) {
          triangles += t.corners[v];
          edges += graph_.directed() ? t.edges[v] : 2 * t.corners[v];
        }
        const auto natural = static_cast<std::size_t>(graph_.natural_of(static_cast<Local>(v)));
        const auto d = static_cast<double>(degree_[v]);
        result.triangles[natural] = triangles;
        if (d >= 2) result.coefficient[natural] = static_cast<double>(edges) / (d * (d - 1));
        sum += triangles;
      }
      corners += sum;
    });
    result.total = corners / 3;
    return result;
  }

  const Graph& graph_;
  Team& team_;
  const std::size_t active_;
  Array<Local> degree_;  // [local] neighbours, whatever the direction
  Array<Edge> begin_;    // [local] of its forward list; one more
  Array<Local> forward_;
  Array<std::uint8_t> directions_;
  std::vector<Thread> threads_;
};

}  // namespace

ClusteringResult clustering_local(const Graph& graph) { return Triangles(graph).run(); }

}  // namespace atl
