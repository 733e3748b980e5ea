// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/graph/partition/delegates.hpp>
#include <set>
#include <utility>
#include <vector>

#include "graph/cases.hpp"
#include "shapes.hpp"

using namespace atl;

TEST_CASE("delegates hold each edge from a heavy vertex to another rank once, at the owner of its target") {
  int variant = 0;
  for (const cases::Case& c : cases::all())
    for (const bool directed : {false, true})
      for (const Rank ranks : shapes::kRanks)
        for (const Edge degree : {1, 3, 20}) {
          if (shapes::kSanitized && random_at(5, static_cast<std::uint64_t>(++variant)) % 12 != 0) continue;
          CAPTURE(c.name);
          CAPTURE(directed);
          CAPTURE(ranks);
          CAPTURE(degree);
          Plan plan;
          plan.threads = 1;
          run_ranks(ranks, plan, [&](World& world) {
            GraphOptions options;
            options.placement.partition = ranks % 2 ? Partition::hashed : Partition::blocked;
            options.degree_sort = degree != 3;
            const Graph graph = Graph::build(
                world,
                cases::slice(c, directed, cases::Weight::none, false, world.rank(), ranks, cases::Distribution::spread),
                options);
            const Delegates delegates_of_graph(graph, degree);
            struct Arc {
              Vertex from, to;
              auto operator<=>(const Arc&) const = default;
            };
            // The owner's edges to other ranks' vertices, and the rows of its delegates there.
            std::vector<Arc> listed, held;
            std::vector<std::vector<std::uint32_t>> rows(static_cast<std::size_t>(ranks));
            std::vector<std::vector<Vertex>> ids(static_cast<std::size_t>(ranks));
            std::size_t wrong = 0, named = 0;
            for (Local v = 0; v < graph.owned(); ++v) {
              const bool heavy = graph.out().degree(v) >= degree;
              const auto delegates = delegates_of_graph.of(v);
              wrong += !heavy && !delegates.empty();
              for (const auto& [rank, row] : delegates) {
                wrong += rank == world.rank();
                ++named;
                rows[static_cast<std::size_t>(rank)].push_back(row);
                ids[static_cast<std::size_t>(rank)].push_back(graph.id_of(v));
              }
              wrong += !std::is_sorted(delegates.begin(), delegates.end(),
                                       [](const auto& a, const auto& b) { return a.rank < b.rank; });
              for (const Local u : graph.out().neighbours(v))
                if (heavy && u >= graph.owned()) listed.push_back({graph.id_of(v), graph.id_of(u)});
            }
            const auto named_rows = world.exchange(std::move(rows));
            const auto named_ids = world.exchange(std::move(ids));
            for (std::size_t r = 0; r < named_rows.size(); ++r)
              for (std::size_t i = 0; i < named_rows[r].size(); ++i) {
                const std::uint32_t row = named_rows[r][i];
                wrong += graph.id_of(delegates_of_graph.mirror(row)) != named_ids[r][i];
                wrong += delegates_of_graph.targets(row).empty();
                for (const Local v : delegates_of_graph.targets(row)) {
                  wrong += v >= graph.active();
                  held.push_back({named_ids[r][i], graph.id_of(v)});
                }
              }
            CHECK(wrong == 0);
            auto all_listed = world.all_gather_varying(std::span<const Arc>(listed));
            auto all_held = world.all_gather_varying(std::span<const Arc>(held));
            std::sort(all_listed.begin(), all_listed.end());
            std::sort(all_held.begin(), all_held.end());
            CHECK(all_listed == all_held);
            CHECK(delegates_of_graph.memory_bytes() >=
                  held.size() * sizeof(Local) + named * sizeof(Delegates::Delegate));
          });
        }
}
