// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>

/// Everything lives in namespace `atl`: `atoll` itself is a function of the C library (<stdlib.h>), so C++ cannot use
/// that word for a namespace. Folders, targets and commands are called atoll.
namespace atl {

using Vertex = std::int64_t;  ///< a vertex anywhere: an original id, or a dense global number in [0, n)
using Local = std::int32_t;   ///< a vertex on this rank: a master, or the mirror of another rank's master
using Edge = std::int64_t;    ///< a position in a list of edges, or a count of edges
using Rank = std::int32_t;    ///< a process (or a thread that plays one) of a World

/// The place of a vertex in an array over the vertices of this rank, or over all of them.
constexpr std::size_t index(Local v) { return static_cast<std::size_t>(v); }
constexpr std::size_t index(Vertex v) { return static_cast<std::size_t>(v); }

/// The field's usual value for "no parent" (GAP, Graph500). Original ids are >= 0, so it is no vertex.
inline constexpr Vertex kNoVertex = -1;

/// The last original id: ids lie in [0, 2^63 - 1), which keeps kNoVertex and kUnreachable free.
inline constexpr Vertex kMaxVertex = INT64_MAX - 1;

/// The depth of a vertex that a search did not reach (the Graphalytics convention).
inline constexpr std::int64_t kUnreachable = INT64_MAX;

}  // namespace atl
