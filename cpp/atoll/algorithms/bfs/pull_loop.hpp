// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/algorithms/bfs/kernel.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>

namespace atl {

/// Finds parents for the unvisited vertices of the words [a, b), several at a time: one vector has their first
/// neighbours, one gather the frontier bits of those. Returns how many it found. Of the instruction set, Lanes tells
///   kCount                                    how many vertices a vector has,
///   hits(bits, targets, lanes)                which of `lanes` have a target whose bit is set,
///   store_ids(to, from, lanes)                writes the ids of these lanes,
///   append(to, first, lanes)                  writes first + lane for these lanes, in order; at most kCount values;
/// sets of lanes are bits of an unsigned. Lanes is a type of the including file only, so that no other file's
/// instructions are ever taken for it.
template <class Lanes, class Id>
std::size_t pull_vectors(const PullView<Id>& g, std::size_t a, std::size_t b) {
  constexpr int kColumns = EllPrefix<Id>::kColumns;
  constexpr std::size_t kVectors = 64 / Lanes::kCount;  // in a word
  constexpr unsigned kAll = (1u << Lanes::kCount) - 1;
  // Vertices with longer lists and none of the first neighbours in the frontier are left for a second pass over each
  // block of words, which prefetches their lists.
  constexpr std::size_t kBlock = 32, kAhead = 8;
  Local left[kBlock * 64 + Lanes::kCount];
  std::size_t count = 0;
  for (std::size_t block = a; block < b; block += kBlock) {
    std::size_t lefts = 0;
    for (std::size_t w = block; w < std::min(b, block + kBlock); ++w) {
      const std::uint64_t open = ~g.visited[w];
      std::uint64_t found = 0;
      for (std::size_t k = 0; open && k < kVectors; ++k) {
        const std::size_t shift = k * Lanes::kCount, v = w * 64 + shift;
        unsigned lanes = static_cast<unsigned>(open >> shift) & kAll, hits = 0;
        if (!lanes) continue;
        for (int c = 0; c < kColumns && lanes; ++c) {
          const unsigned hit = Lanes::hits(g.frontier, g.prefix->vertex[c].data() + v, lanes);
          if (hit) Lanes::store_ids(g.parent + v, g.prefix->id[c].data() + v, hit);
          hits |= hit;
          lanes &= ~hit;
        }
        found |= static_cast<std::uint64_t>(hits) << shift;
        lanes &= static_cast<unsigned>(g.prefix->more[w] >> shift);
        Lanes::append(left + lefts, static_cast<Local>(v), lanes);
        lefts += static_cast<std::size_t>(std::popcount(lanes));
      }
      g.visited[w] |= found;
      g.next[w] = found;
      count += static_cast<std::size_t>(std::popcount(found));
    }
    for (std::size_t i = 0; i < std::min(lefts, kAhead); ++i)
      __builtin_prefetch(g.targets + g.offsets[left[i]] + kColumns);
    for (std::size_t i = 0; i < lefts; ++i) {
      if (i + kAhead < lefts) __builtin_prefetch(g.targets + g.offsets[left[i + kAhead]] + kColumns);
      const Local v = left[i];
      for (Edge e = g.offsets[v] + kColumns, end = g.offsets[v + 1]; e < end; ++e) {
        const Local u = g.targets[e];
        if (!(g.frontier[u >> 6] >> (u & 63) & 1)) continue;
        g.parent[v] = g.ids[u];
        const std::uint64_t bit = std::uint64_t{1} << (v & 63);
        g.visited[v >> 6] |= bit;
        g.next[v >> 6] |= bit;
        ++count;
        break;
      }
    }
  }
  return count;
}

}  // namespace atl
