// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/spanning_forest/pieces.hpp>
#include <atoll/algorithms/spanning_forest/spanning_forest.hpp>
#include <atoll/algorithms/spanning_forest/whole_forest.hpp>
#include <atoll/engine/first_rank.hpp>
#include <atoll/engine/id_positions.hpp>
#include <atoll/engine/rows_over_ranks.hpp>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>
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
  OneRank(const Graph& graph, EdgeWeighting weights)
      : graph_(graph),
        weights_(weights),
        forest_(graph.world().team(), ForestLists::of(graph), weights, OwnedOrder{&graph}) {}

  void run(ForestKind kind, SpanningForestResult& result) override {
    const WeightKeys<Key> keys(graph_.out(), weights_, kind);
    forest_.find(keys, index(graph_.owned()), [&](std::size_t k) { return graph_.local_of(static_cast<Vertex>(k)); });
    write(
        graph_,
        [&](Local v) -> std::pair<Vertex, double> {
          if (forest_.is_root(v)) return {graph_.id_of(v), 0};
          return {graph_.id_of(forest_.parent(v)), keys.weight_of(forest_.key(v))};
        },
        result);
  }
  std::size_t memory_bytes() const override { return forest_.memory_bytes(); }

 private:
  const Graph& graph_;
  const EdgeWeighting weights_;
  WholeForest<Key, OwnedOrder> forest_;
};

// Rank 0 gathers all lists, finds the forest, and tells each rank the parents of its vertices.
template <class Key>
class SpanningForest::OnFirstRank final : public Search {
 public:
  OnFirstRank(const Graph& graph, EdgeWeighting weights)
      : graph_(graph), weights_(weights), world_(graph.world()), rows_(graph) {
    std::vector<Vertex> own(index(graph.active()));
    for (std::size_t v = 0; v < own.size(); ++v) own[v] = graph.id_of(static_cast<Local>(v));
    ids_ = gather_on_first_rank(world_, std::span<const Vertex>(own));
    for (Rank r = 0; r < world_.size(); ++r) begins_.push_back(static_cast<std::ptrdiff_t>(rows_.blocks().begin(r)));
    by_id_ = Array<Local>(ids_.size());
    std::iota(by_id_.begin(), by_id_.end(), Local{0});
    std::sort(by_id_.begin(), by_id_.end(), [&](Local a, Local b) { return ids_[a] < ids_[b]; });
    order_ = Array<Local>(ids_.size());
    for (std::size_t k = 0; k < by_id_.size(); ++k) order_[by_id_[k]] = static_cast<Local>(k);
  }

  /// Whether rank 0 can hold the lists of all, and is expected to take less than the ranks together: these look at an
  /// edge between two of them twice or more, and then join what they have found on rank 0. Measured with two and four
  /// ranks; where few edges leave a rank, pieces are faster. Collective.
  static bool is_better(const Graph& graph, EdgeWeighting weights) {
    constexpr double kFewThreads = 4, kCrossingShare = 8;
    World& world = graph.world();
    const Csr& lists = graph.out();
    const Local first_mirror = graph.mirrors().begin[0];
    std::atomic<Edge> crossing_here{0};
    world.team().for_range(lists.targets.size(), 8 * kGrain, [&](int, std::size_t a, std::size_t b) {
      Edge here = 0;
      for (std::size_t e = a; e < b; ++e) here += lists.targets[e] >= first_mirror;
      crossing_here += here;
    });
    const double entries = static_cast<double>(world.sum(lists.size()));
    const double rows = static_cast<double>(world.sum(static_cast<Vertex>(graph.active())));
    const double crossing = static_cast<double>(world.sum(crossing_here.load()));
    const double weight = differ_by_weight(lists, weights) ? sizeof(Key) : 0;
    const double bytes = entries * (sizeof(Local) + weight + sizeof(KeyedEdge<Key>)) + rows * kBytesPerRow;
    const std::vector<int> threads = world.all_gather(world.team().size());
    return bytes <= static_cast<double>(world.plan().replicated_bytes) && crossing * kCrossingShare > entries &&
           std::accumulate(threads.begin(), threads.end(), 0.0) <= kFewThreads * threads[0];
  }

  void run(ForestKind kind, SpanningForestResult& result) override {
    struct Parent {
      Vertex id;
      double weight;
    };
    std::vector<Parent> parents;
    lists_ = rows_.gather(graph_.out(), weights_);
    world_.collective_try([&] {
      if (world_.rank() != 0) return;
      if (!forest_)
        forest_.emplace(world_.team(), ForestLists::of_all(lists_, ids_.size()), weights_, OrderTable{order_.data()});
      const WeightKeys<Key> keys(lists_, weights_, kind);
      forest_->find(keys, by_id_.size(), [&](std::size_t k) { return by_id_[k]; });
      parents.resize(ids_.size());
      world_.team().for_range(parents.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
        for (std::size_t k = a; k < b; ++k) {
          const auto row = static_cast<Local>(k);
          parents[k] = forest_->is_root(row) ? Parent{ids_[k], 0}
                                             : Parent{ids_[forest_->parent(row)], keys.weight_of(forest_->key(row))};
        }
      });
    });
    lists_ = {};
    parents = from_first_rank(world_, begins_, parents);
    write(
        graph_,
        [&](Local v) -> std::pair<Vertex, double> {
          if (v >= graph_.active()) return {graph_.id_of(v), 0};
          return {parents[index(v)].id, parents[index(v)].weight};
        },
        result);
  }
  std::size_t memory_bytes() const override {
    return rows_.memory_bytes() + ids_.size() * (sizeof(Vertex) + 2 * sizeof(Local)) +
           (forest_ ? forest_->memory_bytes() : 0);
  }

 private:
  // Offset, id, order, forest with its edges, and parents twice.
  static constexpr double kBytesPerRow = 112;

  const Graph& graph_;
  const EdgeWeighting weights_;
  World& world_;
  RowsOverRanks rows_;
  std::vector<std::ptrdiff_t> begins_;  // [rank]
  Csr lists_;                           // while it runs, on rank 0
  Array<Vertex> ids_;                   // [row] on rank 0
  Array<Local> by_id_, order_;          // rows by ascending id; [row] its place there
  std::optional<WholeForest<Key, OrderTable>> forest_;
};

// A rank's own edges make pieces of the forest. The edges that join pieces are found by all ranks together. Vertices
// are called by their positions in the order of all ids.
template <class Key>
class SpanningForest::Distributed final : public Search {
 public:
  Distributed(const Graph& graph, EdgeWeighting weights)
      : graph_(graph),
        weights_(weights),
        world_(graph.world()),
        positions_(graph),
        order_(index(graph.locals())),
        piece_(index(graph.locals())),
        exchange_(graph),
        forest_(world_.team(), ForestLists::of(graph), weights, OrderTable{order_.data()}),
        trees_(index(graph.locals())) {
    for (std::size_t k = 0; k < order_.size(); ++k) order_[positions_.locals()[k]] = static_cast<Local>(k);
  }

  void run(ForestKind kind, SpanningForestResult& result) override {
    const WeightKeys<Key> keys(graph_.out(), weights_, kind);
    forest_.find(keys);
    const std::vector<Vertex> smallest = find_pieces();
    const Blocks blocks = number_pieces(static_cast<Vertex>(smallest.size()));
    join_mirrors();
    std::vector<PieceEdge<Key>> edges;
    // One of the two ranks that have an edge, half of the time that of the smaller end.
    const auto is_here = [&](Local v, Local u) {
      return (positions_[v] < positions_[u]) == (((positions_[v] ^ positions_[u]) & 1) == 0);
    };
    for (const auto& [key, a, b] : forest_.candidates(keys, is_here))
      edges.push_back({key, positions_[a], positions_[b], piece_[a], piece_[b]});
    const double bytes = kBytesPerEdge * world_.sum(static_cast<double>(edges.size())) +
                         kBytesPerPiece * static_cast<double>(blocks.count());
    const bool fits = blocks.count() < std::numeric_limits<Local>::max() &&
                      bytes <= static_cast<double>(world_.plan().replicated_bytes);
    const std::vector<PieceParent<Key>> parents = fits ? forest_on_first_rank<Key>(world_, smallest, std::move(edges))
                                                       : forest_over_ranks<Key>(world_, blocks, smallest, edges);

    trees_.start(world_.team(), forest_.edges());
    for (std::size_t k = 0; k < smallest.size(); ++k) {
      const auto& [is_root, edge] = parents[k];
      const bool is_a = edge.piece_a == blocks.begin(world_.rank()) + static_cast<Vertex>(k);
      const Vertex top = is_root ? smallest[k] : is_a ? edge.a : edge.b;
      trees_.set_root(positions_.local_at(top), static_cast<std::uint32_t>(k));
    }
    trees_.find(world_.team());
    write(
        graph_,
        [&](Local v) -> std::pair<Vertex, double> {
          if (v >= graph_.active()) return {graph_.id_of(v), 0};
          if (!trees_.is_root(v)) return {graph_.id_of(trees_.parent(v)), keys.weight_of(trees_.key(v))};
          const auto& [is_root, edge] = parents[trees_.edge(v)];
          if (is_root) return {graph_.id_of(v), 0};
          const Vertex above = edge.a == positions_[v] ? edge.b : edge.a;
          return {graph_.id_of(positions_.local_at(above)), keys.weight_of(edge.key)};
        },
        result);
  }
  std::size_t memory_bytes() const override {
    return positions_.memory_bytes() + order_.size() * sizeof(Local) + piece_.size() * sizeof(Vertex) +
           exchange_.memory_bytes() + forest_.memory_bytes() + trees_.memory_bytes();
  }

 private:
  static constexpr double kBytesPerEdge = 80, kBytesPerPiece = 90;  // of forest_on_first_rank()

  // Returns the smallest vertex of each of this rank's pieces; afterwards piece_ has those of the masters, from 0.
  std::vector<Vertex> find_pieces() {
    std::vector<Vertex> smallest;
    std::fill(piece_.begin(), piece_.end(), kNoVertex);
    std::vector<Vertex> piece_of(index(graph_.active()), kNoVertex);  // [root of the tree]
    for (Vertex k = 0; k < graph_.owned(); ++k) {                     // by ascending id: the smallest comes first
      const Local v = graph_.local_of(k);
      if (v >= graph_.active()) continue;
      Vertex& piece = piece_of[forest_.tree(v)];
      if (piece == kNoVertex) {
        piece = static_cast<Vertex>(smallest.size());
        smallest.push_back(positions_[v]);
      }
      piece_[v] = piece;
    }
    return smallest;
  }

  // Numbers pieces over the ranks, in piece_ for mirrors too.
  Blocks number_pieces(Vertex pieces) {
    std::vector<Vertex> first{0};
    for (const Vertex count : world_.all_gather(pieces)) first.push_back(first.back() + count);
    for (Local v = 0; v < graph_.active(); ++v) piece_[v] += first[static_cast<std::size_t>(world_.rank())];
    exchange_.broadcast_all({piece_.data(), piece_.size()});
    return Blocks(std::move(first));
  }

  // Mirrors of the same piece are joined by edges of their owner.
  void join_mirrors() {
    const Mirrors& mirrors = graph_.mirrors();
    std::vector<std::pair<Vertex, Local>> members;
    for (std::size_t r = 0; r < mirrors.count.size(); ++r)
      for (Local m = mirrors.begin[r]; m < mirrors.begin[r] + mirrors.count[r]; ++m) members.emplace_back(piece_[m], m);
    std::sort(members.begin(), members.end());
    for (std::size_t k = 1; k < members.size(); ++k)
      if (members[k].first == members[k - 1].first) forest_.join(members[k - 1].second, members[k].second);
  }

  const Graph& graph_;
  const EdgeWeighting weights_;
  World& world_;
  const IdPositions positions_;
  Array<Local> order_;   // [local] index in positions_.locals()
  Array<Vertex> piece_;  // [local] of vertices with an edge
  MirrorExchange<Vertex, MinOf> exchange_;
  ListForest<Key, OrderTable> forest_;
  TreeParents<Key> trees_;
};

SpanningForest::SpanningForest(const Graph& graph, EdgeWeighting weights) : graph_(graph), weights_(weights) {
  check_undirected(graph);
  if (weights == EdgeWeighting::of_edges) check_numbers(graph);
  const auto make = [&]<class Key>(Key) {
    if (graph.world().size() == 1) {
      search_ = std::make_unique<OneRank<Key>>(graph, weights);
    } else if (OnFirstRank<Key>::is_better(graph, weights)) {
      search_ = std::make_unique<OnFirstRank<Key>>(graph, weights);
    } else {
      search_ = std::make_unique<Distributed<Key>>(graph, weights);
    }
  };
  if (weights == EdgeWeighting::of_edges && std::holds_alternative<Array<double>>(graph.out().weights)) {
    make(std::uint64_t{});
  } else {
    make(std::uint32_t{});
  }
}

SpanningForest::~SpanningForest() = default;

void SpanningForest::run(ForestKind kind, SpanningForestResult& result) {
  check(
      kind == ForestKind::minimum || weights_ == EdgeWeighting::ones || !graph_.merged_to_least(),
      "spanning forest: several edges between two vertices of {} were merged to the least weight (a maximum forest has "
      "the greatest). Read it with duplicates max, or keep them.",
      graph_.name());
  search_->run(kind, result);
}

std::size_t SpanningForest::memory_bytes() const { return search_->memory_bytes(); }

}  // namespace atl
