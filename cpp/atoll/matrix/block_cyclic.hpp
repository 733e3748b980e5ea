// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/types.hpp>
#include <cstdint>
#include <numeric>

/// Block-cyclic distribution of a matrix: blocks of b x b distributed round-robin to a grid of ranks (COAST, section
/// IV.A). Block (i, j) is on the rank at (i mod Px, j mod Py).
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

  /// Number of blocks of one part, and the local offset of block k (a global block number) in the part that stores it.
  std::int64_t blocks_on(int part) const { return (blocks() - part + parts - 1) / parts; }
  std::int64_t local_begin(std::int64_t k) const { return k / parts * block; }
  /// Number of indices of one part.
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

/// A grid of Px x Py ranks. The ranks of one node are consecutive and form an inner grid of Qr x Qc (COAST, appendix
/// B.3): the traffic through the node's network cards is smallest if Qr/Px is close to Qc/Py.
///
/// If a node has several cards, its first ranks use the first card, and so on. In row-major order a column of the inner
/// grid may have all its ranks on one card. A Latin square spreads each row and each column of the inner grid over all
/// cards: position p (row-major) holds a rank of card (p + p div lcm(Qc, cards)) mod cards.
struct ProcessGrid {
  int rows = 1, cols = 1;            ///< Px, Py
  int node_rows = 1, node_cols = 1;  ///< Qr, Qc; 1 x 1: row-major order
  int cards = 1;  ///< network cards of a node, a divisor of its ranks: they form a Latin square; 1: row-major order
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
  /// The card of its node that a rank uses.
  int card_of(Rank rank) const { return rank % node_size() * cards / node_size(); }

 private:
  // Positions in the inner grid and ranks of a node both count from 0. After each period the square is shifted by one
  // card.
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

/// The distribution of an n x n matrix over a grid.
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
