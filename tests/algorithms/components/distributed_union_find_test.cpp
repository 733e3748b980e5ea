// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/components/distributed_union_find.hpp>
#include <atoll/base/random.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <string>

using namespace atl;

// Every rank joins a few labels of 0 .. kNames - 1, drawn from its own seed.
TEST_CASE("labels joined on any rank are represented by the smallest of them") {
  constexpr DistributedUnionFind::Label kNames = 60;
  struct Machine {
    Rank ranks;
    const char* domains;
    const char* route;
  };
  for (const Machine& m : {Machine{1, "", "direct"},
                           {2, "", "direct"},
                           {3, "", "direct"},
                           {8, "2x4", "direct"},
                           {5, "3+2", "domain"},
                           {8, "2x2x2", "domain"},
                           {7, "4+3", "row"}})
    for (const std::uint64_t pairs : {0U, 1U, 5U, 30U}) {
      CAPTURE(m.ranks);
      CAPTURE(std::string(m.route));
      CAPTURE(pairs);
      Plan plan;
      plan.threads = 1;
      plan.domains = m.domains;
      plan.route = m.route;
      run_ranks(m.ranks, plan, [&](World& world) {
        DistributedUnionFind names, known;
        for (int again = 0; again < 2; ++again) {  // joined sets can be joined further
          const std::uint64_t seed = pairs + 100 * static_cast<std::uint64_t>(again);
          const auto name_at = [&](Rank r, std::uint64_t i) -> DistributedUnionFind::Label {
            const auto drawn = [&](std::uint64_t at) {
              return random_at(seed * 1000 + static_cast<std::uint64_t>(r), at) % (kNames - 1);
            };
            return i % 2 == 0 ? drawn(i) : (drawn(i - 1) + 1 + drawn(i)) % kNames;  // never the preceding one
          };
          for (Rank r = 0; r < world.size(); ++r)
            for (std::uint64_t i = 0; i < pairs; ++i) {
              known.join(name_at(r, 2 * i), name_at(r, 2 * i + 1));
              if (r == world.rank()) names.join(name_at(r, 2 * i), name_at(r, 2 * i + 1));
            }
          constexpr DistributedUnionFind::Label kCommon = 10;
          names.unite(world, kCommon);
          for (DistributedUnionFind::Label name = 0; name < kCommon; ++name) CHECK(names.top(name) == known.top(name));
          for (std::uint64_t i = 0; i < 2 * pairs; ++i) {
            const auto name = name_at(world.rank(), i);
            CHECK(names.top(name) == known.top(name));
          }
        }
      });
    }
}
