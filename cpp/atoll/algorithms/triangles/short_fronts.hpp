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

/// Returns which lanes equal one of the vertices of a list.
template <class Lanes>
unsigned among_all(const Lanes& lanes, const Fronts::List& list) {
  unsigned hits = 0;
  std::size_t i = 0;
  for (; i + 4 <= list.size; i += 4) hits |= lanes.among(list.first + i);
  if (i == list.size) return hits;
  Local last[4] = {Fronts::kLong, Fronts::kLong, Fronts::kLong, Fronts::kLong};
  std::copy(list.first + i, list.end(), last);
  return hits | lanes.among(last);
}

/// Counts the triangles in which a vertex with a short front has the highest number, for the vertices in words [a, b) of
/// `small`: all pairs of a front are a matrix of bits, and are tested without a branch on what is found, which on a mesh
/// could not be predicted. Of the instruction set, Lanes is one record,
///   kWidth           its entries,
///   load(record)     reads it,
///   among(list)      which lanes equal one of four vertices;
/// sets of lanes are bits of an unsigned. kMesh: no row of bits and no larger front is met. Lanes is a type of the
/// including file only, so that no other file's instructions are ever taken for it.
template <class Lanes, bool kMesh>
void close_short_fronts(const Fronts& fronts, std::size_t a, std::size_t b, const Corners& corners) {
  constexpr std::size_t kWidth = Lanes::kWidth;
  // Vertices for which records of neighbours are prefetched ahead.
  constexpr std::size_t kAhead = 8;
  // Record 0 stands for no vertex too.
  const Local* const records = fronts.records.data();
  const auto record = [&](Local u) { return records + static_cast<std::size_t>(std::max(u, 0)) * kWidth; };
  const bool scattered = fronts.scattered, mixed = fronts.mixed_sizes;
  for (std::size_t word = a; word < b; ++word)
    for (std::uint64_t left = fronts.small[word]; left; left &= left - 1) {
      const std::size_t v = word * 64 + static_cast<std::size_t>(std::countr_zero(left));
      const Local* const front = records + v * kWidth;
      if (scattered && v + kAhead < fronts.list.size())
        for (std::size_t i = 1; i < kWidth; ++i) __builtin_prefetch(record(front[kAhead * kWidth + i]));
      const Lanes lanes = Lanes::load(front);
      // The vertices of the front below its i-th that are on the list of that one.
      const auto below = [&](std::size_t i) {
        const Local u = front[i];
        const Local* const other = record(u);
        unsigned hits = 0;
        if (!kMesh && static_cast<std::uint32_t>(u) < static_cast<std::uint32_t>(fronts.rows)) {
          const std::uint64_t* const row = fronts.row(u);
          for (std::size_t j = 0; j < i; ++j)
            hits |= static_cast<unsigned>(row[front[j] / 64] >> (front[j] % 64) & 1) << j;
        } else if (!kMesh && other[0] == Fronts::kLong) {
          hits = among_all(lanes, fronts.list[static_cast<std::size_t>(u)]);
        } else {
          hits = lanes.among(other);
          if (kWidth > 4 && other[4] != Fronts::kNone) hits |= lanes.among(other + 4);
        }
        return std::uint64_t{hits & ((1u << i) - 1)} << (8 * i);
      };
      std::uint64_t found = below(1);
      if (mixed || front[2] != Fronts::kNone) found |= below(2) | below(3);
      if constexpr (kWidth > 4)
        for (std::size_t i = 4; i < kWidth && front[i] != Fronts::kNone; ++i) found |= below(i);
      if (found == 0) continue;
      for (std::size_t j = 0; j < kWidth && front[j] != Fronts::kNone; ++j)
        corners.add(front[j], std::popcount(found & kCrosses[j]));
      corners.add(static_cast<Local>(v), std::popcount(found));
    }
}

template <class Lanes>
void close_short_fronts(const Fronts& fronts, std::size_t a, std::size_t b, const Corners& corners) {
  if (fronts.rows == 0 && !fronts.any_large) return close_short_fronts<Lanes, true>(fronts, a, b, corners);
  close_short_fronts<Lanes, false>(fronts, a, b, corners);
}

}  // namespace atl
