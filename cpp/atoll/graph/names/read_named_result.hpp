// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atoll/graph/names/write_named.hpp>

namespace atl {

/// Reads a file that write_named_result() has written: one value for each vertex of a graph whose vertices have names, by
/// owned index. T is Vertex or double; of Meaning::vertices a value is a name, or nothing for kNoVertex.
///
///     const Array<double> scores = read_named_result<double>(graph, names, "scores.tsv");   // collective
///
/// Throws InputError, the same on all ranks, that names the first line that cannot be read, or whose name is unknown or
/// there before; else the first vertex without a value. Every rank holds all rows meanwhile, as it holds all names.
template <class T>
Array<T> read_named_result(const Graph& graph, const Dictionary& names, const std::string& path,
                           Meaning meaning = Meaning::numbers);

}  // namespace atl
