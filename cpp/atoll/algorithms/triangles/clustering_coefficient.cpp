// SPDX-License-Identifier: Apache-2.0
// Triangles by forward lists and marks [1]: each vertex lists its neighbours of higher degree, so that heavy vertices
// have short lists. A vertex marks its list and then searches the lists of the vertices on it for marks. Over ranks, a
// list is sent once to each rank that owns a vertex on it, and marked there too. That rank has a master or mirror of
// all three corners of a triangle, so one reduce sends the counts to the masters.
//
//   in the paper        here              meaning
//   A(v)                lists_.of(v)      neighbours above v in the order of (degree, id); forward_lists.hpp
//   A, the array        Thread::mark      number of directions of edges to the current vertex; 0: none
//
// Deviation: marks have the number of directions, for coefficients of directed graphs. Each thread has marks and counts
// of its own, so no atomics are needed; hubs have the lowest local numbers, so most accesses are close together.
//
// [1] M. Latapy. "Main-memory triangle computations for very large (sparse (power-law)) graphs." TCS 407, 2008.
#include <algorithm>
#include <atoll/algorithms/known_vertices.hpp>
#include <atoll/algorithms/triangles/clustering_coefficient.hpp>
#include <atoll/algorithms/triangles/forward_lists.hpp>
#include <atoll/algorithms/triangles/kernel.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/graph/mirror_values.hpp>

namespace atl {
namespace {

constexpr std::size_t kCoefficientGrain = 256;

// For each active master: its triangles, the edges between its neighbours by direction, and the number of neighbours.
template <class Triangles, class Edges, class Degree>
ClusteringResult result_of(const Graph& graph, Triangles&& triangles, Edges&& edges, Degree&& degree) {
  const auto owned = static_cast<std::size_t>(graph.owned());
  ClusteringResult result{Array<double>(owned, 0.0), Array<Vertex>(owned, 0), 0};
  std::atomic<Vertex> corners{0};
  graph.world().team().for_range(static_cast<std::size_t>(graph.active()), kCoefficientGrain * 16,
                                 [&](int, std::size_t a, std::size_t b) {
                                   Vertex sum = 0;
                                   for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
                                     const auto natural = static_cast<std::size_t>(graph.natural_of(v));
                                     const auto d = static_cast<double>(degree(v));
                                     result.triangles[natural] = triangles(v);
                                     if (d >= 2)
                                       result.coefficient[natural] = static_cast<double>(edges(v)) / (d * (d - 1));
                                     sum += triangles(v);
                                   }
                                   corners += sum;
                                 });
  result.total = graph.world().sum(corners.load()) / 3;
  return result;
}

class Triangles {
 public:
  explicit Triangles(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        locals_(static_cast<std::size_t>(graph.locals())),
        active_(static_cast<std::size_t>(graph.active())),
        lists_(graph),
        threads_(static_cast<std::size_t>(team_.size())) {
    for (Thread& t : threads_) {
      t.mark = Array<std::uint8_t>(locals_, 0);
      t.corners = Array<Edge>(locals_, 0);
      if (graph.directed()) t.edges = Array<Edge>(locals_, 0);
    }
  }

  ClusteringResult run() {
    count_here();
    if (world_.size() > 1) count_elsewhere();
    add_up();
    const Thread& all = threads_[0];
    return result_of(
        graph_, [&](Local v) { return all.corners[static_cast<std::size_t>(v)]; },
        [&](Local v) {
          const auto at = static_cast<std::size_t>(v);
          return graph_.directed() ? all.edges[at] : 2 * all.corners[at];
        },
        [&](Local v) { return lists_.degree(v); });
  }

 private:
  static constexpr std::size_t kMessageGrain = 64;
  // Maximum words that a rank sends in one batch.
  static constexpr std::size_t kBatch = std::size_t{1} << 20;
  using Words = std::vector<std::uint64_t>;

  struct alignas(128) Thread {
    Array<std::uint8_t> mark;  // [local]
    Array<Edge> corners;       // [local] triangles that it is in
    Array<Edge> edges;         // [local] between its neighbours, by direction; undirected: not needed
    std::vector<Local> known;  // vertices of a received list that have local numbers here
    std::vector<std::uint8_t> directions;
  };

  // Triangles of v, a master u on its list, and those on u's list that v has marked.
  template <bool kDirected>
  void close(Thread& mine, Local v, Local u, Edge between) {
    const auto list = lists_.of(u);
    const std::uint8_t* const directions = lists_.directions_of(u);
    Edge found = 0, at_v = 0, at_u = 0;
    for (std::size_t k = 0; k < list.size(); ++k) {
      const auto w = static_cast<std::size_t>(list[k]);
      const std::uint8_t mark = mine.mark[w];
      if (mark == 0) continue;
      ++found;
      ++mine.corners[w];
      if constexpr (kDirected) {
        at_v += directions[k];
        at_u += mark;
        mine.edges[w] += between;
      }
    }
    mine.corners[static_cast<std::size_t>(v)] += found;
    mine.corners[static_cast<std::size_t>(u)] += found;
    if constexpr (kDirected) {
      mine.edges[static_cast<std::size_t>(v)] += at_v;
      mine.edges[static_cast<std::size_t>(u)] += at_u;
    }
  }

  // Counts all triangles of v and masters on its list; v may be of any rank.
  template <bool kDirected>
  void close_list(Thread& mine, Local v, std::span<const Local> list, const std::uint8_t* directions) {
    const auto of = [&](std::size_t i) { return kDirected ? directions[i] : std::uint8_t{1}; };
    for (std::size_t i = 0; i < list.size(); ++i) mine.mark[static_cast<std::size_t>(list[i])] = of(i);
    for (std::size_t i = 0; i < list.size(); ++i)
      if (list[i] < graph_.active()) close<kDirected>(mine, v, list[i], of(i));
    for (const Local u : list) mine.mark[static_cast<std::size_t>(u)] = 0;
  }
  void close_list(Thread& mine, Local v, std::span<const Local> list, const std::uint8_t* directions) {
    if (list.size() < 2) return;
    graph_.directed() ? close_list<true>(mine, v, list, directions) : close_list<false>(mine, v, list, directions);
  }

  void count_here() {
    team_.for_range(active_, kCoefficientGrain, [&](int t, std::size_t a, std::size_t b) {
      for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v)
        close_list(threads_[static_cast<std::size_t>(t)], v, lists_.of(v), lists_.directions_of(v));
    });
  }

  // Messages: v, the length of its list, the list's words; batch after batch.
  void count_elsewhere() {
    const std::vector<Vertex> dense = dense_numbers(graph_);
    const KnownVertices known(graph_, dense);
    for (std::size_t v = 0; world_.any(v < active_);) {
      std::vector<Words> outgoing(static_cast<std::size_t>(world_.size()));
      for (std::size_t words = 0; v < active_ && words < kBatch; ++v)
        words += write(static_cast<Local>(v), dense, outgoing);
      for (const Words& message : world_.exchange(std::move(outgoing))) read(message, known);
    }
  }

  static std::uint64_t word_of(Vertex dense, std::uint8_t directions) {
    return static_cast<std::uint64_t>(dense) << 2 | directions;
  }

  std::size_t write(Local v, const std::vector<Vertex>& dense, std::vector<Words>& outgoing) const {
    const auto list = lists_.of(v);
    if (list.size() < 2) return 0;
    const std::uint8_t* const directions = lists_.directions_of(v);
    const Mirrors& mirrors = graph_.mirrors();
    std::size_t words = 0;
    for (auto at = std::lower_bound(list.begin(), list.end(), graph_.active()); at != list.end();) {
      const auto owner = static_cast<std::size_t>(graph_.blocks().owner(dense[static_cast<std::size_t>(*at)]));
      Words& message = outgoing[owner];
      message.push_back(static_cast<std::uint64_t>(dense[static_cast<std::size_t>(v)]));
      message.push_back(list.size());
      for (std::size_t i = 0; i < list.size(); ++i)
        message.push_back(word_of(dense[static_cast<std::size_t>(list[i])], graph_.directed() ? directions[i] : 0));
      words += 2 + list.size();
      at = std::lower_bound(at, list.end(),
                            mirrors.begin[owner] + mirrors.count[owner]);  // mirrors of one owner are contiguous
    }
    return words;
  }

  void read(const Words& message, const KnownVertices& known) {
    std::vector<std::size_t> starts;
    for (std::size_t at = 0; at < message.size(); at += 2 + message[at + 1]) starts.push_back(at);
    team_.for_range(starts.size(), kMessageGrain, [&](int t, std::size_t a, std::size_t b) {
      Thread& mine = threads_[static_cast<std::size_t>(t)];
      for (std::size_t s = a; s < b; ++s) {
        mine.known.clear();
        mine.directions.clear();
        const std::size_t first = starts[s] + 2;
        for (std::size_t i = first; i < first + message[starts[s] + 1]; ++i) {
          const Local u = known.local_of(static_cast<Vertex>(message[i] >> 2));
          if (u < 0) continue;
          mine.known.push_back(u);
          mine.directions.push_back(message[i] & 3);
        }
        close_list(mine, known.local_of(static_cast<Vertex>(message[starts[s]])), mine.known, mine.directions.data());
      }
    });
  }

  // Sums the counts of all threads into the first thread's, and reduces these to masters.
  void add_up() {
    team_.for_range(locals_, kCoefficientGrain * 64, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t t = 1; t < threads_.size(); ++t)
        for (std::size_t v = a; v < b; ++v) {
          threads_[0].corners[v] += threads_[t].corners[v];
          if (graph_.directed()) threads_[0].edges[v] += threads_[t].edges[v];
        }
    });
    if (world_.size() == 1) return;
    MirrorExchange<Edge, SumOf> exchange(graph_);
    exchange.reduce_all({threads_[0].corners.data(), locals_});
    if (graph_.directed()) exchange.reduce_all({threads_[0].edges.data(), locals_});
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  const std::size_t locals_, active_;
  const ForwardLists lists_;
  std::vector<Thread> threads_;
};

}  // namespace

ClusteringResult clustering_coefficient(const Graph& graph) {
  if (const auto counts = LocalTriangles::of(graph))
    return result_of(
        graph, [&](Local v) { return counts->at(v); }, [&](Local v) { return 2 * counts->at(v); },
        [&](Local v) { return counts->degree(v); });
  return Triangles(graph).run();
}

}  // namespace atl
