// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/edge_order.hpp>
#include <atoll/algorithms/truss/peeling.hpp>
#include <atoll/algorithms/truss/truss_numbers.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <limits>
#include <numeric>
#include <optional>

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

// Rank 0 has the edges of all ranks, in the order of each, between vertices that are numbered by falling degree.
class TrussNumbers::Gathered final : public Decomposition {
 public:
  explicit Gathered(const Graph& graph) : graph_(graph), world_(graph.world()), to_masters_(graph) {
    const std::vector<Vertex> dense = dense_numbers(graph);
    std::vector<std::vector<Ends>> outgoing(static_cast<std::size_t>(world_.size()));
    world_.agree(graph.vertices() < std::numeric_limits<Local>::max(),
                 fmt::format("truss numbers: {} has {} vertices (rank 0 gathers the edges of less than 2^31). Use a "
                             "smaller graph.",
                             graph.name(), graph.vertices()));
    for_each_edge(graph, [&](Local v, Local u) {
      outgoing[0].push_back({static_cast<Local>(dense[v]), static_cast<Local>(dense[u])});
    });
    here_ = outgoing[0].size();
    edges_ = world_.exchange(std::move(outgoing));
    world_.collective_try([&] {
      if (world_.rank() == 0) gather();
    });
  }

  void run(TrussNumbersResult& result) override {
    std::vector<std::vector<Local>> outgoing(edges_.size());
    if (peeling_) {
      peeling_->run();
      for (std::size_t r = 0; r < edges_.size(); ++r)
        for (const auto [a, b] : edges_[r]) outgoing[r].push_back(peeling_->truss(a, b));
    }
    const std::vector<Local> values = world_.exchange(std::move(outgoing))[0];
    resize(result.of_edge, here_);
    std::copy(values.begin(), values.end(), result.of_edge.begin());
    write_greatest(result);
  }
  std::size_t memory_bytes() const override {
    std::size_t bytes = to_masters_.memory_bytes();
    for (const auto& part : edges_) bytes += part.size() * sizeof(Ends);
    return bytes + (peeling_ ? peeling_->memory_bytes() : 0);
  }

 private:
  struct Ends {
    Local a, b;
  };

  void gather() {
    const std::size_t nodes = index(graph_.vertices());
    std::vector<Edge> degree(nodes, 0);
    for (const auto& part : edges_)
      for (const auto [a, b] : part) {
        ++degree[a];
        ++degree[b];
      }
    std::vector<Local> order(nodes), number(nodes);
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), [&](Local u, Local v) { return degree[u] > degree[v]; });
    for (std::size_t k = 0; k < nodes; ++k) number[order[k]] = static_cast<Local>(k);
    Csr lists;
    lists.offsets = Array<Edge>(nodes + 1, 0);
    for (std::size_t k = 0; k < nodes; ++k) lists.offsets[k + 1] = lists.offsets[k] + degree[order[k]];
    lists.targets = Array<Local>(static_cast<std::size_t>(lists.offsets[nodes]));
    std::vector<Edge> next(lists.offsets.begin(), lists.offsets.end());
    for (auto& part : edges_)
      for (auto& [a, b] : part) {
        a = number[a];
        b = number[b];
        lists.targets[static_cast<std::size_t>(next[a]++)] = b;
        lists.targets[static_cast<std::size_t>(next[b]++)] = a;
      }
    world_.team().for_range(nodes, kVerticesAtATime, [&](int, std::size_t first, std::size_t end) {
      for (std::size_t v = first; v < end; ++v)
        std::sort(lists.targets.data() + lists.offsets[v], lists.targets.data() + lists.offsets[v + 1]);
    });
    peeling_.emplace(world_.team(), nodes, lists, graph_.name());
  }

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
  MirrorExchange<Vertex, MaxOf> to_masters_;
  std::size_t here_ = 0;                  // edges of this rank
  std::vector<std::vector<Ends>> edges_;  // [rank] on rank 0
  std::optional<TrussPeeling> peeling_;   // on rank 0
};

TrussNumbers::TrussNumbers(const Graph& graph) {
  check_undirected(graph);
  if (graph.world().size() == 1) {
    decomposition_ = std::make_unique<OneRank>(graph);
  } else {
    decomposition_ = std::make_unique<Gathered>(graph);
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
