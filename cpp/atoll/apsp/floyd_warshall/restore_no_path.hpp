// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/matrix/matrix.hpp>

namespace atl {

/// Whether Floyd-Warshall may add to int32's "no path" something that makes it look better: negative lengths over (min,
/// +), positive weights over (max, +).
template <class T>
bool adds_to_no_path(const ReplicatedCsr<T>& arcs, Semiring semiring) {
  if (!std::is_same_v<T, std::int32_t>) return false;
  return semiring == Semiring::min_plus ? arcs.has_negative() : semiring == Semiring::max_plus;
}

/// Restores "no path": sums with it stay beyond half of its value (check_sums) and become "no path" again. A real path
/// longer than that half is reported as lost (check_no_path_is_lost).
template <class T>
void restore_no_path(Team& team, Semiring semiring, MatrixView<T> d) {
  if constexpr (std::is_same_v<T, std::int32_t>) {
    const auto each = [&](auto restored) {
      team.for_range(static_cast<std::size_t>(d.rows), 16, [&](int, std::size_t i, std::size_t end) {
        for (; i < end; ++i)
          for (T& x : d.row(static_cast<std::int64_t>(i))) x = restored(x);
      });
    };
    if (semiring == Semiring::min_plus) each([](T x) { return x > kNoPath<T> / 2 ? kNoPath<T> : x; });
    if (semiring == Semiring::max_plus) each([](T x) { return x < -kNoPath<T> / 2 ? -kNoPath<T> : x; });
  }
}

}  // namespace atl
