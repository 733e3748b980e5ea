// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>

/// Which rank has which edge, given which rank owns which vertex (docs/partitions.md).
///
///     const CutRule rule(Cut::cartesian, ranks);
///     rule.place(owner_of_source, owner_of_target, in_degree_of_target);    // the edge's rank
namespace atl {

enum class Cut {
  edge,       ///< an edge is on the owner of its source (edge-cut)
  cartesian,  ///< in the grid row of its source's owner and the grid column of its target's owner [1]
  hybrid,     ///< on the owner of its target if that has a low in-degree, else on the owner of its source [2]
  chosen,     ///< the one of these that choose_cut() returns
};
// [1] E. Boman, K. Devine, S. Rajamanickam. "Scalable matrix computations on large scale-free graphs using 2D graph
// partitioning." SC 2013. [2] R. Chen, J. Shi, Y. Chen, H. Chen. "PowerLyra: Differentiated graph computation and
// partitioning on skewed graphs." EuroSys 2015.

/// In-degree from which on a vertex is heavy in the hybrid cut: PowerLyra's value.
inline constexpr Edge kHeavyDegree = 100;

/// Ranks as a row-major grid. A prime number of ranks is one row.
struct Grid {
  Rank rows = 1, columns = 1;

  /// The grid closest to a square with at least as many columns as rows.
  static Grid nearest_square(Rank ranks) {
    Grid grid{1, ranks};
    for (Rank rows = 2; rows <= ranks / rows; ++rows)
      if (ranks % rows == 0) grid = {rows, ranks / rows};
    return grid;
  }
  Rank row_of(Rank rank) const { return rank / columns; }
  Rank column_of(Rank rank) const { return rank % columns; }
  Rank at(Rank row, Rank column) const { return row * columns + column; }
};

class CutRule {
 public:
  CutRule(Cut cut, Rank ranks, Edge heavy = kHeavyDegree)
      : cut_(cut), grid_(Grid::nearest_square(ranks)), heavy_(heavy) {}

  Cut cut() const { return cut_; }
  const Grid& grid() const { return grid_; }
  /// Whether the edges that enter a vertex are with the owners of their sources in the hybrid cut.
  bool is_heavy(Edge in_degree) const { return in_degree >= heavy_; }
  Rank place(Rank source, Rank target, Edge in_degree) const {
    switch (cut_) {
      case Cut::cartesian:
        return grid_.at(grid_.row_of(source), grid_.column_of(target));
      case Cut::hybrid:
        return is_heavy(in_degree) ? source : target;
      default:
        return source;
    }
  }

 private:
  Cut cut_;
  Grid grid_;
  Edge heavy_;
};

}  // namespace atl
