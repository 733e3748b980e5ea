// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/base/types.hpp>
#include <span>
#include <vector>

/// Adjacency lists with neighbour and weight side by side, for relaxation.
namespace atl {

template <class Real>
struct SsspEntry {
  Local vertex;
  Real weight;
};

template <class Real>
struct SsspLists {
  std::span<const Edge> offsets;  ///< [local vertex], number of lists + 1
  Array<SsspEntry<Real>> entries;

  std::span<const SsspEntry<Real>> of(Local v) const {
    const auto at = static_cast<std::size_t>(v);
    return {entries.data() + offsets[at], static_cast<std::size_t>(offsets[at + 1] - offsets[at])};
  }
  std::size_t memory_bytes() const { return entries.size() * sizeof(SsspEntry<Real>); }
};

/// Sorts each of the lists [first, end) by ascending weight.
template <class Real>
void sort_by_weight(Team& team, SsspLists<Real>& lists, std::size_t first, std::size_t end);

/// The q-quantile of a sorted sample, but at least its smallest positive weight; 1 if no weight is positive.
double positive_quantile(const std::vector<double>& sorted, double q);

}  // namespace atl
