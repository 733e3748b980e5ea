// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/matrix/block_cyclic.hpp>
#include <set>
#include <utility>
#include <vector>

using namespace atl;

namespace {

// How often each card occurs among the given ranks.
std::vector<int> counts(const ProcessGrid& grid, const std::vector<Rank>& ranks) {
  std::vector<int> of_card(static_cast<std::size_t>(grid.cards));
  for (const Rank r : ranks) ++of_card[static_cast<std::size_t>(grid.card_of(r))];
  return of_card;
}
bool is_even(const std::vector<int>& of_card) {
  const auto [least, most] = std::minmax_element(of_card.begin(), of_card.end());
  return *most - *least <= 1;
}

std::vector<ProcessGrid> placements() {
  std::vector<ProcessGrid> all;
  for (int node_rows = 1; node_rows <= 8; ++node_rows)
    for (int node_cols = 1; node_cols <= 8; ++node_cols)
      for (int cards = 1; cards <= node_rows * node_cols; ++cards)
        if (node_rows * node_cols % cards == 0)
          all.push_back({2 * node_rows, 3 * node_cols, node_rows, node_cols, cards});
  return all;
}

}  // namespace

TEST_CASE("each index has one place in one part, and a part's places are 0 to its size, in ascending order") {
  for (const std::int64_t n : {0, 1, 7, 8, 9, 40, 41})
    for (const std::int64_t block : {1, 3, 8, 64})
      for (const int parts : {1, 2, 3, 7}) {
        CAPTURE(n);
        CAPTURE(block);
        CAPTURE(parts);
        const BlockCyclic side{.size = n, .block = block, .parts = parts};
        std::vector<std::int64_t> next(static_cast<std::size_t>(parts), 0);
        for (std::int64_t i = 0; i < n; ++i) {
          const int part = side.part_of(side.block_of(i));
          REQUIRE(side.local_of(i) == next[static_cast<std::size_t>(part)]++);
          REQUIRE(side.index_of(part, side.local_of(i)) == i);
        }
        std::int64_t blocks = 0;
        for (int part = 0; part < parts; ++part) {
          CHECK(side.size_on(part) == next[static_cast<std::size_t>(part)]);
          blocks += side.blocks_on(part);
        }
        CHECK(blocks == side.blocks());
      }
}

TEST_CASE("a placement maps each node's ranks to a rectangle, and every rank to one place") {
  for (const ProcessGrid& grid : placements()) {
    CAPTURE(grid.node_rows);
    CAPTURE(grid.node_cols);
    CAPTURE(grid.cards);
    std::set<std::pair<int, int>> places;
    for (Rank node = 0; node < 6; ++node) {
      int top = grid.rows, left = grid.cols, bottom = -1, right = -1;
      for (Rank r = node * grid.node_size(); r < (node + 1) * grid.node_size(); ++r) {
        const int row = grid.row_of(r), col = grid.col_of(r);
        REQUIRE(grid.rank_at(row, col) == r);
        places.insert({row, col});
        top = std::min(top, row), left = std::min(left, col);
        bottom = std::max(bottom, row), right = std::max(right, col);
      }
      CHECK(bottom - top + 1 == grid.node_rows);
      CHECK(right - left + 1 == grid.node_cols);
    }
    CHECK(places.size() == static_cast<std::size_t>(grid.size()));
  }
}

TEST_CASE("cards form a Latin square: each occurs equally often, up to one, in each row and each column of a node") {
  for (const ProcessGrid& grid : placements())
    for (Rank node = 0; node < 6; ++node) {
      const int top = grid.row_of(node * grid.node_size()) / grid.node_rows * grid.node_rows;
      const int left = grid.col_of(node * grid.node_size()) / grid.node_cols * grid.node_cols;
      std::vector<Rank> all;
      for (int r = 0; r < grid.node_rows; ++r) {
        std::vector<Rank> row;
        for (int c = 0; c < grid.node_cols; ++c) row.push_back(grid.rank_at(top + r, left + c));
        REQUIRE(is_even(counts(grid, row)));
        all.insert(all.end(), row.begin(), row.end());
      }
      for (int c = 0; c < grid.node_cols; ++c) {
        std::vector<Rank> col;
        for (int r = 0; r < grid.node_rows; ++r) col.push_back(grid.rank_at(top + r, left + c));
        REQUIRE(is_even(counts(grid, col)));
      }
      const std::vector<int> of_card = counts(grid, all);
      REQUIRE(std::ranges::all_of(of_card, [&](int k) { return k == grid.node_size() / grid.cards; }));
    }
  // The square of four cards with one rank of each card in each row and column.
  const ProcessGrid four{4, 4, 4, 4, 4};
  std::set<int> diagonal;
  for (int c = 0; c < 4; ++c) diagonal.insert(four.card_of(four.rank_at(0, c)) - four.card_of(four.rank_at(1, c)));
  CHECK(diagonal.count(0) == 0);
}
