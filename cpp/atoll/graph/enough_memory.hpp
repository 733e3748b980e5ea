// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/numbering.hpp>
#include <atoll/runtime/world.hpp>
#include <string_view>

/// Refuses what the machine cannot hold while none of it has been taken: a page that is not there ends the process, no
/// allocation fails before.
///
///     require_memory(world, 8.0 * tuples, "kron:40: the tuples take", "Use a smaller scale.");
///     require_vertices(world, edges.name, ids, 24.0 * owned);
namespace atl {

/// `bytes` for this rank; those of the ranks that share its machine's memory are taken to be as many each. Throws
/// InputError, the same on all ranks, where less is free on any machine: "<what> 24.0 TB (this machine has 20.1 GB
/// free[, shared by 4 ranks]). <remedy>". Collective.
void require_memory(World& world, double bytes, std::string_view what, std::string_view remedy);

/// The same of what is taken for each vertex of a graph, before its edges: a header may state more vertices than there
/// are bytes. A file is read and converted all the same, for there they are a range of ids.
void require_vertices(World& world, const std::string& name, const IdMap& ids, double bytes);

}  // namespace atl
