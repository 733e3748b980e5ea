// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/numbering/place_graph.hpp>
#include <span>
#include <vector>

namespace atl {

/// The by-order allocator: each job gets the next free places of a numbering, in the numbering's order, so that its
/// places need not be contiguous.
///
///     const auto jobs = allocate_by_order(hamorder_w(places), {}, std::array{4, 5});
///     embedding_aspl(places, jobs[0]);       // figure 1 of Hamorder
///
/// `numbering` is a permutation of all places; `occupied` are places that others have; `sizes` are numbers of ranks.
/// Returns the places of each job by rank. Throws InputError if a size is below 1, an occupied place does not exist, or
/// too few places are free.
std::vector<std::vector<int>> allocate_by_order(std::span<const int> numbering, std::span<const int> occupied,
                                                std::span<const int> sizes);

}  // namespace atl
