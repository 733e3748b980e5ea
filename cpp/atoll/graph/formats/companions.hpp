// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/edge_list.hpp>
#include <atoll/runtime/world.hpp>
#include <string>

/// Files that belong to a graph beside the one that has its edges.
namespace atl {

/// Weights of a file of Graph500 binary, in the order of its edges.
std::string weights_path(const std::string& graph);

/// Removes the graph at `path` and the weights beside it if there are any, so that those of an earlier graph are never read
/// with the edges of the one that is written next. Collective; throws IoError.
void remove_with_weights(World& world, const std::string& path);

/// How many vertices of the list no edge names. Collective; needs a bit for each id of a range, or the distinct ends.
std::int64_t count_lone_vertices(World& world, const EdgeList& edges);

}  // namespace atl
