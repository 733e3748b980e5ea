// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/names/read_named.hpp>
#include <span>
#include <string_view>

namespace atl {

/// The edges source[i] -> target[i] of named vertices, each rank giving a part of them, and `further` names that exist.
///
///     const std::vector<std::string_view> from{"BRCA1", "TP53"}, to{"TP53", "MDM2"};
///     NamedEdges named = edges_of_names(world, from, to);     // collective; named.edges has no weights yet
///
/// InputError, the same on all ranks, where the lists differ in length or a name is no UTF-8.
NamedEdges edges_of_names(World& world, std::span<const std::string_view> source,
                          std::span<const std::string_view> target, std::span<const std::string_view> further = {});

}  // namespace atl
