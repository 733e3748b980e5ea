// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/matrix.hpp>
#include <atoll/apsp/semiring.hpp>
#include <atoll/base/parallel.hpp>

namespace atl {

/// With negative weights "no path" has been added to, within half of what it was (check_sums), and a path
/// beyond that half is found to be lost (check_no_path_is_lost).
template <class T>
void restore_no_path(Team& team, MatrixView<T> d) {
  if constexpr (std::is_same_v<T, std::int32_t>)
    team.for_range(static_cast<std::size_t>(d.rows), 16, [&](int, std::size_t i, std::size_t end) {
      for (; i < end; ++i)
        for (T& x : d.row(static_cast<std::int64_t>(i)))
          if (x > kNoPath<T> / 2) x = kNoPath<T>;
    });
}

}  // namespace atl
