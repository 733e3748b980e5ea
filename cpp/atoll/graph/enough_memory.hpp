// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/numbering.hpp>
#include <atoll/runtime/world.hpp>
#include <string_view>

/// Checks before an allocation that the machine has the memory. With overcommit the allocation itself would not fail:
/// the process would be killed when it touches the pages.
///
///     require_memory(world, 8.0 * tuples, "kron:40: the tuples take", "Use a smaller scale.");
///     require_vertices(world, edges.name, ids, 24.0 * owned);
namespace atl {

/// `bytes` for this rank; assumes that the other ranks on its machine need as many each. Throws InputError, the same on
/// all ranks, if less is free on any machine: "<what> 24.0 TB (this machine has 20.1 GB free[, shared by 4 ranks]).
/// <remedy>". Collective.
void require_memory(World& world, double bytes, std::string_view what, std::string_view remedy);

/// The same for memory per vertex of a graph, before its edges: a header may state more vertices than the machine has
/// bytes. Reading and converting such a file is still possible, as there the vertices are a range of ids.
void require_vertices(World& world, const std::string& name, const IdMap& ids, double bytes);

}  // namespace atl
