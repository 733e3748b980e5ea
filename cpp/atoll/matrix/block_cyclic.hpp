// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/types.hpp>
#include <cstdint>
#include <numeric>

/// Block-cyclic distribution of a matrix: blocks of b x b dealt round robin to a grid of ranks (COAST, section IV.A).
/// Block (i, j) is on the rank at (i mod Px, j mod Py).
///
///     BlockCyclic rows{.size = n, .block = 768, .parts = grid.rows};
///     rows.part_of(rows.block_of(v)), rows.local_of(v)     // the part that stores row v, and its local index there
namespace atl {

/// One dimension.
struct BlockCyclic {
  std::int64_t size = 0;   ///< n
  std::int64_t block = 1;  ///< b; the last block may be shorter
  int parts = 1;           ///< Px or Py

  std::int64_t blocks() const { return (size + block - 1) / block; }
  std::int64_t block_of(std::int64_t index) const { return index / block; }
  std::int64_t begin_of(std::int64_t k) const { return k * block; }
  std::int64_t length_of(std::int64_t k) const { return std::min(block, size - k * block); }
  int part_of(std::int64_t k) const { return static_cast<int>(k % parts); }

  /// Blocks of one part, and where its k'th block (a number of all blocks) begins among what the part has.
  std::int64_t blocks_on(int part) const { return (blocks() - part + parts - 1) / parts; }
  std::int64_t local_begin(std::int64_t k) const { return k / parts * block; }
  /// Indices that a part has.
  std::int64_t size_on(int part) const {
    const std::int64_t mine = blocks_on(part);
    if (mine == 0) return 0;
    const std::int64_t last = (mine - 1) * parts + part;
    return (mine - 1) * block + length_of(last);
  }
  std::int64_t local_of(std::int64_t index) const { return local_begin(block_of(index)) + index % block; }
  std::int64_t index_of(int part, std::int64_t local) const {
    return (local / block * parts + part) * block + local % block;
  }
  bool operator==(const BlockCyclic&) const = default;
};

/// Px x Py ranks. Ranks of one node, which follow each other, form an inner grid of Qr x Qc (COAST, appendix B.3): with
/// Qr/Px near Qc/Py the least goes through the node's network cards.
///
/// Of a node with several cards the first ranks use the first card, and so on. Counted along the rows, a column of the inner
/// grid may have them all on one card. In the order of a Latin square each row and each column of the inner grid is spread
/// over all cards: position p, counted along the rows, has a rank of card (p + p div lcm(Qc, cards)) mod cards.
struct ProcessGrid {
  int rows = 1, cols = 1;            ///< Px, Py
  int node_rows = 1, node_cols = 1;  ///< Qr, Qc; 1 x 1: ranks count along the rows
  int cards = 1;  ///< of a node, which divide its ranks: those lie as a Latin square; 1: they count along the rows
  bool operator==(const ProcessGrid&) const = default;

  Rank size() const { return rows * cols; }
  int node_size() const { return node_rows * node_cols; }
  int row_of(Rank rank) const {
    return rank / node_size() / (cols / node_cols) * node_rows + position_of(rank % node_size()) / node_cols;
  }
  int col_of(Rank rank) const {
    return rank / node_size() % (cols / node_cols) * node_cols + position_of(rank % node_size()) % node_cols;
  }
  Rank rank_at(int row, int col) const {
    const int node = row / node_rows * (cols / node_cols) + col / node_cols;
    return node * node_size() + rank_of(row % node_rows * node_cols + col % node_cols);
  }
  /// Which card of its node a rank uses.
  int card_of(Rank rank) const { return rank % node_size() * cards / node_size(); }

 private:
  // Positions in the inner grid, and ranks of a node, both from 0 on. After so many positions the square begins anew,
  // shifted by a card.
  int period() const { return std::lcm(node_cols, cards); }
  int rank_of(int position) const {
    const int card = (position + position / period()) % cards;
    return card * (node_size() / cards) + position / cards;
  }
  int position_of(int rank) const {
    const int of_card = node_size() / cards, card = rank / of_card, first = rank % of_card * cards;
    return first + (card + cards - first / period() % cards) % cards;
  }
};

/// How an n x n matrix lies on a grid.
struct GridLayout {
  ProcessGrid grid;
  BlockCyclic rows, cols;  ///< of the same size and block

  GridLayout() = default;
  GridLayout(std::int64_t n, std::int64_t block, ProcessGrid on)
      : grid(on), rows{n, block, on.rows}, cols{n, block, on.cols} {}
  Rank owner(std::int64_t i, std::int64_t j) const {
    return grid.rank_at(rows.part_of(rows.block_of(i)), cols.part_of(cols.block_of(j)));
  }
  bool operator==(const GridLayout&) const = default;
};

}  // namespace atl
