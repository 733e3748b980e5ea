// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/types.hpp>
#include <atoll/matrix/semiring.hpp>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <vector>

namespace atl::cli {

/// Distances of pairs of different vertices, in some rows of the matrix.
struct SampledDistances {
  Vertex rows = 0;             ///< that were taken
  std::vector<double> values;  ///< of the pairs that have a path
  std::int64_t no_path = 0;    ///< pairs that have none
};

/// How the distances are spread, for a run's JSON: rows, pairs, no_path and, if there is a path, least, mean, most and
/// histogram, bins of equal width. Few whole numbers have a bin each.
nlohmann::json distance_summary(const SampledDistances& sampled);

/// The distances of at most 64 of n rows, as far apart as they can be. `row_of(s)` is row s, on all ranks. Collective if
/// row_of is.
template <class T, class Row>
SampledDistances sample_distances(Vertex n, Row&& row_of) {
  constexpr Vertex kRows = 64;
  SampledDistances sampled;
  sampled.rows = std::min(n, kRows);
  for (Vertex k = 0; k < sampled.rows; ++k) {
    const Vertex s = k * n / sampled.rows;
    const std::vector<T> row = row_of(s);
    for (Vertex t = 0; t < n; ++t) {
      const T value = row[t];
      if (t == s) continue;
      if (value == kNoPath<T>) {
        ++sampled.no_path;
      } else {
        sampled.values.push_back(static_cast<double>(value));
      }
    }
  }
  return sampled;
}

}  // namespace atl::cli
