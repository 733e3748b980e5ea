// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace atl {

/// How much an edge counts: all alike, as 1, or by its weight.
enum class EdgeWeighting { ones, of_edges };

}  // namespace atl
