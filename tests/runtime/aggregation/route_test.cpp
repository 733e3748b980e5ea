// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

using namespace atl;

namespace {

// Ranks assigned to the leaves round-robin, as in a cyclic rank order.
Hierarchy cyclic(int leaves, Rank ranks) {
  nlohmann::json children = nlohmann::json::array();
  for (int leaf = 0; leaf < leaves; ++leaf) {
    std::vector<Rank> mine;
    for (Rank r = leaf; r < ranks; r += leaves) mine.push_back(r);
    children.push_back({{"kind", "node"}, {"ranks", mine}});
  }
  return Hierarchy::from_json({{"kind", "switch"}, {"children", children}});
}

// Three levels, unequal at both boundaries, with domains of one rank.
Hierarchy ragged() {
  Rank next = 0;
  const auto leaf = [&](int n) {
    std::vector<Rank> ranks;
    for (int i = 0; i < n; ++i) ranks.push_back(next++);
    return nlohmann::json{{"kind", "node"}, {"ranks", ranks}};
  };
  const auto group = [&](std::vector<int> sizes) {
    nlohmann::json leaves = nlohmann::json::array();
    for (const int n : sizes) leaves.push_back(leaf(n));
    return nlohmann::json{{"kind", "switch"}, {"children", leaves}};
  };
  nlohmann::json groups = nlohmann::json::array();
  groups.push_back(group({1}));
  groups.push_back(group({3, 1, 2}));
  groups.push_back(group({4, 5}));
  return Hierarchy::from_json({{"kind", "system"}, {"children", groups}});
}

std::vector<Hierarchy> machines() {
  std::vector<Hierarchy> all;
  for (const char* text :
       {"1", "5", "2x1", "2x2", "3+2", "1+4", "2+1+3", "3x4", "2x3x4", "4x1x3", "2x2x2x2", "2x3x2x3"})
    all.push_back(Hierarchy::parse(text));
  all.push_back(ragged());
  all.push_back(cyclic(3, 11));
  return all;
}

struct Way {
  std::vector<Rank> ranks;  // the source first
  std::vector<int> levels;  // of the hops
};

Way way_of(const Route& route, const Hierarchy& h, Rank from, Rank to) {
  Way way{{from}, {}};
  Route::Phase phase = Route::Phase::up;
  while (way.ranks.back() != to) {
    REQUIRE(way.ranks.size() <= 2 * static_cast<std::size_t>(h.depth()));
    const Route::Hop hop = route.next(way.ranks.back(), to, phase);
    way.levels.push_back(h.level_between(way.ranks.back(), hop.rank));
    way.ranks.push_back(hop.rank);
    phase = hop.phase;
  }
  return way;
}

template <class F>
void for_all_pairs(F&& f) {
  for (const Hierarchy& h : machines())
    for (const std::string& name : Route::all_names())
      for (const std::string& monitors : monitor_names()) {
        std::vector<std::int64_t> weights;
        for (Rank r = 0; r < h.size(); ++r) weights.push_back((r * 7) % 5);
        const Route route(name, h, monitors_named(monitors), weights);
        for (Rank from = 0; from < h.size(); ++from)
          for (Rank to = 0; to < h.size(); ++to)
            if (from != to) f(route, h, from, to, name);
      }
}

}  // namespace

TEST_CASE("on every route each pair of ranks is connected in no more hops than the route's formula") {
  for_all_pairs([](const Route& route, const Hierarchy& h, Rank from, Rank to, const std::string& name) {
    const auto hops = way_of(route, h, from, to).levels.size();
    const int level = h.level_between(from, to);
    const bool two = name == "aml" || name == "mst" || name == "row";
    const std::size_t most = name == "direct"       ? 1
                             : name == "aml-levels" ? static_cast<std::size_t>(level) + 1
                             : two                  ? (level == 0 ? 1 : 2)
                                                    : static_cast<std::size_t>(2 * level + 1);
    CHECK(hops <= most);
    CHECK(hops <= static_cast<std::size_t>(2 * h.depth() - 1));
  });
}

TEST_CASE("a record crosses its highest level once; levels strictly rise before and fall after it") {
  for_all_pairs([](const Route& route, const Hierarchy& h, Rank from, Rank to, const std::string& name) {
    const Way way = way_of(route, h, from, to);
    const int top = h.level_between(from, to);
    CHECK(std::count(way.levels.begin(), way.levels.end(), top) == 1);
    const auto crossing = std::find(way.levels.begin(), way.levels.end(), top);
    CHECK(std::is_sorted(way.levels.begin(), crossing, std::less_equal<>()));
    CHECK(std::is_sorted(crossing, way.levels.end(), std::greater_equal<>()));
    CHECK(std::adjacent_find(way.levels.begin(), way.levels.end()) == way.levels.end());
    if (name.starts_with("aml") || name == "mst") CHECK(crossing == way.levels.begin());
  });
}

TEST_CASE("a record's rounds increase from hop to hop, so waiting is never circular") {
  for_all_pairs([](const Route& route, const Hierarchy& h, Rank from, Rank to, const std::string& name) {
    if (name == "direct") return;
    Route::Phase phase = Route::Phase::up;
    int last = -1;
    for (Rank here = from; here != to;) {
      const Route::Hop hop = route.next(here, to, phase);
      const int round = route.round_of(phase, hop.phase, h.level_between(here, hop.rank));
      CHECK(round > last);
      CHECK(round < route.rounds());
      last = round;
      here = hop.rank;
      phase = hop.phase;
    }
  });
}

TEST_CASE("between two domains all records of a gathering route use one pair of ranks") {
  for (const Hierarchy& h : machines())
    for (const char* name : {"domain", "mst-levels"}) {
      const Route route(name, h);
      // At the top level: a pair of its domains -> the pairs of ranks that cross.
      std::map<std::pair<int, int>, std::set<std::pair<Rank, Rank>>> crossings;
      const int top = h.depth() - 1;
      if (top == 0) continue;
      std::map<Rank, int> side;  // which child of the root
      for (Rank r = 0; r < h.size(); ++r) {
        int n = 0;
        for (Rank other = 0; other < r; ++other)
          if (h.level_between(other, r) < top) n = side[other] + 1;
        side[r] = n > 0 ? n - 1 : static_cast<int>(side.empty() ? 0 : [&] {
          int most = -1;
          for (auto& [_, s] : side) most = std::max(most, s);
          return most + 1;
        }());
      }
      for (Rank from = 0; from < h.size(); ++from)
        for (Rank to = 0; to < h.size(); ++to) {
          if (h.level_between(from, to) != top) continue;
          const Way way = way_of(route, h, from, to);
          for (std::size_t i = 0; i < way.levels.size(); ++i)
            if (way.levels[i] == top) crossings[{side[from], side[to]}].insert({way.ranks[i], way.ranks[i + 1]});
        }
      for (const auto& [domains, pairs] : crossings) CHECK(pairs.size() == 1);
    }
}

TEST_CASE("monitors are spread over a domain's ranks by target; a single one serves all") {
  const Hierarchy h = Hierarchy::parse("5x4");
  const Route spread("domain", h), single("domain", h, Monitors::single), mst("mst-levels", h);
  std::set<Rank> of_spread, of_single, of_mst;
  for (Rank target = 4; target < 20; target += 4) {
    of_spread.insert(spread.monitor(0, 0, target));
    of_single.insert(single.monitor(0, 0, target));
    of_mst.insert(mst.monitor(0, 0, target));
  }
  CHECK(of_spread.size() == 4);
  CHECK(of_single == std::set<Rank>{0});
  CHECK(of_mst == std::set<Rank>{1});
}

TEST_CASE("spread monitors lie in as many leaf domains as there are targets, as far as leaves go") {
  for (const std::string shape : {"8x8x16", "3x2x4", "9x5x3", "4x8x2", "2x2x2x2"}) {
    CAPTURE(shape);
    const Hierarchy h = Hierarchy::parse(shape);
    const Route spread("domain", h);
    for (int level = 1; level + 1 < h.depth(); ++level) {
      std::set<Rank> monitors;
      std::set<int> leaves, domains, its_leaves;
      for (Rank r = 0; r < h.size(); ++r) {
        if (h.level_between(0, r) <= level) its_leaves.insert(h.leaf_of(r));
        if (h.level_between(0, r) != level + 1) continue;
        const Rank monitor = spread.monitor(0, level, r);
        CHECK(h.level_between(0, monitor) <= level);
        monitors.insert(monitor);
        leaves.insert(h.leaf_of(monitor));
        domains.insert(spread.leader(level, r));
      }
      CHECK(leaves.size() >= std::min(domains.size(), its_leaves.size()) / 2);
      CHECK(monitors.size() >= std::min(domains.size(), spread.domain(level, 0).size()) / 2);
    }
  }
}

TEST_CASE("with several monitors a pair of domains has one crossing for each leaf or rank of the target's domain") {
  for (const std::string shape : {"2x2x4", "3x4", "3+1+2", "2x3x2x3", "9x5x3"}) {
    CAPTURE(shape);
    const Hierarchy h = Hierarchy::parse(shape);
    const int top = h.depth() - 1;
    const Route whole("domain", h), by_leaf("domain:leaf", h), by_rank("domain:rank", h);
    CHECK(whole.gathers_by_domain());
    CHECK(by_leaf.gathers_by_domain() == (top == 1));  // domains below the top level are leaves then
    CHECK(!by_rank.gathers_by_domain());
    for (Rank from = 0; from < h.size(); ++from)
      for (Rank to = 0; to < h.size(); ++to) {
        if (h.level_between(from, to) != top) continue;
        const auto entry = [&](const Route& route) {
          const Way way = way_of(route, h, from, to);
          const auto crossing = std::find(way.levels.begin(), way.levels.end(), top) - way.levels.begin();
          return way.ranks[static_cast<std::size_t>(crossing) + 1];
        };
        CHECK(entry(by_rank) == to);
        CHECK(h.leaf_of(entry(by_leaf)) == h.leaf_of(to));
      }
  }
}

TEST_CASE("on two levels the row route and domain:rank are one, if domains have one size") {
  const Hierarchy h = Hierarchy::parse("3x4");
  const Route row("row", h), by_rank("domain:rank", h);
  for (Rank from = 0; from < h.size(); ++from)
    for (Rank to = 0; to < h.size(); ++to)
      if (from != to) CHECK(way_of(row, h, from, to).ranks == way_of(by_rank, h, from, to).ranks);
}

TEST_CASE("monitors under one router, and on the ranks with the heaviest vertices") {
  const Hierarchy h = Hierarchy::parse("3x2x4");  // ranks 0 to 7 are a domain of two leaves
  const Route router("domain", h, Monitors::router);
  for (Rank target = 8; target < 24; target += 8) CHECK(router.monitor(0, 1, target) < 4);
  std::vector<std::int64_t> weights(24, 1);
  weights[6] = 9;
  weights[3] = 5;
  const Route heavy("domain", h, Monitors::heavy, weights);
  // Targets are the domains 1 and 2: candidates 1 and 2 of the order 6, 3, 0, ...
  CHECK(heavy.monitor(0, 1, 8) == 3);
  CHECK(heavy.monitor(0, 1, 16) == 0);
  CHECK(Route("domain", h, Monitors::heavy).monitor(0, 1, 8) == 2);  // without weights of vertices: as spread
  CHECK_THROWS_AS(monitors_named("many"), InputError);
}

TEST_CASE("the paper's figure 3: AML and the two-hop row") {
  // There, domains {0, 2}, {1, 3} and so on are columns; here domain d has ranks 4 d to 4 d + 3.
  const Hierarchy h = Hierarchy::parse("3x4");
  const Route row("row", h);
  for (const char* name : {"aml", "aml-levels"}) {
    const Route aml(name, h);
    CHECK(way_of(aml, h, 4, 2).ranks == std::vector<Rank>{4, 0, 2});
    CHECK(way_of(aml, h, 1, 11).ranks == std::vector<Rank>{1, 9, 11});
  }
  CHECK(way_of(row, h, 4, 2).ranks == std::vector<Rank>{4, 6, 2});
  CHECK(way_of(row, h, 1, 11).ranks == std::vector<Rank>{1, 3, 11});
}

TEST_CASE("the published AML and MST cross right into the target's leaf: to the sender's place there, or to one rank") {
  const Hierarchy h = Hierarchy::parse("2x2x4");
  const Route aml("aml", h), mst("mst", h);
  CHECK(way_of(aml, h, 1, 14).ranks == std::vector<Rank>{1, 13, 14});
  CHECK(way_of(aml, h, 1, 6).ranks == std::vector<Rank>{1, 5, 6});
  CHECK(way_of(aml, h, 2, 14).ranks == std::vector<Rank>{2, 14});
  CHECK(way_of(Route("aml-levels", h), h, 1, 14).ranks == std::vector<Rank>{1, 9, 13, 14});
  for (Rank from = 0; from < 4; ++from) {
    CHECK(way_of(mst, h, from, 15).ranks == std::vector<Rank>{from, 14, 15});  // it crosses level 2
    CHECK(way_of(mst, h, from, 7).ranks == std::vector<Rank>{from, 5, 7});
  }
  const Hierarchy unequal = Hierarchy::parse("1+4+2");
  CHECK(way_of(Route("aml", unequal), unequal, 4, 6).ranks == std::vector<Rank>{4, 6});
  CHECK(way_of(Route("aml", unequal), unequal, 4, 5).ranks == std::vector<Rank>{4, 6, 5});
}

TEST_CASE("an unknown route is rejected, and on a flat machine every route is direct") {
  CHECK_THROWS_AS(Route("fastest", Hierarchy::parse("2x2")), InputError);
  CHECK_THROWS_AS(Route("fastest", Hierarchy::flat(3)), InputError);
  for (const std::string& name : Route::all_names()) CHECK(Route(name, Hierarchy::flat(3)).is_direct());
}
