// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/edge_list.hpp>
#include <atoll/graph/formats/read.hpp>
#include <atoll/runtime/world.hpp>
#include <string>
#include <string_view>

/// Our own format, `.atoll`: the columns of an edge list in checksummed blocks.
///
///     write_binary(world, "web.atoll", edges);         // each rank writes its part
///     EdgeList again = read_binary(world, "web.atoll");  // any number of ranks
///
/// Layout, all little endian: a header of 128 bytes; a table with the number of edges, of vertices and the checksum of
/// each block; the blocks, each with its sources, targets, weights and listed vertices, padded to 64 bytes. The header
/// has a checksum (XXH3) of itself and one of the table, so every byte of the file is covered. Its sizes are checked
/// against the file's before memory is allocated.
namespace atl {

inline constexpr std::string_view kBinaryMagic =
    "\x89"
    "ATOLL\r\n";  // changed by a copy in text mode

/// Collective; throws InputError if the file is damaged, truncated, or of a later version.
EdgeList read_binary(World& world, const std::string& path, const ReadOptions& options = {});
/// Collective; throws IoError and leaves no file behind.
void write_binary(World& world, const std::string& path, const EdgeList& edges);

}  // namespace atl
