// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

namespace atl {

struct SortedRows {
  Edge loops = 0;                ///< remaining self-loops
  bool merged_to_least = false;  ///< merging dropped a greater weight of an edge that is not a self-loop
};

/// Sorts each list by target and merges duplicates; the lists stay in place and the arrays shrink. Targets are below
/// `locals`. Local work, with the team.
SortedRows sort_rows(Team& team, Csr& csr, Duplicates duplicates, Local locals);

}  // namespace atl
