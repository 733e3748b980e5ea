// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/table/text_table.hpp>

/// Where the columns of an edge list as text are, and how its numbers are written: for lists of ids and of names alike.
///
///     const TextTable table = read_first_rows(path, head, {});
///     const EdgeColumnsFound found = find_edge_columns(path, table, first, question);
///     // found.choice.source ..; the first edge is table.rows[found.row]
namespace atl::table {

struct EdgeTableOptions {
  bool words = false;  ///< vertices are names
  /// Whether row `first` is one of headings; none: as it looks.
  std::optional<bool> headings = {};
  std::string source = {}, target = {}, weight = {};  ///< as in ColumnQuestion
  UseWeights weights = UseWeights::automatic;
  char decimal = 0;  ///< '.' or ','; 0: by the first rows
};

struct EdgeTable {
  ColumnChoice choice;
  std::vector<std::string> headings;  ///< empty: there is no line of headings
  std::size_t row = 0;                ///< of the first edge
  std::size_t columns = 0;            ///< of the first edge
  std::string weight_key;             ///< where {'weight': 3.5} behind the ends is the weight
  NumberSigns weight_signs;
  char id_group = 0;
  /// The columns taken, for one message: "cut by semicolons, decimal commas; source 'from' (column 1) ..."
  std::string described;
  bool worth_saying = false;  ///< more than columns 1, 2 and 3 cut by blanks, tabs or commas
};

/// Looks at the rows from `first` on. There is at least one. Throws InputError and UsageError.
EdgeTable find_edge_columns(const std::string& path, const TextTable& table, std::size_t first,
                            const EdgeTableOptions& options);

/// Whether row `first` is one of headings.
bool is_heading_row(const TextTable& table, std::size_t first, const EdgeTableOptions& options);

}  // namespace atl::table
