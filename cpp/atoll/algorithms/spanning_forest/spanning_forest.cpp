// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/spanning_forest/distributed.hpp>
#include <atoll/algorithms/spanning_forest/kernel.hpp>
#include <atoll/algorithms/spanning_forest/spanning_forest.hpp>
#include <atoll/algorithms/spanning_forest/tree_parents.hpp>
#include <atoll/engine/fetch_values.hpp>
#include <atoll/engine/id_positions.hpp>
#include <cmath>
#include <limits>
#include <tuple>

namespace atl {
namespace {

constexpr std::size_t kGrain = 8192;

void check_undirected(const Graph& graph) {
  check(!graph.directed(),
        "spanning forest: {} is directed (spanning forests are of undirected graphs). Read it as undirected.",
        graph.name());
}

// A weight that is not a number has no place in the order.
void check_numbers(const Graph& graph) {
  graph.world().collective_try([&] {
    if (!graph.weighted()) return;
    std::atomic<Local> first{graph.active()};
    graph.world().team().for_range(index(graph.active()), kGrain / 8, [&](int, std::size_t a, std::size_t b) {
      for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v)
        graph.out().for_edges(v, [&](Local, auto weight) {
          if (weight == weight) return;
          for (Local known = first; v < known && !first.compare_exchange_weak(known, v);) {
          }
        });
    });
    if (const Local v = first; v < graph.active())
      graph.out().for_edges(v, [&](Local u, auto weight) {
        check(weight == weight,
              "spanning forest: {}: the weight of the edge between {} and {} is not a number (edges are taken in the "
              "order of their weights). Correct it.",
              graph.name(), graph.id_of(v), graph.id_of(u));
      });
  });
}

// A sum and its rounding error, which is added at the end.
struct LongSum {
  double sum = 0, error = 0;
  void add(double value) {
    const double total = sum + value;
    if (std::isfinite(total)) {
      const double part = total - sum;
      error += (sum - (total - part)) + (value - part);
    }
    sum = total;
  }
  double value() const { return sum + error; }
};

// Order of local vertices by id.
struct OwnedOrder {
  const Graph* graph;
  Local operator()(Local v) const { return static_cast<Local>(graph->owned_index_of(v)); }
};
struct OrderTable {
  const Local* order;
  Local operator()(Local v) const { return order[v]; }
};
struct SameOrder {
  Local operator()(Local v) const { return v; }
};

// Writes parents and weights of masters by parent_of(v) -> (id, weight); a root has its own id.
template <class ParentOf>
void write(const Graph& graph, ParentOf&& parent_of, SpanningForestResult& result) {
  World& world = graph.world();
  const std::size_t owned = index(graph.owned());
  if (result.parent.size() != owned) result.parent = Array<Vertex>(owned);
  if (result.weight.size() != owned) result.weight = Array<double>(owned);
  std::atomic<Vertex> roots{0};
  world.team().for_range(owned, kGrain, [&](int, std::size_t a, std::size_t b) {
    Vertex here = 0;
    for (std::size_t k = a; k < b; ++k) {
      const Local v = graph.local_of(static_cast<Vertex>(k));
      const Vertex id = graph.id_of(v);
      std::tie(result.parent[k], result.weight[k]) = parent_of(v);
      here += result.parent[k] == id;
    }
    roots += here;
  });
  LongSum mine;
  for (const double weight : result.weight) mine.add(weight);
  const LongSum all = world.fold(mine, [](LongSum x, const LongSum& y) {
    x.add(y.sum);
    x.error += y.error;
    return x;
  });
  result.total_weight = all.value();
  result.trees = world.sum(roots.load());
  result.edges = graph.vertices() - result.trees;
}

}  // namespace

class SpanningForest::Search {
 public:
  virtual ~Search() = default;
  virtual void run(ForestKind kind, SpanningForestResult& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

template <class Key>
class SpanningForest::OneRank final : public Search {
 public:
  OneRank(const Graph& graph, ForestWeights weights)
      : graph_(graph),
        weights_(weights),
        team_(graph.world().team()),
        forest_(graph, weights, OwnedOrder{&graph}),
        trees_(index(graph.locals())) {}

  void run(ForestKind kind, SpanningForestResult& result) override {
    const WeightKeys<Key> keys(graph_.out(), weights_, kind);
    forest_.find(keys);
    trees_.start(team_, forest_.edges());
    set_roots();
    trees_.find(team_);
    write(
        graph_,
        [&](Local v) -> std::pair<Vertex, double> {
          if (trees_.is_root(v)) return {graph_.id_of(v), 0};
          return {graph_.id_of(trees_.parent(v)), keys.weight_of(trees_.key(v))};
        },
        result);
  }
  std::size_t memory_bytes() const override {
    return forest_.memory_bytes() + trees_.memory_bytes() + has_root_.words() * sizeof(std::uint64_t);
  }

 private:
  // The first vertex of each tree by id.
  void set_roots() {
    has_root_.clear();
    for (Vertex k = 0; k < graph_.owned(); ++k) {
      const Local v = graph_.local_of(k);
      if (const Local tree = forest_.tree(v); !has_root_.test(index(tree))) {
        has_root_.set_unsynchronized(index(tree));
        trees_.set_root(v);
      }
    }
  }

  const Graph& graph_;
  const ForestWeights weights_;
  Team& team_;
  ListForest<Key, OwnedOrder> forest_;
  TreeParents<Key> trees_;
  VertexBits has_root_{index(graph_.locals())};
};

// Over ranks vertices are called by their positions in the order of all ids.
template <class Key>
class SpanningForest::Distributed final : public Search {
 public:
  Distributed(const Graph& graph, ForestWeights weights)
      : graph_(graph),
        weights_(weights),
        world_(graph.world()),
        team_(world_.team()),
        positions_(graph),
        order_(index(graph.locals())),
        forest_(graph, weights, OrderTable{order_.data()}) {
    for (std::size_t k = 0; k < order_.size(); ++k) order_[positions_.locals()[k]] = static_cast<Local>(k);
  }

  void run(ForestKind kind, SpanningForestResult& result) override {
    const WeightKeys<Key> keys(graph_.out(), weights_, kind);
    forest_.find(keys);
    const auto n = static_cast<double>(graph_.vertices());
    const double edges = world_.sum(static_cast<double>(forest_.edges().size()));
    const double bytes = edges * 3 * sizeof(KeyedEdge<Key>) + n * 24;
    if (n < std::numeric_limits<Local>::max() && bytes <= static_cast<double>(world_.plan().replicated_bytes)) {
      finish_here(keys, result);
    } else {
      finish_over_ranks(keys, result);
    }
  }
  std::size_t memory_bytes() const override {
    return positions_.memory_bytes() + order_.size() * sizeof(Local) + forest_.memory_bytes();
  }

 private:
  static constexpr std::size_t kPieces = 64;

  // Every rank gathers what is left of the edges, and finds the forest by itself.
  void finish_here(const WeightKeys<Key>& keys, SpanningForestResult& result) {
    std::vector<KeyedEdge<Key>> edges;
    for (const KeyedEdge<Key>& edge : forest_.edges())
      edges.push_back({edge.key, static_cast<Local>(positions_[edge.a]), static_cast<Local>(positions_[edge.b])});
    edges = world_.all_gather_varying(std::span<const KeyedEdge<Key>>(edges));
    std::vector<std::size_t> begins;
    for (std::size_t p = 0; p <= kPieces; ++p) begins.push_back(edges.size() * p / kPieces);
    const auto n = static_cast<Local>(graph_.vertices());
    Boruvka<Key, SameOrder> rounds(team_, index(n), begins, SameOrder{}, differ_by_weight(graph_, weights_));
    rounds.start();
    rounds.run([&](std::size_t piece, auto&& consider) {
      for (std::size_t e = begins[piece]; e < begins[piece + 1]; ++e) consider(edges[e]);
    });
    TreeParents<Key> trees(index(n));
    trees.start(team_, rounds.chosen());
    for (Local v = 0; v < n; ++v)
      if (rounds.tree(v) == v) trees.set_root(v);
    trees.find(team_);
    write(
        graph_,
        [&](Local v) -> std::pair<Vertex, double> {
          const auto at = static_cast<Local>(positions_[v]);
          if (trees.is_root(at)) return {graph_.id_of(v), 0};
          return {graph_.id_of(positions_.local_at(trees.parent(at))), keys.weight_of(trees.key(at))};
        },
        result);
  }

  void finish_over_ranks(const WeightKeys<Key>& keys, SpanningForestResult& result) {
    std::vector<RankedEdge<Key>> edges;
    for (const KeyedEdge<Key>& edge : forest_.edges())
      edges.push_back({edge.key, positions_[edge.a], positions_[edge.b]});
    const Blocks& blocks = positions_.blocks();
    const std::vector<ParentEdge<Key>> parents =
        root_over_ranks(world_, blocks, boruvka_over_ranks(world_, blocks, edges));
    std::vector<Vertex> masters;
    for (Local v = 0; v < graph_.owned(); ++v) masters.push_back(positions_[v]);
    const auto found = fetch_values<ParentEdge<Key>>(world_, blocks, masters, [&](Vertex position) {
      return parents[index(position - blocks.begin(world_.rank()))];
    });
    write(
        graph_,
        [&](Local v) -> std::pair<Vertex, double> {
          const auto& [parent, key] = found[index(v)];
          if (parent == positions_[v]) return {graph_.id_of(v), 0};
          return {graph_.id_of(positions_.local_at(parent)), keys.weight_of(key)};
        },
        result);
  }

  const Graph& graph_;
  const ForestWeights weights_;
  World& world_;
  Team& team_;
  const IdPositions positions_;
  Array<Local> order_;  // [local] index in positions_.locals()
  ListForest<Key, OrderTable> forest_;
};

SpanningForest::SpanningForest(const Graph& graph, ForestWeights weights) : graph_(graph), weights_(weights) {
  check_undirected(graph);
  if (weights == ForestWeights::given) check_numbers(graph);
  const auto make = [&]<class Key>(Key) {
    if (graph.world().size() == 1) {
      search_ = std::make_unique<OneRank<Key>>(graph, weights);
    } else {
      search_ = std::make_unique<Distributed<Key>>(graph, weights);
    }
  };
  if (weights == ForestWeights::given && std::holds_alternative<Array<double>>(graph.out().weights)) {
    make(std::uint64_t{});
  } else {
    make(std::uint32_t{});
  }
}

SpanningForest::~SpanningForest() = default;

void SpanningForest::run(ForestKind kind, SpanningForestResult& result) {
  check(
      kind == ForestKind::minimum || weights_ == ForestWeights::unit || !graph_.merged_to_least(),
      "spanning forest: several edges between two vertices of {} were merged to the least weight (a maximum forest has "
      "the greatest). Read it with duplicates max, or keep them.",
      graph_.name());
  search_->run(kind, result);
}

std::size_t SpanningForest::memory_bytes() const { return search_->memory_bytes(); }

}  // namespace atl
