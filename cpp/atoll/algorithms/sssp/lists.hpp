// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/base/types.hpp>
#include <span>
#include <vector>

/// Edges as shortest paths follow them: neighbour and weight side by side.
namespace atl {

template <class Real>
struct SsspEntry {
  Local vertex;
  Real weight;
};

template <class Real>
struct SsspLists {
  std::span<const Edge> offsets;  ///< [local vertex], one more than there are lists
  Array<SsspEntry<Real>> entries;

  std::span<const SsspEntry<Real>> of(Local v) const {
    const auto at = static_cast<std::size_t>(v);
    return {entries.data() + offsets[at], static_cast<std::size_t>(offsets[at + 1] - offsets[at])};
  }
  std::size_t memory_bytes() const { return entries.size() * sizeof(SsspEntry<Real>); }
};

/// Sorts lists [first, end), the lightest edges first.
template <class Real>
void sort_by_weight(Team& team, SsspLists<Real>& lists, std::size_t first, std::size_t end);

/// Of a sorted sample of weights the one below which lies the part q of them, or the least above 0; 1 if there is none.
double positive_quantile(const std::vector<double>& sorted, double q);

}  // namespace atl
