// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/graph/relabel.hpp>
#include <vector>

using namespace atl;

TEST_CASE("hubs come first by descending degree, then the rest in order, then isolated vertices, for any threads") {
  for (const int threads : {1, 2, 3, 4, 8})
    for (const std::size_t n : {0u, 1u, 2u, 7u, 64u, 1000u, 5001u})
      for (const std::uint64_t kind : {0u, 1u, 2u, 3u}) {
        CAPTURE(threads);
        CAPTURE(n);
        CAPTURE(kind);
        Team team(threads);
        Array<Edge> degree(n);
        for (std::size_t v = 0; v < n; ++v) {
          const auto x = static_cast<Edge>(random_at(kind, v) % 1000);
          degree[v] = kind == 0    ? 0
                      : kind == 1  ? x + kHubDegree
                      : kind == 2  ? x % kHubDegree
                      : x % 5 == 0 ? 0
                                   : x % 150;
        }
        const LocalOrder order = order_by_degree(team, degree);
        REQUIRE(order.local_of.size() == n);
        REQUIRE(order.owned_index_of.size() == n);
        std::size_t hubs = 0, active = 0, wrong = 0;
        for (std::size_t v = 0; v < n; ++v) {
          hubs += degree[v] >= kHubDegree;
          active += degree[v] > 0;
          wrong += order.owned_index_of[static_cast<std::size_t>(order.local_of[v])] != static_cast<Local>(v);
        }
        CHECK(static_cast<std::size_t>(order.hubs) == hubs);
        CHECK(static_cast<std::size_t>(order.active) == active);
        for (std::size_t l = 1; l < n; ++l) {
          const Local a = order.owned_index_of[l - 1], b = order.owned_index_of[l];
          const Edge da = degree[static_cast<std::size_t>(a)], db = degree[static_cast<std::size_t>(b)];
          if (l < hubs) {
            wrong += !(da > db || (da == db && a < b));
          } else if (l != hubs && l != active) {
            wrong += a >= b;
          }
          wrong += (db > 0) != (l < active);
        }
        CHECK(wrong == 0);
      }
}

TEST_CASE("degree order and the removal of isolated vertices can be switched off separately") {
  for (const int threads : {1, 3}) {
    Team team(threads);
    const std::size_t n = 3000;
    Array<Edge> degree(n);
    for (std::size_t v = 0; v < n; ++v) degree[v] = static_cast<Edge>(random_at(4, v) % 3 * 50);  // 0, 50, 100
    std::size_t with_edges = 0, hubs = 0;
    for (const Edge d : degree) with_edges += d > 0, hubs += d >= kHubDegree;

    const LocalOrder kept = order_by_degree(team, degree, {.sort_hubs = true, .drop_isolated = false});
    CHECK(static_cast<std::size_t>(kept.active) == n);
    CHECK(static_cast<std::size_t>(kept.hubs) == hubs);
    const LocalOrder unsorted = order_by_degree(team, degree, {.sort_hubs = false, .drop_isolated = true});
    CHECK(unsorted.hubs == 0);
    CHECK(static_cast<std::size_t>(unsorted.active) == with_edges);
    const LocalOrder identity = order_by_degree(team, degree, {.sort_hubs = false, .drop_isolated = false});
    std::size_t wrong = 0;
    for (std::size_t v = 0; v < n; ++v) {
      wrong += identity.local_of[v] != static_cast<Local>(v) || identity.owned_index_of[v] != static_cast<Local>(v);
      wrong += (unsorted.local_of[v] < unsorted.active) != (degree[v] > 0);
      wrong += (kept.local_of[v] < kept.hubs) != (degree[v] >= kHubDegree);
    }
    CHECK(wrong == 0);
  }
}
