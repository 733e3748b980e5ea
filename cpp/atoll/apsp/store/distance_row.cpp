// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/store/distance_row.hpp>
#include <span>

namespace atl {

template <class T>
std::vector<T> row_of(World& world, const Distances<T>& d, std::int64_t s) {
  const GridLayout& layout = d.layout;
  std::span<const T> mine;
  if (layout.rows.part_of(layout.rows.block_of(s)) == layout.grid.row_of(world.rank()))
    mine = d.local.view().row(layout.rows.local_of(s));
  std::vector<Edge> counts;
  const std::vector<T> all = world.all_gather_varying(mine, &counts);
  std::vector<T> row(static_cast<std::size_t>(layout.cols.size));
  std::size_t next = 0;
  for (Rank r = 0; r < world.size(); ++r)
    for (std::int64_t j = 0; j < counts[r]; ++j) row[layout.cols.index_of(layout.grid.col_of(r), j)] = all[next++];
  return row;
}

#define ATOLL_ROW_OF(T) template std::vector<T> row_of(World&, const Distances<T>&, std::int64_t);
ATOLL_ROW_OF(float)
ATOLL_ROW_OF(double)
ATOLL_ROW_OF(std::int32_t)
ATOLL_ROW_OF(std::uint16_t)
ATOLL_ROW_OF(std::uint8_t)
#undef ATOLL_ROW_OF

}  // namespace atl
