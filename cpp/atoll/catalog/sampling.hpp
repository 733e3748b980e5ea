// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <vector>

#include "arguments.hpp"

/// The options of checks that draw samples, and sources drawn for a run.
namespace atl::catalog {

/// `samples`, with this default and help, and the `seed` that draws them.
std::vector<Option> sampling_options(std::int64_t standard, std::string_view help);
/// The `seed` of a run whose answer it draws.
Option seed_option(std::string_view help);
std::uint64_t seed_of(const Arguments& arguments);

/// Draws `count` distinct vertices, all if there are not more, independent of the number of ranks and the partition.
/// Original ids, ascending. Collective.
std::vector<Vertex> draw_vertices(const Graph& graph, Vertex count, std::uint64_t seed);

}  // namespace atl::catalog
