// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/edge_order.hpp>
#include <atoll/algorithms/truss/distributed_peeling.hpp>
#include <atoll/algorithms/truss/gathered_peeling.hpp>
#include <atoll/algorithms/truss/peeling.hpp>
#include <atoll/algorithms/truss/truss_numbers.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <limits>
#include <numeric>

namespace atl {
namespace {

constexpr std::size_t kVerticesAtATime = 256;

void check_undirected(const Graph& graph) {
  check(!graph.directed(), "truss numbers: {} is directed (trusses are of undirected graphs). Read it as undirected.",
        graph.name());
}

void resize(Array<Vertex>& values, std::size_t size) {
  if (values.size() != size) values = Array<Vertex>(size);
}

}  // namespace

class TrussNumbers::Decomposition {
 public:
  virtual ~Decomposition() = default;
  virtual void run(TrussNumbersResult& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

class TrussNumbers::OneRank final : public Decomposition {
 public:
  explicit OneRank(const Graph& graph)
      : graph_(graph),
        team_(graph.world().team()),
        peeling_(team_, index(graph.active()), graph.out(), graph.name()),
        begin_(index(graph.active()) + 1, 0) {
    for_each_edge(graph, [&](Local v, Local) { ++begin_[index(v) + 1]; });
    std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  }

  void run(TrussNumbersResult& result) override {
    peeling_.run();
    resize(result.of_edge, static_cast<std::size_t>(begin_[begin_.size() - 1]));
    resize(result.greatest, index(graph_.owned()));
    std::fill(result.greatest.begin(), result.greatest.end(), 0);
    team_.for_range(index(graph_.active()), kVerticesAtATime, [&](int, std::size_t a, std::size_t b) {
      for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
        Edge at = begin_[v];
        Vertex greatest = 0;
        for (const Local u : graph_.out().neighbours(v)) {
          const Vertex truss = peeling_.truss(v, u);
          greatest = std::max(greatest, truss);
          if (graph_.id_of(v) <= graph_.id_of(u)) result.of_edge[static_cast<std::size_t>(at++)] = truss;
        }
        result.greatest[index(graph_.owned_index_of(v))] = greatest;
      }
    });
    result.largest = 0;
    for (const Vertex greatest : result.greatest) result.largest = std::max(result.largest, greatest);
  }
  std::size_t memory_bytes() const override { return peeling_.memory_bytes() + begin_.size() * sizeof(Edge); }

 private:
  const Graph& graph_;
  Team& team_;
  TrussPeeling peeling_;
  Array<Edge> begin_;  // [active] its edges in the order of for_each_edge()
};

template <class Peeling>
class TrussNumbers::OverRanks final : public Decomposition {
 public:
  OverRanks(const Graph& graph, std::size_t edges)
      : graph_(graph), world_(graph.world()), peeling_(graph), to_masters_(graph), edges_(edges) {}

  void run(TrussNumbersResult& result) override {
    resize(result.of_edge, edges_);
    peeling_.run(result.of_edge);
    write_greatest(result);
  }
  std::size_t memory_bytes() const override { return peeling_.memory_bytes() + to_masters_.memory_bytes(); }

 private:
  void write_greatest(TrussNumbersResult& result) {
    Array<Vertex> greatest(index(graph_.locals()), 0);
    std::size_t k = 0;
    for_each_edge(graph_, [&](Local v, Local u) {
      const Vertex truss = result.of_edge[k++];
      greatest[v] = std::max(greatest[v], truss);
      greatest[u] = std::max(greatest[u], truss);
    });
    to_masters_.reduce_all({greatest.data(), greatest.size()});
    resize(result.greatest, index(graph_.owned()));
    Vertex largest = 0;
    for (std::size_t owned = 0; owned < result.greatest.size(); ++owned)
      largest = std::max(largest, result.greatest[owned] = greatest[graph_.local_of(static_cast<Vertex>(owned))]);
    result.largest = world_.max(largest);
  }

  const Graph& graph_;
  World& world_;
  Peeling peeling_;
  MirrorExchange<Vertex, MaxOf> to_masters_;
  const std::size_t edges_;  // of this rank
};

// Rounds over ranks are many, and most of them are short: a graph that fits on rank 0 is peeled there.
TrussNumbers::TrussNumbers(const Graph& graph) {
  check_undirected(graph);
  World& world = graph.world();
  if (world.size() == 1) {
    decomposition_ = std::make_unique<OneRank>(graph);
    return;
  }
  std::size_t edges = 0;
  for_each_edge(graph, [&](Local, Local) { ++edges; });
  const double bytes = GatheredTrussPeeling::kBytesPerEdge * world.sum(static_cast<double>(edges));
  if (graph.vertices() < std::numeric_limits<Local>::max() &&
      bytes <= static_cast<double>(world.plan().replicated_bytes)) {
    decomposition_ = std::make_unique<OverRanks<GatheredTrussPeeling>>(graph, edges);
  } else {
    decomposition_ = std::make_unique<OverRanks<DistributedTrussPeeling>>(graph, edges);
  }
}

TrussNumbers::~TrussNumbers() = default;

void TrussNumbers::run(TrussNumbersResult& result) { decomposition_->run(result); }

std::size_t TrussNumbers::memory_bytes() const { return decomposition_->memory_bytes(); }

TrussNumbersResult truss_numbers(const Graph& graph) {
  TrussNumbersResult result;
  TrussNumbers(graph).run(result);
  return result;
}

}  // namespace atl
