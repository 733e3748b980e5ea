// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/spmm/matrix_rows.hpp>
#include <atoll/spmm/strategy.hpp>
#include <string>
#include <vector>

namespace atl {

/// Predicts the seconds of fetching the rows of B by each of the strategies that coalesce rows, in one product, on a
/// machine: the longest time of any rank's link or of any domain's uplink, at all levels together or, where
/// rows are fused, level after level, and a latency for each step.
///
///     const SpmmForecast forecast = forecast_spmm(world, world.machine(), rows, 32);
///     DistributedSpmm<float> spmm(world, std::move(rows), Reduce::sum, *forecast.best().strategy);
struct SpmmForecast {
  struct Entry {
    const SpmmStrategy* strategy;
    double seconds;
    double crossing_rows;  ///< across the highest level, over all ranks
  };
  std::vector<Entry> entries;     ///< ascending
  bool domains_need_all = false;  ///< each domain needs every row of the others: what crosses is at its bound n (W - 1)
  const Entry& best() const { return entries.front(); }
  /// Why: "cola (predicted: 0.8 ms, 120 rows across the highest level; halo 2.1 ms, 700 rows; ...)", and whether fusion
  /// buys nothing over a broadcast to domains.
  std::string text() const;
};

/// Plans each of them, which costs about as much as planning a product. Collective; the same on all ranks. The columns
/// must exist.
template <class T>
SpmmForecast forecast_spmm(World& world, const Machine& machine, const MatrixRows<T>& rows, std::int64_t columns);

struct SpmmChoice {
  SpmmStrategy strategy;
  std::string why;
};

/// The strategy of that name; of "auto" the best of the forecast on the World's machine, for products with `columns`
/// columns. Collective. Throws UsageError for a name that there is not.
template <class T>
SpmmChoice choose_spmm_strategy(World& world, const MatrixRows<T>& rows, std::int64_t columns, std::string_view name);

}  // namespace atl
