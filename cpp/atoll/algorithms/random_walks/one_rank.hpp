// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/random_walks/transition.hpp>
#include <span>

namespace atl {

/// The walks of one rank, from starts whose local numbers are given: the threads share the walks, and each advances
/// several at a time, so that their loads from memory overlap.
void walk_on_one_rank(const Transition& transition, std::span<const WalkStart> starts, std::span<const Local> locals,
                      const WalkOptions& options, std::span<Vertex> rows);

}  // namespace atl
