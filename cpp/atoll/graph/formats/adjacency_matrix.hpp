// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/formats/read.hpp>
#include <atoll/graph/table/matrix_text.hpp>
#include <atoll/io/read_file.hpp>

namespace atl {

/// The edges of an adjacency matrix as text: entry (i, j) that is not 0 or empty is the weight of an edge from vertex i to j.
/// Ids are 0, 1, .. or, where labels are whole numbers, these; `by_position`: 0, 1, .. whatever the labels are. No weights
/// where all entries are 1. Read as undirected, the matrix has to be symmetric. Collective; throws InputError as read_edges().
EdgeList read_adjacency_matrix(World& world, const std::string& path, const Head& head, const table::MatrixText& matrix,
                               char delimiter, std::uint64_t from, std::int64_t first_line, const ReadOptions& options,
                               bool by_position = false);

}  // namespace atl
