// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

/// What write_result() has written, one value for each vertex of a graph.
///
///     Array<double> scores = read_result<double>(graph, "scores.tsv");      // natural order; collective
///
/// Text: an id and a value a line, between them a blank, tab, comma or semicolon; a first line "id,value" and lines
/// that begin with # are passed over; .gz and .zst are unpacked. Values are whole numbers for Vertex, else decimal
/// ones, Infinity, -Infinity and NaN. .npy: an array of (id, value) as numpy writes it, of <i8 and <i8 or <f8.
///
/// Each rank reads its part; ids are translated where their order is known, and each value travels to its vertex's
/// owner: 24 bytes a value.
namespace atl {

/// T is Vertex or double. InputError, the same on all ranks, that names the first line that cannot be read, whose id
/// the graph does not have or has had a value before; else the lowest vertex without a value.
template <class T>
Array<T> read_result(const Graph& graph, const std::string& path);

}  // namespace atl
