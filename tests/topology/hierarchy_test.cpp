// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

using namespace atl;
using nlohmann::json;

TEST_CASE("a flat hierarchy has one level, and all ranks are close") {
  for (const Rank ranks : {1, 2, 7}) {
    const Hierarchy h = Hierarchy::flat(ranks);
    CHECK(h.size() == ranks);
    CHECK(h.depth() == 1);
    CHECK(h.kind_at(0) == "node");
    for (Rank a = 0; a < ranks; ++a)
      for (Rank b = 0; b < ranks; ++b) CHECK(h.level_between(a, b) == 0);
  }
}

TEST_CASE("sizes count from the top: 2x3x4 is 2 switches of 3 nodes of 4 ranks") {
  const Hierarchy h = Hierarchy::parse("2x3x4");
  CHECK(h.size() == 24);
  CHECK(h.depth() == 3);
  CHECK(h.kind_at(0) == "node");
  CHECK(h.kind_at(1) == "switch");
  CHECK(h.kind_at(2) == "system");
  for (Rank a = 0; a < 24; ++a) {
    CHECK(h.leaf_of(a) == a / 4);
    for (Rank b = 0; b < 24; ++b) CHECK(h.level_between(a, b) == (a / 4 == b / 4 ? 0 : a / 12 == b / 12 ? 1 : 2));
  }
}

TEST_CASE("leaf domains may be unequal") {
  const Hierarchy h = Hierarchy::parse("3+1+2");
  CHECK(h.size() == 6);
  CHECK(h.depth() == 2);
  const std::vector<int> leaf = {0, 0, 0, 1, 2, 2};
  for (Rank a = 0; a < 6; ++a)
    for (Rank b = 0; b < 6; ++b)
      CHECK(h.level_between(a, b) == (leaf[static_cast<std::size_t>(a)] != leaf[static_cast<std::size_t>(b)]));
}

TEST_CASE("one number is a flat domain, and sizes of 1 make levels that separate nothing") {
  CHECK(Hierarchy::parse("5").depth() == 1);
  CHECK(Hierarchy::parse("1x1x5").depth() == 3);
  CHECK(Hierarchy::parse("1x1x5").level_between(0, 4) == 0);
  CHECK(Hierarchy::parse("5x1").level_between(0, 4) == 1);
}

TEST_CASE("JSON in and out is the same hierarchy, ranks in any leaf") {
  for (const char* text : {"1", "4", "2x2", "3x1x2", "3+2+1", "2x2x2x2"}) {
    const json j = Hierarchy::parse(text).to_json();
    CHECK(Hierarchy::from_json(j).to_json() == j);
  }
  const json j = json::parse(R"({"kind":"system","name":"lab","children":[
    {"kind":"node","name":"a","ranks":[3,0]},{"kind":"node","ranks":[1]},{"kind":"node","ranks":[4,2]}]})");
  const Hierarchy h = Hierarchy::from_json(j);
  CHECK(h.to_json() == j);
  CHECK(h.level_between(3, 0) == 0);
  CHECK(h.level_between(0, 1) == 1);
  CHECK(h.leaf_of(4) == 2);
  CHECK(h.root().name == "lab");
}

TEST_CASE("an invalid size is rejected with the correct form") {
  for (const char* text : {"", "x", "0", "2x", "x2", "2xx2", "-1x2", "2x0", "a", "2 x 2", "2x2 ", "+", "3+", "3+0",
                           "2x2+1", "99999999999"}) {
    CAPTURE(text);
    const std::string expected = "domains '" + std::string(text) +
                                 "' (sizes are positive numbers, as 2x4 for 2 domains of 4 ranks or 3+2 for unequal "
                                 "ones). Correct --domains.";
    CHECK_THROWS_WITH_AS(Hierarchy::parse(text), expected.c_str(), InputError);
  }
}

TEST_CASE("too many ranks are rejected before any allocation") {
  CHECK_THROWS_AS(Hierarchy::parse("100000x100000"), InputError);
  CHECK_THROWS_AS(Hierarchy::parse("2000000000"), InputError);
  CHECK_THROWS_AS(Hierarchy::parse("2000000000+2000000000"), InputError);
}

TEST_CASE("JSON that is not a hierarchy is rejected") {
  for (const char* text :
       {R"([])", R"(3)", R"({"kind":3,"ranks":[0]})", R"({"ranks":"0"})", R"({"ranks":[1]})", R"({"ranks":[0,0]})",
        R"({"ranks":[-1]})", R"({"ranks":[0,2]})", R"({"children":[{"ranks":[0]},{"ranks":[0]}]})",
        R"({"children":[{"ranks":[0]},{"children":[{"ranks":[1]}]}]})",
        R"({"children":[{"children":[{"ranks":[1]}]},{"ranks":[0]}]})", R"({"ranks":[0],"children":[{"ranks":[1]}]})",
        R"({"children":[5]})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(Hierarchy::from_json(json::parse(text)), InputError);
  }
}

TEST_CASE("a restriction to the first ranks keeps their distances and drops empty domains") {
  const Hierarchy all = Hierarchy::parse("2x3x4");
  for (Rank ranks = 1; ranks <= all.size(); ++ranks) {
    const Hierarchy few = all.first(ranks);
    CHECK(few.size() == ranks);
    CHECK(few.depth() == all.depth());
    for (Rank r = 0; r < ranks; ++r) CHECK(few.level_between(0, r) == all.level_between(0, r));
  }
  CHECK(all.first(5).root().children.size() == 1);
  CHECK(all.first(5).root().children[0].children.size() == 2);
}

TEST_CASE("renumbered ranks are as far apart as their places") {
  const Hierarchy places = Hierarchy::parse("2x3x4");
  std::vector<Rank> order;  // 5 has no factor in common with 24
  for (Rank r = 0; r < places.size(); ++r) order.push_back((5 * r + 7) % places.size());
  const Hierarchy ranks = places.of_places(order);
  REQUIRE(ranks.size() == places.size());
  CHECK(ranks.depth() == places.depth());
  for (Rank a = 0; a < ranks.size(); ++a) {
    CHECK(ranks.leaf_of(a) == places.leaf_of(order[static_cast<std::size_t>(a)]));
    for (Rank b = 0; b < ranks.size(); ++b)
      CHECK(ranks.level_between(a, b) ==
            places.level_between(order[static_cast<std::size_t>(a)], order[static_cast<std::size_t>(b)]));
  }
}
