// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/spmm/joint/cover.hpp>
#include <bit>
#include <set>

using namespace atl;
using spmm::minimum_cover;
using spmm::Nonzero;
using spmm::RowCover;

namespace {

// Random ones of a block of `rows` x `columns`, some twice, in any order, with numbers that are far apart.
std::vector<Nonzero> random_block(std::uint64_t seed, Vertex rows, Vertex columns, std::uint64_t count) {
  std::vector<Nonzero> out;
  for (std::uint64_t e = 0; e < count; ++e)
    out.push_back({1000 + 7 * static_cast<Vertex>(random_at(seed, 2 * e) % static_cast<std::uint64_t>(columns)),
                   50 + 3 * static_cast<Vertex>(random_at(seed, 2 * e + 1) % static_cast<std::uint64_t>(rows))});
  return out;
}

bool covers(const RowCover& cover, const std::vector<Nonzero>& nonzeros) {
  return std::ranges::all_of(nonzeros, [&](const Nonzero& at) {
    return std::ranges::binary_search(cover.columns, at.column) || std::ranges::binary_search(cover.rows, at.row);
  });
}

// By trying every set of columns: the rows of all nonzeros in other columns must be taken.
struct Oracle {
  std::size_t size = 0, columns = 0;  // the least; the most columns of a cover of that size
};
Oracle by_enumeration(const std::vector<Nonzero>& nonzeros) {
  std::set<Vertex> distinct;
  for (const Nonzero& at : nonzeros) distinct.insert(at.column);
  const std::vector<Vertex> columns(distinct.begin(), distinct.end());
  Oracle best{.size = columns.size(), .columns = columns.size()};
  for (std::uint32_t taken = 0; taken < 1U << columns.size(); ++taken) {
    std::set<Vertex> rows;
    for (const Nonzero& at : nonzeros) {
      const auto column = std::ranges::lower_bound(columns, at.column) - columns.begin();
      if (!(taken >> column & 1)) rows.insert(at.row);
    }
    const auto of_columns = static_cast<std::size_t>(std::popcount(taken)), size = of_columns + rows.size();
    if (size < best.size || (size == best.size && of_columns > best.columns)) best = {size, of_columns};
  }
  return best;
}

}  // namespace

TEST_CASE("a cover is the least of all, and has as many columns as such a one can have") {
  int with_rows = 0;
  for (const auto& [rows, columns] : {std::pair{1, 1}, {1, 9}, {9, 1}, {3, 5}, {5, 3}, {7, 7}, {4, 11}, {12, 6}})
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
      CAPTURE(rows);
      CAPTURE(columns);
      CAPTURE(seed);
      const std::vector<Nonzero> block = random_block(seed, rows, columns, seed % 30);
      const RowCover cover = minimum_cover(block);
      const Oracle right = by_enumeration(block);
      CHECK(covers(cover, block));
      CHECK(cover.size() == right.size);
      CHECK(cover.columns.size() == right.columns);
      CHECK(std::ranges::is_sorted(cover.columns));
      CHECK(std::ranges::is_sorted(cover.rows));
      with_rows += !cover.rows.empty() && !cover.columns.empty();
    }
  CHECK(with_rows > 30);
}

TEST_CASE("a cover is no larger than either side of the block, and the same in whichever order nonzeros come") {
  for (std::uint64_t seed = 0; seed < 8; ++seed) {
    std::vector<Nonzero> block = random_block(seed, 400, 900, 300 << seed % 4);
    for (Vertex i = 0; i < 300; ++i) block.push_back({1007, 50 + i});  // a long column, and a long row
    for (Vertex j = 0; j < 300; ++j) block.push_back({1000 + j, 53});
    const RowCover cover = minimum_cover(block);
    std::set<Vertex> rows, columns;
    for (const Nonzero& at : block) {
      rows.insert(at.row);
      columns.insert(at.column);
    }
    CHECK(covers(cover, block));
    CHECK(cover.size() < std::min(rows.size(), columns.size()));
    std::ranges::reverse(block);
    const RowCover again = minimum_cover(block);
    CHECK(again.rows == cover.rows);
    CHECK(again.columns == cover.columns);
  }
}

TEST_CASE("a long alternating path is followed to its end") {
  // Column j has rows j and j + 1; the last has one. Greedy from one side leaves a column to the path over all.
  for (const Vertex n : {1, 2, 3, 1000, 20'000}) {
    std::vector<Nonzero> block;
    for (Vertex j = 0; j < n; ++j) {
      block.push_back({j, j});
      if (j + 1 < n) block.push_back({j, j + 1});
    }
    block.push_back({n, 0});
    const RowCover cover = minimum_cover(block);
    CHECK(covers(cover, block));
    CHECK(cover.size() == static_cast<std::size_t>(n));
    CHECK(cover.rows.size() == static_cast<std::size_t>(n));  // n + 1 columns, n rows
  }
}

TEST_CASE("a block without nonzeros needs nothing") { CHECK(minimum_cover({}).size() == 0); }
