// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/distances.hpp>
#include <atoll/base/random.hpp>
#include <atoll/matrix/semiring.hpp>
#include <atoll/runtime/world.hpp>
#include <vector>

/// Matrices whose entries are functions of their position, on any grid.
namespace samples {

using namespace atl;

inline Plan one_thread() {
  Plan plan;
  plan.threads = 1;
  plan.timeout_seconds = 120;
  return plan;
}

inline const std::vector<ProcessGrid> kGrids = {{1, 1}, {1, 2}, {2, 2, 1, 2}, {2, 4, 2, 2}, {3, 1}, {5, 1}};

/// A whole number below 250, or no path for every seventh pair; representable in all types.
template <class T>
T value_at(std::int64_t i, std::int64_t j, std::uint64_t seed = 1) {
  const std::uint64_t word = random_at(seed, static_cast<std::uint64_t>(i << 20 | j));
  return i == j ? T{0} : word % 7 == 0 ? kNoPath<T> : static_cast<T>(1 + word % 249);
}

template <class T, class Value>
Distances<T> matrix(Rank rank, const GridLayout& layout, Value&& value) {
  const int row = layout.grid.row_of(rank), col = layout.grid.col_of(rank);
  Distances<T> d{layout, Matrix<T>(layout.rows.size_on(row), layout.cols.size_on(col))};
  for (std::int64_t r = 0; r < d.local.rows(); ++r)
    for (std::int64_t c = 0; c < d.local.cols(); ++c)
      d.local(r, c) = value(layout.rows.index_of(row, r), layout.cols.index_of(col, c));
  return d;
}

/// The message that f throws, if it is the same on every rank; "nothing" if nothing is thrown.
template <class F>
std::string refusal(Rank ranks, F&& f) {
  std::vector<std::string> messages(static_cast<std::size_t>(ranks));
  run_ranks(ranks, one_thread(), [&](World& world) {
    std::string& message = messages[static_cast<std::size_t>(world.rank())];
    try {
      f(world);
      message = "nothing";
    } catch (const Error& e) {
      message = e.what();
    }
    world.barrier();
  });
  for (const std::string& message : messages)
    if (message != messages[0]) return "not the same: " + messages[0] + " | " + message;
  return messages[0];
}

}  // namespace samples
