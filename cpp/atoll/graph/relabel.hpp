// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/base/types.hpp>

namespace atl {

/// The local order of a rank's masters: hubs by falling degree, then the other vertices with an edge by owned index
/// (the tail), then the isolated ones. An ordered tail lets results be streamed back by owned index; with hubs first,
/// the data that every search touches takes few cache lines.
struct LocalOrder {
  Array<Local> local_of;        ///< [owned index]
  Array<Local> owned_index_of;  ///< [local]
  Local hubs = 0, active = 0;
};

struct RelabelOptions {
  bool sort_hubs = true;      ///< false: no hubs, all vertices are in the tail
  bool drop_isolated = true;  ///< false: vertices without an edge stay in the tail
};

/// From this degree on a vertex is a hub (measured on Kronecker graphs: 32 to 128 differ little).
inline constexpr Edge kHubDegree = 64;

LocalOrder order_by_degree(Team& team, const Array<Edge>& degree, const RelabelOptions& options = {});

}  // namespace atl
