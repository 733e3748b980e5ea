// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/model/apsp_time.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Predicted rates over numbers of vertices and of nodes, as a picture: Figure 8 of COAST.
///
///     const HeatMap map = apsp_heat_map(ApspMachine::frontier(), vertices, nodes, {.kernel = KernelRate::by_size});
///     write_file("map.svg", svg_of(map));
///
/// Columns are strong scaling from the bottom up. Cells are hatched where a broadcast of less bandwidth wins, and are 0
/// where the memory does not suffice.
namespace atl {

struct HeatMap {
  struct Cell {
    double value = 0;      ///< 0: nothing there
    std::string label;     ///< what the cell says
    bool hatched = false;  ///< the slower component is the better one here
    std::string note;      ///< shown under the pointer
  };
  std::string title, column_title, row_title, hatched_means;
  std::vector<std::string> columns, rows;  ///< labels; the first row is the bottom one
  std::vector<Cell> cells;                 ///< by rows
};

/// One SVG document, some hundred bytes a cell. The colour is linear in the value, from 0 to the largest.
std::string svg_of(const HeatMap& map);

/// The best way of every number of vertices (columns) on every number of nodes (rows). `query`'s n and ranks are not
/// looked at.
HeatMap apsp_heat_map(const ApspMachine& machine, std::span<const std::int64_t> vertices, std::span<const int> nodes,
                      ApspQuery query);

}  // namespace atl
