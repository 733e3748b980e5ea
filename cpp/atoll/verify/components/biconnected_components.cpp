// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/random.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <atoll/verify/components/biconnected_components.hpp>
#include <atoll/verify/components/lowpoint_search.hpp>
#include <atoll/verify/flood.hpp>
#include <atoll/verify/violations.hpp>
#include <numeric>

namespace atl {
namespace {

constexpr std::size_t kBlockGrain = 1024;
constexpr Vertex kMostPieces = 3;

// The values of a vertex; what a search finds has no fields that were not asked for.
struct BlockValues {
  Vertex blocks = 0, bridge = 0, block = -1, head = -1;
};

struct BlockTotals {
  Vertex components = 0, bridges = 0, articulation_points = 0, largest = 0;
};

// Values of all nodes, by id_of(node), from the search in the order of ids.
template <class Neighbours, class IdOf>
std::pair<std::vector<BlockValues>, BlockTotals> values_by_search(std::size_t nodes, const Neighbours& neighbours,
                                                                  const IdOf& id_of) {
  std::vector<Local> order(nodes);
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Local u, Local v) { return id_of(u) < id_of(v); });
  LowpointSearch search(nodes, neighbours);
  for (const Local v : order) search.from(v);
  std::vector<BlockValues> values(nodes);
  BlockTotals totals;
  for (const auto& [head, others] : search.blocks()) {
    ++values[head].blocks;
    const Local least =
        *std::min_element(others.begin(), others.end(), [&](Local u, Local v) { return id_of(u) < id_of(v); });
    for (const Local v : others) {
      ++values[v].blocks;
      values[v].block = id_of(least);
      values[v].head = id_of(head);
    }
    const std::span<const Local> list = neighbours(others[0]);
    const bool is_bridge = others.size() == 1 && std::count(list.begin(), list.end(), head) == 1;
    values[others[0]].bridge = is_bridge;
    totals.bridges += is_bridge;
    ++totals.components;
    totals.largest = std::max(totals.largest, static_cast<Vertex>(others.size()) + 1);
  }
  for (const BlockValues& of_node : values) totals.articulation_points += of_node.blocks > 1;
  return {std::move(values), totals};
}

// Rank 0 gathers the lists, and searches; every rank has the values of its own vertices, by owned index.
std::pair<std::vector<BlockValues>, BlockTotals> values_over_ranks(const Graph& graph) {
  World& world = graph.world();
  struct Arc {
    Local from, to;
  };
  const std::vector<Vertex> dense = dense_numbers(graph);
  std::vector<std::vector<Arc>> arcs(static_cast<std::size_t>(world.size()));
  std::vector<std::vector<Vertex>> ids(arcs.size());
  for (Local v = 0; v < graph.active(); ++v)
    for (const Local u : graph.out().neighbours(v))
      arcs[0].push_back({static_cast<Local>(dense[v]), static_cast<Local>(dense[u])});
  for (Vertex k = 0; k < graph.owned(); ++k) ids[0].push_back(graph.ids().id_of(k));
  const auto all_arcs = world.exchange(std::move(arcs));
  const auto all_ids = world.exchange(std::move(ids));
  std::vector<std::vector<BlockValues>> outgoing(all_arcs.size());
  BlockTotals totals;
  if (world.rank() == 0) {
    const auto nodes = index(graph.vertices());
    std::vector<Vertex> id;
    for (const auto& part : all_ids) id.insert(id.end(), part.begin(), part.end());
    std::vector<std::size_t> begin(nodes + 2, 0);
    for (const auto& part : all_arcs)
      for (const Arc& arc : part) ++begin[index(arc.from) + 2];
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    std::vector<Local> targets(begin.back());
    for (const auto& part : all_arcs)
      for (const Arc& arc : part) targets[begin[index(arc.from) + 1]++] = arc.to;
    const auto neighbours = [&](Local v) {
      return std::span<const Local>(targets.data() + begin[v], begin[index(v) + 1] - begin[v]);
    };
    std::vector<BlockValues> values;
    std::tie(values, totals) = values_by_search(nodes, neighbours, [&](Local v) { return id[v]; });
    for (Rank r = 0; r < world.size(); ++r)
      outgoing[r].assign(values.begin() + graph.blocks().begin(r), values.begin() + graph.blocks().end(r));
  }
  world.broadcast(std::span(&totals, 1), 0);
  return {world.exchange(std::move(outgoing))[0], totals};
}

std::pair<std::vector<BlockValues>, BlockTotals> values_on_one_rank(const Graph& graph) {
  auto [by_node, totals] = values_by_search(
      index(graph.active()), [&](Local v) { return graph.out().neighbours(v); },
      [&](Local v) { return graph.id_of(v); });
  std::vector<BlockValues> values(index(graph.owned()));
  for (std::size_t v = 0; v < by_node.size(); ++v)
    values[index(graph.owned_index_of(static_cast<Local>(v)))] = by_node[v];
  return {std::move(values), totals};
}

class BlockCheck {
 public:
  BlockCheck(const Graph& graph, const BlockColumns& columns)
      : graph_(graph),
        world_(graph.world()),
        columns_(columns),
        has_blocks_(is_given(columns.blocks, "numbers of blocks")),
        has_articulation_(is_given(columns.articulation, "articulation points")),
        has_bridge_(is_given(columns.bridge, "marks of bridges")),
        has_block_(is_given(columns.block, "biconnected components")),
        has_head_(is_given(columns.head, "heads")),
        violations_(world_) {}

  Verdict run(const BlockSamples& samples) {
    check_ranges();
    if (has_block_ && has_head_) check_edges();
    if (Verdict verdict = found(); !verdict.ok) return verdict;
    const double bytes = 16.0 * static_cast<double>(graph_.edges()) + 40.0 * static_cast<double>(graph_.vertices());
    if (world_.size() == 1 || bytes <= static_cast<double>(world_.plan().replicated_bytes)) {
      const auto [values, totals] = world_.size() == 1 ? values_on_one_rank(graph_) : values_over_ranks(graph_);
      if (Verdict verdict = compare(totals); !verdict.ok) return verdict;
      compare(values);
    } else {
      check_samples(samples);
    }
    return found();
  }

 private:
  bool is_given(std::span<const Vertex> column, const char* what) const {
    if (!world_.any(!column.empty())) return false;
    check_one_for_each(graph_, column.size(), what);
    return true;
  }
  Vertex id(std::size_t k) const { return graph_.ids().id_of(static_cast<Vertex>(k)); }
  template <class F>
  void for_owned(F&& f) {
    world_.team().for_range(index(graph_.owned()), kBlockGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t k = a; k < b; ++k) f(k);
    });
  }

  void check_ranges() {
    for_owned([&](std::size_t k) {
      if (has_blocks_ && columns_.blocks[k] < 0)
        violations_.note({.rule = 1, .a = id(k), .p = 0, .q = columns_.blocks[k]});
      if (!has_articulation_) return;
      const Vertex is_point = columns_.articulation[k];
      if ((is_point != 0 && is_point != 1) || (has_blocks_ && (columns_.blocks[k] > 1) != (is_point == 1)))
        violations_.note({.rule = 1, .a = id(k), .p = 1, .q = is_point});
    });
  }

  void check_edges() {
    const Array<Vertex> block = local_values(graph_, columns_.block);
    const Array<Vertex> head = local_values(graph_, columns_.head);
    world_.team().for_range(index(graph_.active()), kBlockGrain, [&](int, std::size_t a, std::size_t b) {
      for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v)
        for_distinct(graph_.out(), v, [&](Local u) {
          if (block[v] == block[u] && head[v] == head[u]) return;
          if (head[v] != graph_.id_of(u) && head[u] != graph_.id_of(v))
            violations_.note({.rule = 2,
                              .a = std::min(graph_.id_of(v), graph_.id_of(u)),
                              .b = std::max(graph_.id_of(v), graph_.id_of(u))});
        });
    });
  }

  Verdict compare(const BlockTotals& right) const {
    const auto differs = [](const std::optional<Vertex>& said, Vertex is, const char* what) -> Verdict {
      if (!said || *said == is) return {};
      return {false, fmt::format("rule 3: {} {} (a search finds {})", *said, what, is)};
    };
    for (const Verdict& verdict :
         {differs(columns_.components, right.components, "biconnected components"),
          differs(columns_.bridges, right.bridges, "bridges"),
          differs(columns_.articulation_points, right.articulation_points, "articulation points"),
          differs(columns_.largest, right.largest, "vertices of the largest biconnected component")})
      if (!verdict.ok) return verdict;
    return {};
  }

  void compare(const std::vector<BlockValues>& right) {
    for_owned([&](std::size_t k) {
      const auto compare = [&](Vertex column, bool is_given, std::span<const Vertex> values, Vertex is) {
        if (is_given && values[k] != is)
          violations_.note({.rule = 3, .a = id(k), .b = column, .p = values[k], .q = is});
      };
      compare(0, has_blocks_, columns_.blocks, right[k].blocks);
      compare(1, has_articulation_, columns_.articulation, right[k].blocks > 1);
      compare(2, has_bridge_, columns_.bridge, right[k].bridge);
      compare(3, has_block_, columns_.block, right[k].block);
      compare(4, has_head_, columns_.head, right[k].head);
    });
  }

  void check_samples(const BlockSamples& samples) {
    if (!has_blocks_ && !has_articulation_) return;
    const Vertex n = graph_.vertices(), drawn = std::min(samples.vertices, n);
    for (Vertex i = 0; i < drawn; ++i) {
      const std::uint64_t draw = random_at(samples.seed, static_cast<std::uint64_t>(i));
      const Vertex dense = drawn == n ? i : static_cast<Vertex>(draw % static_cast<std::uint64_t>(n));
      const bool is_here = graph_.blocks().owner(dense) == world_.rank();
      const auto k = is_here ? index(dense - graph_.blocks().begin(world_.rank())) : 0;
      const Vertex pieces = pieces_without(world_.max(is_here ? id(k) : -1));
      if (!is_here) continue;
      if (has_blocks_ ? std::min(columns_.blocks[k], kMostPieces) != pieces
                      : (columns_.articulation[k] == 1) != (pieces > 1))
        violations_.note({.rule = 4,
                          .a = id(k),
                          .b = has_blocks_ ? 0 : 1,
                          .p = has_blocks_ ? columns_.blocks[k] : columns_.articulation[k],
                          .q = pieces});
    }
  }

  // Floods from neighbours of the vertex, never through it, until all are reached or there are kMostPieces. Collective.
  Vertex pieces_without(Vertex id) {
    Local x = -1;  // its number here
    for (Local v = 0; v < graph_.locals() && x < 0; ++v)
      if (is_vertex(v) && graph_.id_of(v) == id) x = v;
    std::vector<Local> near;  // masters here
    for (Local v = 0; x >= 0 && v < graph_.active(); ++v) {
      const std::span<const Local> list = graph_.out().neighbours(v);
      if (v != x && std::binary_search(list.begin(), list.end(), x)) near.push_back(v);
    }
    VertexBits reached(index(graph_.locals()));
    for (Vertex pieces = 0;; ++pieces) {
      const auto next = std::find_if(near.begin(), near.end(), [&](Local v) { return !reached.test(index(v)); });
      const Vertex mine = next == near.end() ? kMaxVertex : graph_.id_of(*next), first = world_.min(mine);
      if (first == kMaxVertex || pieces == kMostPieces) return pieces;
      if (first == mine) reached.set(index(*next));
      flood(graph_, reached, [&](Local v, auto&& mark) {
        for (const Local u : graph_.out().neighbours(v))
          if (u != x) mark(u);
      });
    }
  }
  // Between masters and the mirrors of each owner are numbers that no vertex has.
  bool is_vertex(Local v) const {
    if (v < graph_.owned()) return true;
    const Mirrors& mirrors = graph_.mirrors();
    for (std::size_t r = 0; r < mirrors.count.size(); ++r)
      if (v >= mirrors.begin[r] && v < mirrors.begin[r] + mirrors.count[r]) return true;
    return false;
  }

  Verdict found() {
    const Violation b = violations_.first();
    constexpr const char* kColumns[] = {"number of blocks", "mark of articulation points", "mark of bridges", "block",
                                        "head"};
    switch (b.rule) {
      case 1:
        return {false, b.p == 0 ? fmt::format("rule 1: vertex {} is in {} blocks (0 or more)", b.a, b.q)
                                : fmt::format("rule 1: vertex {} has the mark {} (1 of an articulation point, which is "
                                              "in two blocks or more, else 0)",
                                              b.a, b.q)};
      case 2:
        return {false, fmt::format("rule 2: an edge joins vertices {} and {}, which have different blocks, and "
                                   "neither is the head of the other",
                                   b.a, b.b)};
      case 3:
        return {false,
                fmt::format("rule 3: vertex {} has the {} {} (a search finds {})", b.a, kColumns[b.b], b.p, b.q)};
      case 4:
        return {false, fmt::format("rule 4: vertex {} has the {} {} (its removal leaves {}{} pieces)", b.a,
                                   kColumns[b.b], b.p, b.q, b.q == kMostPieces ? " or more" : "")};
    }
    return {};
  }

  const Graph& graph_;
  World& world_;
  const BlockColumns columns_;
  const bool has_blocks_, has_articulation_, has_bridge_, has_block_, has_head_;
  Violations violations_;
};

}  // namespace

Verdict verify_biconnected_components(const Graph& graph, const BlockColumns& columns, const BlockSamples& samples) {
  check(!graph.directed(),
        "verify: {} is directed (biconnected components are of undirected graphs). Read it as undirected.",
        graph.name());
  return BlockCheck(graph, columns).run(samples);
}

}  // namespace atl
