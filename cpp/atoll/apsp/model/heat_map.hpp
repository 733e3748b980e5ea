// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/model/apsp_time.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Predicted rates over numbers of vertices and nodes, as a picture: Figure 8 of COAST.
///
///     const HeatMap map = apsp_heat_map(ApspMachine::frontier(), vertices, nodes, {.kernel = KernelRate::by_size});
///     write_file("map.svg", svg_of(map));
///
/// A column read from the bottom up is strong scaling. Cells are hatched if a broadcast of less bandwidth is the
/// fastest, and 0 if memory does not suffice.
namespace atl {

struct HeatMap {
  struct Cell {
    double value = 0;      ///< 0: empty
    std::string label;     ///< text in the cell
    bool hatched = false;  ///< see hatched_means
    std::string note;      ///< tooltip
  };
  std::string title, column_title, row_title, hatched_means;
  std::vector<std::string> columns, rows;  ///< labels; the first row is the bottom one
  std::vector<Cell> cells;                 ///< by rows
};

/// One SVG document of some hundred bytes per cell. The colour is linear in the value, from 0 to the largest.
std::string svg_of(const HeatMap& map);

/// The best plan for every number of vertices (columns) on every number of nodes (rows). Ignores the n and ranks of
/// `query`.
HeatMap apsp_heat_map(const ApspMachine& machine, std::span<const std::int64_t> vertices, std::span<const int> nodes,
                      ApspQuery query);

}  // namespace atl
