// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace atl {

/// How long a path is: its number of edges, or the sum of their weights.
enum class PathLength { edges, weights };

}  // namespace atl
