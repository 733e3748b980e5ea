// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <atoll/graph/partition/cut_quality.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <map>
#include <string>

#include "shapes.hpp"

using namespace atl;

namespace {

using Where = std::pair<Vertex, Rank>;
template <class T>
struct Seen {
  Vertex id;
  T value;
  bool changed, read, written, master;
};

bool is_in(const Mirrors& mirrors, Local v) {
  for (std::size_t r = 0; r < mirrors.count.size(); ++r)
    if (v >= mirrors.begin[r] && v < mirrors.begin[r] + mirrors.count[r]) return true;
  return false;
}

// The value of every vertex on every rank that has it. Collective.
template <class T>
std::map<Where, Seen<T>> everywhere(World& world, const VertexCut& cut, const std::vector<Vertex>& ids,
                                    const Array<T>& values, const VertexBits& changed) {
  std::vector<Seen<T>> mine;
  for (Local v = 0; v < cut.locals(); ++v) {
    const bool master = v < cut.owned(), twice = is_in(cut.mirrors(VertexCut::both), v),
               read = twice || is_in(cut.mirrors(VertexCut::only_read), v),
               written = twice || is_in(cut.mirrors(VertexCut::only_written), v);
    if (master || read || written)
      mine.push_back({ids[static_cast<std::size_t>(v)], values[static_cast<std::size_t>(v)], changed.test(v), read,
                      written, master});
  }
  std::vector<Edge> counts;
  const auto all = world.all_gather_varying(std::span<const Seen<T>>(mine), &counts);
  std::map<Where, Seen<T>> result;
  std::size_t at = 0;
  for (std::size_t r = 0; r < counts.size(); ++r)
    for (Edge i = 0; i < counts[r]; ++i, ++at) result[{all[at].id, static_cast<Rank>(r)}] = all[at];
  return result;
}

template <class T, class Combine>
void check_exchange(World& world, const Graph& graph, const CutRule& rule, std::uint64_t share, bool to_all) {
  const VertexCut cut(graph, rule, CutRows::sources);
  MirrorExchange<T, Combine> exchange(to_all ? GraphView::all_of(cut) : GraphView::along_edges(cut));
  const auto locals = static_cast<std::size_t>(cut.locals());
  std::vector<Vertex> ids(locals, kNoVertex);
  for (Local v = 0; v < cut.owned(); ++v) ids[static_cast<std::size_t>(v)] = graph.id_of(v);
  MirrorExchange<Vertex, MinOf>(GraphView::all_of(cut)).broadcast_all(ids);
  std::map<Vertex, Rank> owner;
  Array<T> values(locals, 0);
  VertexBits changed(cut.locals());
  for (const auto& [where, seen] : everywhere(world, cut, ids, values, changed))
    if (seen.master) owner[where.first] = where.second;
  const auto rank = static_cast<std::uint64_t>(world.rank());
  for (std::uint64_t round = 0; round < 4; ++round) {
    const bool whole = round == 3;  // reduce_all, broadcast_all
    const auto fill = [&] {
      changed.clear();
      for (std::size_t v = 0; v < locals; ++v) {
        const auto id = static_cast<std::uint64_t>(ids[v]);
        values[v] = static_cast<T>(1 + random_at(rank + 7 * round, id) % 1000);
        if (ids[v] != kNoVertex && random_at(round * 1000 + rank, id) % 64 < share) changed.set(static_cast<Local>(v));
      }
    };
    fill();
    auto expected = everywhere(world, cut, ids, values, changed);
    for (const auto& [where, seen] : everywhere(world, cut, ids, values, changed))
      if (!seen.master && (to_all || seen.written) && (seen.changed || whole))
        Combine{}(expected.at({where.first, owner.at(where.first)}).value, seen.value);
    whole ? exchange.reduce_all({values.data(), locals}) : exchange.reduce({values.data(), locals}, changed);
    for (const auto& [where, seen] : everywhere(world, cut, ids, values, changed)) {
      if (seen.master) CHECK(seen.value == expected.at(where).value);
      if (!seen.master && !whole) CHECK(!seen.changed);
    }

    fill();
    expected = everywhere(world, cut, ids, values, changed);
    for (auto& [where, seen] : expected)
      if (const auto& master = expected.at({where.first, owner.at(where.first)});
          !seen.master && (to_all || seen.read) && (master.changed || whole))
        seen.value = master.value;
    whole ? exchange.broadcast_all({values.data(), locals}) : exchange.broadcast({values.data(), locals}, changed);
    for (const auto& [where, seen] : everywhere(world, cut, ids, values, changed)) {
      const auto& master = expected.at({where.first, owner.at(where.first)});
      // If most have changed, all values are sent.
      const bool right = seen.value == expected.at(where).value ||
                         (!seen.master && (to_all || seen.read) && seen.value == master.value);
      CHECK(right);
    }
  }
}

}  // namespace

TEST_CASE("over a vertex-cut masters send to mirrors that are read, and receive from those that are written") {
  struct Setup {
    Rank ranks;
    const char* domains;
    const char* route;
    int threads;
  };
  for (const Setup& m : {Setup{1, "", "direct", 2},
                         {2, "", "direct", 2},
                         {3, "", "direct", 1},
                         {4, "2x2", "row", 2},
                         {4, "", "direct", 2},
                         {5, "3+2", "domain", 1},
                         {8, "2x2x2", "auto", 1},
                         {8, "", "direct", 1},
                         {7, "4+3", "mst", 1}})
    for (const char* text : {"kron:7", "uniform:7:3", "star:100"})
      for (const std::uint64_t share : {0U, 1U, 20U, 64U}) {
        if (shapes::kSanitized && (share == 20 || m.ranks == 8)) continue;
        CAPTURE(m.ranks);
        CAPTURE(m.route);
        CAPTURE(text);
        CAPTURE(share);
        Plan plan;
        plan.threads = m.threads;
        plan.domains = m.domains;
        plan.route = m.route;
        plan.slot_bytes = m.ranks == 3 ? 256 : 0;  // messages of many parts
        run_ranks(m.ranks, plan, [&](World& world) {
          EdgeList edges = generate(world, text);
          edges.directed = share != 1;
          const Graph graph = Graph::build(world, std::move(edges));
          check_exchange<float, MinOf>(world, graph, CutRule(Cut::cartesian, m.ranks), share, false);
          check_exchange<std::int64_t, SumOf>(world, graph, CutRule(Cut::hybrid, m.ranks, 5), share, false);
          check_exchange<std::int64_t, SumOf>(world, graph, CutRule(Cut::hybrid, m.ranks, 5), share, true);
        });
      }
}

TEST_CASE("the bytes of a round equal the prediction for the cut, and travel along a row and a column of the grid") {
  for (const Rank ranks : {2, 4, 5, 6, 8})
    for (const char* text : {"kron:9", "uniform:8:3"})
      for (const bool directed : {false, true}) {
        CAPTURE(ranks);
        CAPTURE(text);
        Plan plan;
        plan.threads = 1;
        run_ranks(ranks, plan, [&](World& world) {
          EdgeList edges = generate(world, text);
          edges.directed = directed;
          const Graph graph = Graph::build(world, std::move(edges), {.placement = {.partition = Partition::balanced}});
          std::vector<Rank> owner(static_cast<std::size_t>(graph.locals()), world.rank());
          broadcast_to_mirrors(graph, std::span(owner));
          // A slot has a header of 8 bytes, and so has each block of values: one of each here.
          const auto values_moved = [&](auto&& round) {
            const Counters before = world.counters();
            round();
            const Counters spent = world.counters().since(before);
            Edge bytes = 0;
            for (const auto& level : spent.levels)
              bytes += static_cast<Edge>(level.bytes) - 16 * static_cast<Edge>(level.messages);
            return world.sum(bytes);
          };
          for (const Cut kind : {Cut::cartesian, Cut::hybrid}) {
            const CutRule rule(kind, ranks, 8);
            const VertexCut cut(graph, rule, CutRows::targets);
            MirrorExchange<float, SumOf> exchange(GraphView::along_edges(cut));
            Array<float> values(static_cast<std::size_t>(cut.locals()), 1.0F);
            const Edge moved = values_moved([&] {
              exchange.broadcast_all({values.data(), values.size()});
              exchange.reduce_all({values.data(), values.size()});
            });
            CHECK(moved == quality_of(graph, owner, ranks, rule).bytes_per_round());
            if (kind != Cut::cartesian) continue;
            const Grid& grid = rule.grid();
            for (Rank r = 0; r < ranks; ++r) {
              const auto at = static_cast<std::size_t>(r);
              CHECK(cut.mirrors(VertexCut::both).count[at] == 0);
              if (grid.row_of(r) != grid.row_of(world.rank())) CHECK(cut.mirrors(VertexCut::only_read).count[at] == 0);
              if (grid.column_of(r) != grid.column_of(world.rank()))
                CHECK(cut.mirrors(VertexCut::only_written).count[at] == 0);
            }
          }
          MirrorExchange<float, SumOf> exchange(graph);
          Array<float> values(static_cast<std::size_t>(graph.locals()), 1.0F);
          const Edge moved = values_moved([&] { exchange.broadcast_all({values.data(), values.size()}); });
          CHECK(moved == quality_of(graph, owner, ranks, CutRule(Cut::edge, ranks)).bytes_per_round());
        });
      }
}
