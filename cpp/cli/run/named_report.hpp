// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/catalog/algorithm.hpp>
#include <atoll/graph/names/write_named.hpp>

namespace atl::cli {

/// The report of a run on vertices that have names: the algorithms know ids, which are replaced here.

/// The name, or without names the id.
std::string text_of(Vertex id, const Dictionary* names);

/// Whether a column's values are vertices.
Meaning meaning_of(std::string_view column);

/// Puts names for the sources into what an algorithm has reported.
void name_sources(const Dictionary& names, const catalog::Runs& runs, catalog::Report& report);

/// Writes values as write_by_id() does, with names. Collective.
template <class T>
void write_by_name(const Graph& graph, const Dictionary& names, const std::string& path, std::string_view column,
                   const Array<T>& by_owned_index);

}  // namespace atl::cli
