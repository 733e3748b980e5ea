// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/types.hpp>
#include <span>

/// How depths say outside the engine that a vertex was not reached: -1, as parents do. The engine has kUnreachable,
/// which compares greater than every depth; no id and no count is as large.
///
///     depths_to_result(depths);       // before they are written, or handed to Python
///     depths_from_result(depths);     // after they were read; kUnreachable, which Graphalytics writes, stays
namespace atl::catalog {

inline constexpr Vertex kUnreachableInResults = -1;

inline void depths_to_result(std::span<Vertex> values) {
  std::replace(values.begin(), values.end(), kUnreachable, kUnreachableInResults);
}

inline void depths_from_result(std::span<Vertex> depths) {
  std::replace(depths.begin(), depths.end(), kUnreachableInResults, kUnreachable);
}

}  // namespace atl::catalog
