// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/topology/draw.hpp>
#include <nlohmann/json.hpp>

using namespace atl;

TEST_CASE("few domains are drawn one by one, with their ranks") {
  CHECK(draw(Hierarchy::flat(4)) == "node: ranks 0-3\n");
  CHECK(draw(Hierarchy::parse("2x2")) == "switch\n├── node: ranks 0-1\n└── node: ranks 2-3\n");
  const Hierarchy h = Hierarchy::from_json(nlohmann::json::parse(R"({"kind":"system","name":"lab","children":[
    {"kind":"node","name":"a","ranks":[3,0,1]},{"kind":"node","name":"b","ranks":[2]}]})"));
  CHECK(draw(h) == "system lab\n├── node a: ranks 0-1 3\n└── node b: rank 2\n");
}

TEST_CASE("equal siblings are one line, with the subtree of the first") {
  CHECK(draw(Hierarchy::parse("8x2x4")) == "system\n└── switch x 8\n    └── node x 2: 4 ranks each\n");
  CHECK(draw(Hierarchy::parse("4+4+4+1+2")) ==
        "switch\n├── node x 3: ranks 0-11, 4 each\n├── node: rank 12\n└── node: ranks 13-14\n");
}

TEST_CASE("a line of named siblings gives the first and the last name") {
  const Hierarchy h = Hierarchy::from_json(nlohmann::json::parse(R"({"kind":"system","children":[
    {"kind":"switch","name":"s1","children":[{"kind":"node","name":"a","ranks":[0]},{"kind":"node","name":"b","ranks":[1]},
     {"kind":"node","name":"c","ranks":[2]}]},
    {"kind":"switch","name":"s2","children":[{"kind":"node","name":"d","ranks":[3]}]}]})"));
  CHECK(draw(h) ==
        "system\n├── switch s1\n│   └── node a .. c x 3: ranks 0-2, 1 each\n└── switch s2\n    └── node d: rank 3\n");
}
