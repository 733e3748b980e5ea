// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/table/text_table.hpp>
#include <optional>

namespace atl::table {

/// An adjacency matrix as text: row i has the weights of the edges from vertex i, 0 where there is none.
struct MatrixText {
  std::size_t size = 0;             ///< rows, and columns
  std::size_t row = 0;              ///< of the table, the first one of the matrix
  std::size_t first_field = 0;      ///< 1 where each row begins with its label
  std::vector<std::string> labels;  ///< of the vertices, in order; empty: 0, 1, ..
};

/// The matrix that the rows from `first` on are, where they cannot be edges; nothing where they are edges. `forced`: the
/// caller says that it is a matrix. Throws InputError where both readings are possible.
std::optional<MatrixText> matrix_in(const std::string& path, const TextTable& table, std::size_t first, bool forced);

}  // namespace atl::table
