// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/catalog/algorithm.hpp>
#include <atoll/io/dictionary/dictionary.hpp>

namespace atl::cli {

/// Adds to the report what the values of a column say in short: the ten greatest, or of distances the least; how many
/// vertices have each depth; the largest components or communities. Vertices are said by name, or by id where `names` is
/// null. `by_owned_index` is in the order of owned indices. Collective.
template <class T>
void summarize(const Graph& graph, const Dictionary* names, std::string_view column, const Array<T>& by_owned_index,
               catalog::Report& report);

}  // namespace atl::cli
