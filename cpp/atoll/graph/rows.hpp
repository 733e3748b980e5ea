// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

namespace atl {

/// Sorts each list by target and merges duplicates; the lists stay in place and the arrays shrink. Returns how many
/// self-loops are left. Targets are below `locals`. Local work, with the team.
Edge sort_rows(Team& team, Csr& csr, Duplicates duplicates, Local locals);

}  // namespace atl
