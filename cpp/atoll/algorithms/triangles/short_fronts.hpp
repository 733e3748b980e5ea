// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/triangles/fronts.hpp>
#include <bit>

namespace atl {

/// [j] the bits (i, j) and (j, i) of a matrix of 8 x 8 bits, for all i.
inline constexpr std::array<std::uint64_t, 8> kCrosses = [] {
  std::array<std::uint64_t, 8> crosses{};
  for (unsigned j = 0; j < 8; ++j) crosses[j] = std::uint64_t{0xff} << (8 * j) | std::uint64_t{0x0101010101010101} << j;
  return crosses;
}();

/// Counts the triangles in which a vertex with a short front has the highest number, for the vertices in words [a, b) of
/// `small`: all pairs of a front are a matrix of bits, and are tested without a branch on what is found, which on a mesh
/// could not be predicted. Of the instruction set, Lanes is one record,
///   kWidth             its entries,
///   load(record)       reads it,
///   valid()            which lanes have a vertex,
///   among<n>(list)     which lanes equal one of n vertices;
/// sets of lanes are bits of an unsigned. Lanes is a type of the including file only, so that no other file's
/// instructions are ever taken for it.
template <class Lanes>
void close_short_fronts(const Fronts& fronts, std::size_t a, std::size_t b, Edge* corners) {
  // Vertices for which records of neighbours are prefetched ahead.
  constexpr std::size_t kAhead = 8;
  const Local* const records = fronts.records.data();
  for (std::size_t word = a; word < b; ++word)
    for (std::uint64_t left = fronts.small[word]; left; left &= left - 1) {
      const std::size_t v = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      const Local* const front = records + v * Lanes::kWidth;
      if (fronts.scattered && v + kAhead < fronts.list.size()) {
        const Local* const ahead = front + kAhead * Lanes::kWidth;
        for (std::size_t i = 1; i < Lanes::kWidth; ++i)
          __builtin_prefetch(records + static_cast<std::size_t>(std::max(ahead[i], 0)) * Lanes::kWidth);
      }
      const Lanes lanes = Lanes::load(front);
      const unsigned valid = lanes.valid();
      const auto size = static_cast<std::size_t>(std::popcount(valid));
      std::uint64_t found = 0;
      for (std::size_t i = 1; i < size; ++i) {
        const Local u = front[i];
        unsigned hits = 0;
        if (u < fronts.rows) {
          const std::uint64_t* const row = fronts.row(u);
          for (std::size_t j = 0; j < i; ++j)
            hits |= static_cast<unsigned>(row[front[j] / 64] >> (front[j] % 64) & 1) << j;
        } else {
          const Local* const other = records + static_cast<std::size_t>(u) * Lanes::kWidth;
          if (other[0] == Fronts::kLong) {
            for (const Local w : fronts.list[static_cast<std::size_t>(u)]) hits |= lanes.template among<1>(&w);
          } else {
            hits = lanes.template among<4>(other);
            if constexpr (Lanes::kWidth > 4)
              if (other[4] != Fronts::kNone) hits |= lanes.template among<4>(other + 4);
            hits &= valid;
          }
        }
        found |= static_cast<std::uint64_t>(hits) << (8 * i);
      }
      if (found == 0) continue;
      for (std::size_t j = 0; j < size; ++j) corners[front[j]] += std::popcount(found & kCrosses[j]);
      corners[v] += std::popcount(found);
    }
}

}  // namespace atl
