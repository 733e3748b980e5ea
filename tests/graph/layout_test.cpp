// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/graph/layout.hpp>
#include <vector>

#include "cases.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

template <class Id>
void check_heads(World& world, const Graph& graph) {
  const auto& ids = std::get<Array<Id>>(graph.id_column());
  for (const Csr* csr : {&graph.out(), &graph.in()}) {
    const EllPrefix<Id> prefix(world.team(), *csr, graph.active(), graph.locals(), ids);
    std::size_t wrong = 0;
    const std::size_t words = (static_cast<std::size_t>(graph.active()) + 63) / 64;
    for (int c = 0; c < EllPrefix<Id>::kColumns; ++c) {
      REQUIRE(prefix.vertex[c].size() == words * 64);
      REQUIRE(prefix.id[c].size() == words * 64);
      for (std::size_t v = 0; v < words * 64; ++v) {
        const bool has = v < static_cast<std::size_t>(graph.active()) && csr->degree(static_cast<Local>(v)) > c;
        const Local expected =
            has ? csr->neighbours(static_cast<Local>(v))[static_cast<std::size_t>(c)] : graph.locals();
        wrong += prefix.vertex[c][v] != expected;
        if (has) wrong += static_cast<Vertex>(prefix.id[c][v]) != graph.id_of(expected);
      }
    }
    for (std::size_t v = 0; v < words * 64; ++v) {
      const bool more =
          v < static_cast<std::size_t>(graph.active()) && csr->degree(static_cast<Local>(v)) > EllPrefix<Id>::kColumns;
      wrong += (prefix.more[v / 64] >> (v % 64) & 1) != static_cast<std::uint64_t>(more);
    }
    CHECK(wrong == 0);
  }
}

void check_owned_index_order(World& world, const Graph& graph) {
  const OwnedIndexOrder order(world.team(), graph);
  std::size_t wrong = 0;
  for (std::size_t w = 0; w < order.tail.size(); ++w) {
    Local tail = order.first_tail[w];
    auto hub = static_cast<std::size_t>(order.first_hub[w]);
    for (std::size_t v = w * 64; v < std::min(w * 64 + 64, static_cast<std::size_t>(graph.owned())); ++v) {
      const Local local = graph.local_of(static_cast<Vertex>(v));
      const bool is_hub = order.hub[w] >> (v % 64) & 1, is_tail = order.tail[w] >> (v % 64) & 1;
      wrong += is_hub != (local < graph.hubs());
      wrong += is_tail != (local >= graph.hubs() && local < graph.active());
      if (is_hub) wrong += order.hub_list[hub++] != local;
      if (is_tail) wrong += tail++ != local;
    }
  }
  CHECK(order.tail.size() == (static_cast<std::size_t>(graph.owned()) + 63) / 64);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("head columns hold the first neighbours and their ids, and the order of owned indices is restored") {
  for (const cases::Case& c : cases::all())
    for (const bool directed : {false, true})
      for (const Rank ranks : {1, 2, 5}) {
        CAPTURE(c.name);
        CAPTURE(directed);
        CAPTURE(ranks);
        Plan plan;
        plan.threads = ranks == 2 ? 3 : 1;
        run_ranks(ranks, plan, [&](World& world) {
          const Graph graph = Graph::build(world, cases::slice(c, directed, cases::Weight::none, false, world.rank(),
                                                               ranks, cases::Distribution::spread));
          if (std::holds_alternative<Array<std::uint32_t>>(graph.id_column())) {
            check_heads<std::uint32_t>(world, graph);
          } else {
            check_heads<Vertex>(world, graph);
          }
          check_owned_index_order(world, graph);
        });
      }
}
