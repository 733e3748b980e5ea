// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/graph/partition/blocks.hpp>
#include <atoll/runtime/world.hpp>
#include <span>
#include <vector>

namespace atl {

/// Returns the values of numbered rows that other ranks, or this one, have: value_of(row) on the rank that owns the
/// row.
///
///     const std::vector<Vertex> above = fetch_values<Vertex>(world, blocks, parents, [&](Vertex v) { return up[v - begin]; });
///
/// Collective. The result is in the order of `needed`, in which rows may be repeated: each is asked for once. For rows
/// that change from call to call; where they do not, a HaloPlan asks for them once. Memory: 24 bytes and two values for
/// each row needed, and 8 and a value for each that others need of this rank.
template <Plain T, class ValueOf>
std::vector<T> fetch_values(World& world, const Blocks& blocks, std::span<const Vertex> needed, ValueOf&& value_of) {
  std::vector<Vertex> rows(needed.begin(), needed.end());
  std::sort(rows.begin(), rows.end());
  rows.erase(std::unique(rows.begin(), rows.end()), rows.end());
  std::vector<std::vector<Vertex>> asked(static_cast<std::size_t>(world.size()));
  for (const Vertex row : rows) asked[blocks.owner(row)].push_back(row);
  std::vector<std::vector<T>> answers(asked.size());
  const auto wanted = world.exchange(std::move(asked));
  for (std::size_t r = 0; r < wanted.size(); ++r)
    for (const Vertex row : wanted[r]) answers[r].push_back(value_of(row));
  std::vector<T> values, result;
  for (const auto& part : world.exchange(std::move(answers))) values.insert(values.end(), part.begin(), part.end());
  result.reserve(needed.size());
  for (const Vertex row : needed)
    result.push_back(values[std::lower_bound(rows.begin(), rows.end(), row) - rows.begin()]);
  return result;
}

}  // namespace atl
