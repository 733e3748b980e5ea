// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

namespace atl {

struct SortedRows {
  Edge loops = 0;                ///< self-loops that are left
  bool merged_to_least = false;  ///< greater weights than the least have gone, of others than loops
};

/// Sorts each list by target and merges duplicates; the lists stay in place and the arrays shrink. Targets are below
/// `locals`. Local work, with the team.
SortedRows sort_rows(Team& team, Csr& csr, Duplicates duplicates, Local locals);

}  // namespace atl
