// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/graph/numbering.hpp>
#include <set>
#include <string>
#include <vector>

#include "cases.hpp"
#include "shapes.hpp"

using namespace atl;

namespace {

Plan plan_of(Rank ranks) {
  Plan plan;
  plan.threads = ranks <= 2 ? 3 : 1;
  plan.slot_bytes = 512;
  plan.slots_per_peer = 2;
  plan.shuffle_seed = static_cast<std::uint64_t>(ranks);
  plan.timeout_seconds = 120;
  return plan;
}

Vertex at(const IdColumn& column, std::size_t i) {
  return std::visit([&](const auto& c) { return static_cast<Vertex>(c[i]); }, column);
}

EdgeList columns(const std::vector<Vertex>& source, const std::vector<Vertex>& target) {
  Array<Vertex> s(source.size()), t(target.size());
  std::copy(source.begin(), source.end(), s.begin());
  std::copy(target.begin(), target.end(), t.begin());
  EdgeList edges;
  edges.source = std::move(s);
  edges.target = std::move(t);
  edges.name = "edges";
  return edges;
}

// Numbers `edges` of each rank; checks that dense numbers ascend with the ids and that the map inverts them.
template <class Slice>
void check_numbering(Rank ranks, const Plan& plan, Slice&& slice) {
  run_ranks(ranks, plan, [&](World& world) {
    EdgeList edges = slice(world.rank());
    const EdgeList before = slice(world.rank());
    std::vector<Vertex> named = before.vertices;
    for (std::size_t i = 0; i < before.size(); ++i) {
      named.push_back(at(before.source, i));
      named.push_back(at(before.target, i));
    }
    named = world.all_gather_varying(std::span<const Vertex>(named));
    if (before.range)
      for (Vertex k = 0; k < before.range->count; ++k) named.push_back(before.range->first + k);
    std::sort(named.begin(), named.end());
    named.erase(std::unique(named.begin(), named.end()), named.end());

    const IdMap ids = number(world, edges);
    CHECK(ids.count() == static_cast<Vertex>(named.size()));
    CHECK(ids.largest() == named.back());
    CHECK(edges.source.index() == 0);  // few vertices: 32 bits
    CHECK(edges.target.index() == 0);
    CHECK(edges.vertices.empty());
    REQUIRE(edges.size() == before.size());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < edges.size(); ++i) {
      wrong += named[static_cast<std::size_t>(at(edges.source, i))] != at(before.source, i);
      wrong += named[static_cast<std::size_t>(at(edges.target, i))] != at(before.target, i);
    }
    const Vertex begin = ids.blocks().begin(world.rank());
    for (Vertex k = 0; k < ids.blocks().size(world.rank()); ++k) {
      const Vertex id = named[static_cast<std::size_t>(begin + k)];
      wrong += ids.id_of(k) != id;
      wrong += ids.find_here(id) != k;
    }
    for (std::size_t k = 0; k < named.size(); ++k) {
      const auto dense = static_cast<Vertex>(k);
      const bool mine = dense >= begin && dense < ids.blocks().end(world.rank());
      wrong += (ids.find_here(named[k]) >= 0) != mine;
      wrong += (ids.blocks().owner(dense) == world.rank()) != mine;
    }
    for (const Vertex none : {Vertex{-1}, INT64_MIN, INT64_MAX, named.back() + 1}) wrong += ids.find_here(none) != -1;
    CHECK(wrong == 0);
  });
}

}  // namespace

TEST_CASE("dense numbers ascend with the ids, over all ranks, and map back to them") {
  for (const cases::Case& c : cases::all())
    for (const Rank ranks : shapes::kRanks)
      for (const bool wide : {false, true})
        for (const auto distribution : {cases::Distribution::spread, cases::Distribution::last_rank}) {
          CAPTURE(c.name);
          CAPTURE(ranks);
          check_numbering(ranks, plan_of(ranks), [&](Rank rank) {
            return cases::slice(c, false, cases::Weight::none, wide, rank, ranks, distribution);
          });
        }
}

TEST_CASE("long columns of compact, of scattered and of mostly distinct ids, with many threads") {
  const std::size_t m = 70000;  // more than a thread's grain size
  for (const Rank ranks : {1, 2, 3})
    for (const std::uint64_t spread :
         {std::uint64_t{1} << 12, std::uint64_t{1} << 22, static_cast<std::uint64_t>(INT64_MAX)})
      for (const std::uint64_t distinct : {std::uint64_t{500}, UINT64_MAX}) {
        CAPTURE(ranks);
        CAPTURE(spread);
        CAPTURE(distinct);
        check_numbering(ranks, plan_of(ranks), [&](Rank rank) {
          std::vector<Vertex> s(m), t(m);
          for (std::size_t i = 0; i < m; ++i) {
            const auto k = static_cast<std::uint64_t>(rank) * m + i;
            s[i] = static_cast<Vertex>(mix64(random_at(1, k) % distinct) % spread);
            t[i] = static_cast<Vertex>(mix64(random_at(2, k) % distinct) % spread);
          }
          return columns(s, t);
        });
      }
}

TEST_CASE("numbering by table, under a small memory limit, equals numbering by bitmap") {
  const cases::Case c = cases::all()[7];
  for (const Rank ranks : {1, 3, 8}) {
    Plan plan = plan_of(ranks);
    plan.replicated_bytes = 0;
    check_numbering(ranks, plan, [&](Rank rank) {
      return cases::slice(c, false, cases::Weight::none, false, rank, ranks, cases::Distribution::spread);
    });
  }
}

TEST_CASE("an id out of the range is refused with its value, the same on all ranks") {
  for (const Rank ranks : {1, 2, 5})
    for (const Vertex bad : {Vertex{9}, Vertex{20}, Vertex{-3}, INT64_MAX}) {
      run_ranks(ranks, plan_of(ranks), [&](World& world) {
        EdgeList edges = columns({10, 19}, {11, world.rank() == ranks - 1 ? bad : 12});
        edges.range = IdRange{10, 10};
        const std::string text =
            fmt::format("edges: id {} (ids are 10 to 19). Correct the edges or the number of vertices.", bad);
        CHECK_THROWS_WITH_AS(number(world, edges), text.c_str(), InputError);
      });
    }
}

TEST_CASE("negative ids, the reserved id for unreachable, and an empty graph are rejected on all ranks") {
  for (const Rank ranks : {1, 2, 5})
    run_ranks(ranks, plan_of(ranks), [&](World& world) {
      const bool last = world.rank() == ranks - 1;
      EdgeList negative = columns({1, 2}, {3, last ? -7 : 4});
      CHECK_THROWS_WITH_AS(number(world, negative),
                           "edges: id -7 (ids are whole numbers from 0 to 2^63 - 2). Renumber the vertices.",
                           InputError);
      EdgeList large = columns({1, last ? INT64_MAX : 2}, {3, 4});
      CHECK_THROWS_WITH_AS(
          number(world, large),
          "edges: id 9223372036854775807 (ids are whole numbers from 0 to 2^63 - 2). Renumber the vertices.",
          InputError);
      EdgeList only_named = columns({1}, {3});
      if (last) only_named.vertices = {-1};
      CHECK_THROWS_AS(number(world, only_named), InputError);
      EdgeList nothing = columns({}, {});
      CHECK_THROWS_AS(number(world, nothing), InputError);
      CHECK(world.sum(1) == ranks);
    });
}

TEST_CASE("different ranges of ids on different ranks are rejected, the same on all") {
  run_ranks(3, plan_of(3), [](World& world) {
    for (const bool missing : {false, true}) {
      EdgeList edges = columns({10, 19}, {11, 12});
      if (world.rank() != 1 || !missing) edges.range = IdRange{world.rank() == 1 ? 9 : 10, 20};
      CHECK_THROWS_WITH_AS(
          number(world, edges),
          "edges: rank 1 knows other ids than rank 0 (the range of ids must be the same on all ranks). "
          "Correct the range.",
          InputError);
    }
  });
}

TEST_CASE("blocks cover all numbers, sizes differ by one at most, and owner is their inverse") {
  for (const Rank ranks : {1, 2, 3, 7, 8, 9, 30})
    for (const Vertex n : {Vertex{0}, Vertex{1}, Vertex{2}, Vertex{7}, Vertex{64}, Vertex{1000}, INT64_MAX}) {
      const Blocks blocks = Blocks::even(n, ranks);
      CHECK(blocks.ranks() == ranks);
      CHECK(blocks.count() == n);
      Vertex least = INT64_MAX, most = 0;
      for (Rank r = 0; r < ranks; ++r) {
        least = std::min(least, blocks.size(r));
        most = std::max(most, blocks.size(r));
        if (blocks.size(r) == 0) continue;
        CHECK(blocks.owner(blocks.begin(r)) == r);
        CHECK(blocks.owner(blocks.end(r) - 1) == r);
      }
      CHECK(most - least <= 1);
    }
  // Unequal and empty blocks, few and many.
  for (const std::vector<Vertex>& first :
       {std::vector<Vertex>{0, 0, 5, 5, 5, 6, 6}, {0, 3, 3, 3, 3, 3, 3, 3, 4, 4, 9, 9}}) {
    const Blocks blocks(first);
    for (Vertex v = 0; v < blocks.count(); ++v) {
      const Rank r = blocks.owner(v);
      CHECK_UNARY(blocks.begin(r) <= v && v < blocks.end(r));
    }
  }
}
