// SPDX-License-Identifier: Apache-2.0
// Triangles by forward lists and marks [1]: each vertex lists its neighbours of higher degree, so that heavy vertices
// have short lists. A vertex marks its list and then searches the lists of the vertices on it for marks. Over ranks, a
// list is sent once to each rank that owns a vertex on it, and marked there too. That rank has a master or mirror of
// all three corners of a triangle, so one reduce sends the counts to the masters.
//
//   in the paper        here              meaning
//   A(v)                lists_.of(v)      neighbours above v in the order of (degree, id); forward_lists.hpp
//   A, the array        WedgeCounts::mark number of directions of edges to the current vertex; 0: none
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
#include <atoll/algorithms/triangles/vertex_cut.hpp>
#include <atoll/algorithms/triangles/wedge_counts.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/graph/mirror_values.hpp>

namespace atl {
namespace {

constexpr std::size_t kCoefficientGrain = 256, kWriteGrain = 1024;

// Writes, for each active master that may be in triangles, what these, the edges between its neighbours by direction, and
// the number of neighbours make.
class ResultWriter {
 public:
  ResultWriter(const Graph& graph, ClusteringResult& result)
      : graph_(graph), result_(result), owned_(static_cast<std::size_t>(graph.owned())) {
    if (result.coefficient.size() != owned_) result.coefficient = Array<double>(owned_);
    if (result.triangles.size() != owned_) result.triangles = Array<Vertex>(owned_);
  }

  // Each thread of a region takes chunks until all vertices are written.
  template <class MayBe, class Triangles, class Edges, class Degree>
  void write_chunks(int thread, MayBe&& may_be, Triangles&& triangles, Edges&& edges, Degree&& degree) {
    Vertex sum = 0;
    for (std::size_t a; (a = next_.fetch_add(kWriteGrain, std::memory_order_relaxed)) < owned_;) {
      graph_.world().team().cancellation_point(thread);
      for (std::size_t owned_index = a; owned_index < std::min(owned_, a + kWriteGrain); ++owned_index) {
        const Local v = graph_.local_of(static_cast<Vertex>(owned_index));
        Vertex found = 0;
        double coefficient = 0;
        if (v < graph_.active() && may_be(v)) {
          found = triangles(v);
          const auto d = static_cast<double>(degree(v));
          coefficient = static_cast<double>(edges(v)) / std::max(1.0, d * (d - 1));  // there are no edges where d < 2
        }
        result_.triangles[owned_index] = found;
        result_.coefficient[owned_index] = coefficient;
        sum += found;
      }
    }
    corners_.fetch_add(sum, std::memory_order_relaxed);
  }

  template <class Triangles, class Edges, class Degree>
  void write_all(Triangles&& triangles, Edges&& edges, Degree&& degree) {
    graph_.world().team().run(
        [&](int thread) { write_chunks(thread, [](Local) { return true; }, triangles, edges, degree); });
    sum_up();
  }

  // Collective: the total.
  void sum_up() { result_.total = graph_.world().sum(corners_.load()) / 3; }

 private:
  const Graph& graph_;
  ClusteringResult& result_;
  const std::size_t owned_;
  std::atomic<std::size_t> next_{0};
  std::atomic<Vertex> corners_{0};
};

}  // namespace

class ClusteringCoefficient::Counting {
 public:
  virtual ~Counting() = default;
  virtual void run(ClusteringResult& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

class ClusteringCoefficient::OnOneRank final : public Counting {
 public:
  OnOneRank(const Graph& graph, LocalTriangles&& counts) : graph_(graph), counts_(std::move(counts)) {}

  void run(ClusteringResult& result) override {
    ResultWriter writer(graph_, result);
    counts_.count([&](int thread) {
      writer.write_chunks(
          thread, [&](Local v) { return counts_.any_near(v); }, [&](Local v) { return counts_.at(v); },
          [&](Local v) { return 2 * counts_.at(v); }, [&](Local v) { return counts_.degree(v); });
    });
    writer.sum_up();
  }
  std::size_t memory_bytes() const override { return counts_.memory_bytes(); }

 private:
  const Graph& graph_;
  LocalTriangles counts_;
};

class ClusteringCoefficient::OnVertexCut final : public Counting {
 public:
  explicit OnVertexCut(const Graph& graph) : graph_(graph), counting_(graph) {}

  void run(ClusteringResult& result) override {
    counting_.count();
    ResultWriter(graph_, result)
        .write_all([&](Local v) { return counting_.triangles(v); },
                   [&](Local v) { return graph_.directed() ? counting_.edges(v) : 2 * counting_.triangles(v); },
                   [&](Local v) { return counting_.degree(v); });
  }
  std::size_t memory_bytes() const override { return counting_.memory_bytes(); }

 private:
  const Graph& graph_;
  VertexCutTriangles counting_;
};

class ClusteringCoefficient::OverRanks final : public Counting {
 public:
  explicit OverRanks(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        locals_(index(graph.locals())),
        active_(index(graph.active())),
        lists_(graph),
        known_(static_cast<std::size_t>(team_.size())) {
    for (int t = 0; t < team_.size(); ++t) counts_.emplace_back(locals_, graph.directed());
  }

  void run(ClusteringResult& result) override {
    for (WedgeCounts& counts : counts_) counts.clear();
    count_here();
    if (world_.size() > 1) count_elsewhere();
    add_up(team_, counts_);
    reduce();
    const WedgeCounts& all = counts_[0];
    ResultWriter(graph_, result)
        .write_all([&](Local v) { return all.corners[v]; },
                   [&](Local v) { return graph_.directed() ? all.edges[v] : 2 * all.corners[v]; },
                   [&](Local v) { return lists_.degree(v); });
  }

  std::size_t memory_bytes() const override {
    std::size_t bytes = lists_.memory_bytes();
    for (const WedgeCounts& counts : counts_) bytes += counts.memory_bytes();
    return bytes;
  }

 private:
  using Words = std::vector<std::uint64_t>;

  // The vertices of a received list that have local numbers here.
  struct alignas(128) KnownOfList {
    std::vector<Local> vertices;
    std::vector<std::uint8_t> directions;
  };

  // Counts all triangles of v and masters on its list; v may be of any rank.
  template <bool kDirected>
  void close_list(WedgeCounts& mine, Local v, std::span<const Local> list, const std::uint8_t* directions) {
    const auto of = [&](std::size_t i) { return kDirected ? directions[i] : std::uint8_t{1}; };
    for (std::size_t i = 0; i < list.size(); ++i) mine.mark[list[i]] = of(i);
    WedgeCounts::Sum of_v;
    for (std::size_t i = 0; i < list.size(); ++i)
      if (const Local u = list[i]; u < graph_.active())
        of_v += mine.close<kDirected>(u, of(i), lists_.of(u), lists_.directions_of(u));
    mine.add(v, of_v);
    for (const Local u : list) mine.mark[u] = 0;
  }
  void close_list(WedgeCounts& mine, Local v, std::span<const Local> list, const std::uint8_t* directions) {
    if (list.size() < 2) return;
    graph_.directed() ? close_list<true>(mine, v, list, directions) : close_list<false>(mine, v, list, directions);
  }

  void count_here() {
    team_.for_range(active_, kCoefficientGrain, [&](int t, std::size_t a, std::size_t b) {
      for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v)
        close_list(counts_[t], v, lists_.of(v), lists_.directions_of(v));
    });
  }

  // Messages: v, the length of its list, the list's words; batch after batch.
  void count_elsewhere() {
    const std::vector<Vertex> dense = dense_numbers(graph_);
    const KnownVertices known(graph_, dense);
    for (std::size_t v = 0; world_.any(v < active_);) {
      std::vector<Words> outgoing(static_cast<std::size_t>(world_.size()));
      for (std::size_t words = 0; v < active_ && words < kWedgeBatch; ++v)
        words += write_message(static_cast<Local>(v), dense, outgoing);
      for (const Words& message : world_.exchange(std::move(outgoing))) read(message, known);
    }
  }

  std::size_t write_message(Local v, const std::vector<Vertex>& dense, std::vector<Words>& outgoing) const {
    const auto list = lists_.of(v);
    if (list.size() < 2) return 0;
    const std::uint8_t* const directions = lists_.directions_of(v);
    const Mirrors& mirrors = graph_.mirrors();
    std::size_t words = 0;
    for (auto at = std::lower_bound(list.begin(), list.end(), graph_.active()); at != list.end();) {
      const auto owner = static_cast<std::size_t>(graph_.blocks().owner(dense[*at]));
      Words& message = outgoing[owner];
      message.push_back(static_cast<std::uint64_t>(dense[v]));
      message.push_back(list.size());
      for (std::size_t i = 0; i < list.size(); ++i)
        message.push_back(word_of(dense[list[i]], graph_.directed() ? directions[i] : 0));
      words += 2 + list.size();
      at = std::lower_bound(at, list.end(),
                            mirrors.begin[owner] + mirrors.count[owner]);  // mirrors of one owner are contiguous
    }
    return words;
  }

  void read(const Words& message, const KnownVertices& known) {
    std::vector<std::size_t> starts;
    for (std::size_t at = 0; at < message.size(); at += 2 + message[at + 1]) starts.push_back(at);
    team_.for_range(starts.size(), kWedgeGrain, [&](int t, std::size_t a, std::size_t b) {
      KnownOfList& list = known_[t];
      for (std::size_t s = a; s < b; ++s) {
        list.vertices.clear();
        list.directions.clear();
        const std::size_t first = starts[s] + 2;
        for (std::size_t i = first; i < first + message[starts[s] + 1]; ++i) {
          const Local u = known.local_of(dense_of(message[i]));
          if (u < 0) continue;
          list.vertices.push_back(u);
          list.directions.push_back(directions_in(message[i]));
        }
        close_list(counts_[t], known.local_of(static_cast<Vertex>(message[starts[s]])), list.vertices,
                   list.directions.data());
      }
    });
  }

  // Moves the counts of mirrors to their masters.
  void reduce() {
    if (world_.size() == 1) return;
    MirrorExchange<Edge, SumOf> exchange(graph_);
    exchange.reduce_all({counts_[0].corners.data(), locals_});
    if (graph_.directed()) exchange.reduce_all({counts_[0].edges.data(), locals_});
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  const std::size_t locals_, active_;
  const ForwardLists lists_;
  std::vector<WedgeCounts> counts_;  // [thread]
  std::vector<KnownOfList> known_;   // [thread]
};

ClusteringCoefficient::ClusteringCoefficient(const Graph& graph) {
  if (auto counts = LocalTriangles::of(graph)) {
    counting_ = std::make_unique<OnOneRank>(graph, *std::move(counts));
  } else if (graph.cut().cut() != Cut::edge) {
    counting_ = std::make_unique<OnVertexCut>(graph);
  } else {
    counting_ = std::make_unique<OverRanks>(graph);
  }
}

ClusteringCoefficient::~ClusteringCoefficient() = default;

void ClusteringCoefficient::run(ClusteringResult& result) { counting_->run(result); }

std::size_t ClusteringCoefficient::memory_bytes() const { return counting_->memory_bytes(); }

ClusteringResult clustering_coefficient(const Graph& graph) {
  ClusteringResult result;
  ClusteringCoefficient(graph).run(result);
  return result;
}

}  // namespace atl
