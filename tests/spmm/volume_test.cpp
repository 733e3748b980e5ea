// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/spmm/volume.hpp>
#include <map>
#include <numeric>
#include <set>

#include "shapes.hpp"
#include "spmm/random_rows.hpp"

using namespace atl;

namespace {

MatrixRows<float> part(const SparseMatrix<float>& a, const Blocks& blocks, Rank rank) {
  MatrixRows<float> out{.blocks = blocks, .column_blocks = blocks};
  const auto first = static_cast<std::size_t>(blocks.begin(rank)), own = static_cast<std::size_t>(blocks.size(rank));
  const Edge from = a.offsets[first];
  out.offsets = Array<Edge>(own + 1);
  for (std::size_t i = 0; i <= own; ++i) out.offsets[i] = a.offsets[first + i] - from;
  out.columns = Array<Vertex>(static_cast<std::size_t>(out.offsets[own]));
  for (std::size_t e = 0; e < out.columns.size(); ++e)
    out.columns[e] = a.column_indices[static_cast<std::size_t>(from) + e];
  return out;
}

// By the definitions, in sets. A domain is told by its lowest rank.
FetchedRows by_definition(const SparsePattern& a, const Blocks& blocks, const Hierarchy& tree) {
  const auto depth = static_cast<std::size_t>(tree.depth());
  const auto domain = [&](int level, Rank r) {  // of ranks that are nearer to each other than `level`
    Rank lowest = 0;
    while (lowest != r && (level == 0 || tree.level_between(lowest, r) >= level)) ++lowest;
    return lowest;
  };
  FetchedRows out{FetchedRows::Levels(depth), FetchedRows::Levels(depth), FetchedRows::Levels(depth),
                  FetchedRows::Levels(depth)};
  const auto level = [&](Rank r, Rank s) { return static_cast<std::size_t>(tree.level_between(r, s)); };
  for (Rank r = 0; r < tree.size(); ++r)
    for (Rank s = 0; s < tree.size(); ++s)
      if (r != s) out.coarse[level(r, s)] += static_cast<std::uint64_t>(blocks.size(r));
  std::set<std::pair<Rank, Vertex>> fetched;
  // [level] a domain and a column that it needs and does not own
  std::vector<std::set<std::pair<Rank, Vertex>>> entered(depth + 1);
  for (Rank r = 0; r < tree.size(); ++r)
    for (Vertex i = blocks.begin(r); i < blocks.end(r); ++i)
      for (auto e = a.offsets[static_cast<std::size_t>(i)]; e < a.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
        const Vertex column = a.column_indices[static_cast<std::size_t>(e)];
        const Rank owner = blocks.owner(column);
        if (owner == r) continue;
        ++out.row_wise[level(r, owner)];
        if (fetched.insert({r, column}).second) ++out.column_wise[level(r, owner)];
        for (int l = 0; l <= tree.level_between(r, owner); ++l)
          entered[static_cast<std::size_t>(l)].insert({domain(l, r), column});
      }
  // The rows that enter the domains of a level, less those that entered the domains around them.
  for (std::size_t l = 0; l < depth; ++l) out.fused[l] = entered[l].size() - entered[l + 1].size();
  return out;
}

// The rows that must cross the highest level, by the size of a matching between the rows and the columns of each two of
// its domains that grows by one augmenting path after the other.
std::uint64_t crossing_by_covers(const SparsePattern& a, const Blocks& blocks, const Hierarchy& tree) {
  const int top = tree.depth() - 1;
  const auto domain = [&](Rank r) {
    Rank lowest = 0;
    while (lowest != r && (top == 0 || tree.level_between(lowest, r) >= top)) ++lowest;
    return lowest;
  };
  std::map<std::pair<Rank, Rank>, std::map<Vertex, std::set<Vertex>>> nonzeros;  // [of row, of column][row]
  for (Vertex i = 0; i < a.rows; ++i)
    for (auto e = a.offsets[static_cast<std::size_t>(i)]; e < a.offsets[static_cast<std::size_t>(i) + 1]; ++e) {
      const Vertex column = a.column_indices[static_cast<std::size_t>(e)];
      const Rank here = domain(blocks.owner(i)), there = domain(blocks.owner(column));
      if (here != there) nonzeros[{here, there}][i].insert(column);
    }
  std::uint64_t crossing = 0;
  for (const auto& [between, rows] : nonzeros) {
    std::map<Vertex, Vertex> row_at;  // [column]
    std::set<Vertex> seen;
    const auto augment = [&](const auto& self, Vertex row) -> bool {
      for (const Vertex column : rows.at(row)) {
        if (!seen.insert(column).second) continue;
        const auto found = row_at.find(column);
        if (found != row_at.end() && !self(self, found->second)) continue;
        row_at[column] = row;
        return true;
      }
      return false;
    };
    for (const auto& [row, columns] : rows) {
      seen.clear();
      crossing += augment(augment, row);
    }
  }
  return crossing;
}

void check_equal(const FetchedRows& found, const FetchedRows& right) {
  CHECK(found.coarse == right.coarse);
  CHECK(found.row_wise == right.row_wise);
  CHECK(found.column_wise == right.column_wise);
  CHECK(found.fused == right.fused);
}

std::uint64_t sum(const FetchedRows::Levels& levels) {
  return std::accumulate(levels.begin(), levels.end(), std::uint64_t{0});
}

const std::vector<Rank> kModelled = {1, 2, 3, 4, 5, 6, 7, 8, 16};

}  // namespace

TEST_CASE("volumes are those of their definitions, for any ranks, workgroups and blocks") {
  for (const Vertex n : {0, 1, 5, 37, 64}) {
    const SparseMatrix<float> a = random_rows::matrix(n);
    for (const Rank ranks : kModelled)
      for (Rank size = 1; size <= ranks; ++size) {
        CAPTURE(n);
        CAPTURE(ranks);
        CAPTURE(size);
        const Hierarchy tree = workgroups(ranks, size);
        for (const Blocks& blocks : {Blocks::even(n, ranks), blocks_by_nonzeros(a.pattern(), ranks)}) {
          const FetchedRows rows = count_fetched(a.pattern(), blocks, blocks, tree);
          check_equal(rows, by_definition(a.pattern(), blocks, tree));
          const CommunicationVolume v = volume_of(rows, 3, 8);
          const auto row = std::uint64_t{24}, all = static_cast<std::uint64_t>(n);
          const auto groups = static_cast<std::uint64_t>((ranks + size - 1) / size);
          CHECK(v.coarse == row * all * static_cast<std::uint64_t>(ranks - 1));
          if (ranks % size == 0) CHECK(v.coarse_across == row * all * static_cast<std::uint64_t>(ranks - size));
          CHECK(v.row_wise == row * sum(rows.row_wise));
          CHECK(v.column_wise == row * sum(rows.column_wise));
          CHECK(v.fused_across <= row * all * (groups - 1));
          CHECK(v.fused_across <= v.column_wise_across);
          CHECK(v.column_wise_across <= v.row_wise_across);
          CHECK(v.column_wise_across <= v.coarse_across);
          // Each rank gets each row that it needs once, whichever way it comes.
          CHECK(sum(rows.fused) == sum(rows.column_wise));
          const FetchedRows::Levels joint = count_joint(a.pattern(), blocks, blocks, tree);
          CHECK(joint.back() == crossing_by_covers(a.pattern(), blocks, tree));
          CHECK(joint.back() <= rows.fused.back());
        }
      }
  }
}

TEST_CASE("volumes over hierarchies of any depth, whose domains need not have consecutive ranks") {
  const SparseMatrix<float> a = random_rows::matrix(61);
  Domain apart{.kind = "system", .name = {}, .children = {}, .ranks = {}};
  apart.children.push_back({.kind = "node", .name = {}, .children = {}, .ranks = {0, 3, 4}});
  apart.children.push_back({.kind = "node", .name = {}, .children = {}, .ranks = {5, 1}});
  apart.children.push_back({.kind = "node", .name = {}, .children = {}, .ranks = {2, 6}});
  for (const Hierarchy& tree : {Hierarchy::flat(5), Hierarchy::parse("2x2x2"), Hierarchy::parse("2x3x1x2"),
                                Hierarchy::parse("4+2+1"), Hierarchy(apart)}) {
    const Blocks blocks = Blocks::even(61, tree.size());
    check_equal(count_fetched(a.pattern(), blocks, blocks, tree), by_definition(a.pattern(), blocks, tree));
  }
}

TEST_CASE("volumes are the same on any number of ranks that count them") {
  for (const Rank ranks : shapes::kRanks)
    run_ranks(ranks, {}, [&](World& world) {
      const Blocks here = random_rows::blocks(world.size());
      const SparseMatrix<float> a = random_rows::matrix(here.count());
      const MatrixRows<float> own = part(a, here, world.rank());
      for (const Hierarchy& tree : {workgroups(1, 1), workgroups(7, 3), workgroups(16, 8), Hierarchy::parse("2x3x2")}) {
        const Blocks blocks = Blocks::even(here.count(), tree.size());
        check_equal(count_fetched(world, own, blocks, blocks, tree), count_fetched(a.pattern(), blocks, blocks, tree));
      }
      CHECK_THROWS_AS(
          count_fetched(world, own, Blocks::even(here.count(), 3), Blocks::even(here.count(), 3), workgroups(4, 2)),
          InputError);
      CHECK_THROWS_AS(
          count_fetched(world, own, Blocks::even(here.count() + 1, 3), Blocks::even(here.count(), 3), workgroups(3, 2)),
          InputError);
    });
}

TEST_CASE("a coarse-grained broadcast moves what CoLa's Table 2 prints, by the number of vertices alone") {
  struct Printed {
    const char* name;
    Vertex n;
    const char* mib;
  };
  for (const Printed& p : std::initializer_list<Printed>{{"CLJ", 3997962, "7320.49"},
                                                         {"COK", 3072441, "5625.81"},
                                                         {"CYT", 1134890, "2078.05"},
                                                         {"CIT", 2927963, "5361.26"},
                                                         {"PRD", 2449029, "4484.31"},
                                                         {"SLJ", 4847571, "8876.17"},
                                                         {"SPK", 1632803, "2989.75"},
                                                         {"SSO", 2601977, "4764.36"}}) {
    CAPTURE(std::string(p.name));
    const Hierarchy tree = workgroups(16, 8);
    const FetchedRows::Levels none(2), rows = coarse_rows(Blocks::even(p.n, 16), tree);
    const CommunicationVolume v = volume_of({rows, none, none, none}, 32, 4);
    CHECK(fmt::format("{:.2f}", static_cast<double>(v.coarse) / (1 << 20)) == p.mib);
    CHECK(v.coarse_across == static_cast<std::uint64_t>(p.n) * 128 * 8);
  }
}

TEST_CASE("blocks by nonzeros have all rows, and no more than a share and a row") {
  const SparseMatrix<float> a = random_rows::matrix(200);
  Edge longest = 0;
  for (std::size_t i = 0; i < 200; ++i) longest = std::max(longest, a.offsets[i + 1] - a.offsets[i]);
  for (const Rank ranks : kModelled) {
    const Blocks blocks = blocks_by_nonzeros(a.pattern(), ranks);
    REQUIRE(blocks.ranks() == ranks);
    CHECK(blocks.count() == 200);
    for (Rank r = 0; r < ranks; ++r) {
      REQUIRE(blocks.size(r) >= 0);
      const Edge own =
          a.offsets[static_cast<std::size_t>(blocks.end(r))] - a.offsets[static_cast<std::size_t>(blocks.begin(r))];
      CHECK(own <= a.pattern().nonzeros() / ranks + longest + 1);
    }
  }
}

TEST_CASE("workgroups of impossible sizes are refused") {
  CHECK_THROWS_WITH_AS(workgroups(4, 5), "workgroups of 5 ranks (there are 4 ranks). Take 1 to 4.", InputError);
  CHECK_THROWS_AS(workgroups(4, 0), InputError);
  CHECK(workgroups(5, 2).root().children.size() == 3);
  CHECK(workgroups(5, 2).root().children[2].ranks == std::vector<Rank>{4});
}
