// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/edge_list.hpp>
#include <atoll/graph/formats/read.hpp>
#include <atoll/runtime/world.hpp>
#include <string>
#include <string_view>

/// Our own format, `.atoll`: an edge list as it lies in memory, in checksummed blocks.
///
///     write_binary(world, "web.atoll", edges);         // each rank writes its part
///     EdgeList again = read_binary(world, "web.atoll");  // any number of ranks
///
/// Layout, all little endian: a header of 128 bytes; a table with edges, vertices and checksum of each block;
/// the blocks, each holding its sources, targets, weights and named vertices, padded to 64 bytes. The header
/// has a checksum (XXH3) of itself and one of the table, so that every byte of the file is covered, and the sizes in
/// it are held against the file's before memory is taken.
namespace atl {

inline constexpr std::string_view kBinaryMagic =
    "\x89"
    "ATOLL\r\n";  // what a text-mode copy would damage

/// Collective; throws InputError where the file is damaged, cut off, or of a later version.
EdgeList read_binary(World& world, const std::string& path, const ReadOptions& options = {});
/// Collective; throws IoError, and then leaves no file.
void write_binary(World& world, const std::string& path, const EdgeList& edges);

}  // namespace atl
