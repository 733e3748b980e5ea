// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/paths/paths.hpp>
#include <cmath>

namespace atl {

/// How much D(u, p) + w differs from D(u, v); 0 if the rounded sum is equal.
template <class T>
double miss(T through, T weight, T distance) {
  if (path_sum(through, weight) == distance) return 0;
  if constexpr (!std::is_floating_point_v<T>) return HUGE_VAL;
  return std::abs(static_cast<double>(through) + static_cast<double>(weight) - static_cast<double>(distance));
}

/// The index of the last arc of a shortest path from u to v. Its tail must be nearer to u, and `may` must accept it. -1
/// if there is none. `in`: reversed arcs.
template <class T, class May>
Edge last_arc(const ReplicatedCsr<T>& in, Local v, std::span<const T> from_u, May&& may) {
  const T distance = from_u[v];
  double nearest = HUGE_VAL;
  Edge found = -1;
  for (Edge e = in.begin(v); e < in.end(v); ++e) {
    const Local p = in.heads[e];
    const T through = from_u[p];
    if (!(through < distance)) continue;
    const double far = miss(through, in.weights[e], distance);
    if (far >= nearest || !may(p)) continue;
    nearest = far;
    found = e;
    if (far == 0) break;
  }
  return nearest <= kPathSlack<T> * std::abs(static_cast<double>(distance)) ? found : Edge{-1};
}

}  // namespace atl
