// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atoll/graph/names/write_named.hpp>

namespace atl::cli {

/// Reads shares of vertices, such as PageRank's personalization: a line "vertex share", or "vertex" with a share of 1,
/// for each vertex that has one. Fields are separated as in results: by a comma in .csv, else by blanks or tabs, with
/// names by a tab (in .txt by blanks). Empty lines, those that begin with # and a heading "id,..." are passed over.
/// Returns one number for each vertex of this rank by owned index, 0 where the file has none. Collective; InputError, the
/// same on all ranks, that names the line which cannot be read, or whose vertex is unknown or there before.
Array<double> read_shares(const Graph& graph, const Dictionary* names, const std::string& path);

}  // namespace atl::cli
