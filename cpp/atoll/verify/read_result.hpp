// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

/// Reads a file written by write_result(), with one value for each vertex of a graph.
///
///     Array<double> scores = read_result<double>(graph, "scores.tsv");      // by owned index; collective
///
/// Text: an id and a value per line, separated by a blank, tab, comma or semicolon; a first line "id,value" and lines
/// that begin with # are skipped; .gz and .zst are decompressed. Values are whole numbers for Vertex, else decimal
/// ones, Infinity, -Infinity and NaN. .npy: numpy's array of (id, value), of types <i8 and <i8 or <f8.
///
/// Each rank reads a part of the file; ids are translated on the ranks that hold their order, and each value travels to
/// its vertex's owner: 24 bytes per value.
namespace atl {

/// T is Vertex or double. Throws InputError, the same on all ranks, that names the first line that cannot be read, or
/// whose id is unknown or a duplicate; else the lowest vertex without a value.
template <class T>
Array<T> read_result(const Graph& graph, const std::string& path);

}  // namespace atl
