// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/io/dictionary/dictionary.hpp>
#include <atoll/runtime/world.hpp>
#include <span>
#include <string>

/// Walks as files, a walk a row, the ranks' rows in rank order.
namespace atl::cli {

/// UsageError, the same on all ranks, if the ending is none of those below, or takes no names. Before a long
/// computation. Collective.
void check_walks_path(World& world, const std::string& path, bool named);

/// Writes rows of `width` ids: .txt has a line a walk with blanks between ids, .tsv tabs between ids or names, both up to
/// where the walk ends; .npy an array of int64, walks x width, with -1 past an end. Collective.
void write_walks(World& world, const std::string& path, std::span<const Vertex> rows, std::size_t width,
                 const Dictionary* names);

}  // namespace atl::cli
