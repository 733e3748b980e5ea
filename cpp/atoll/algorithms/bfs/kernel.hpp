// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/isa/isa.hpp>
#include <atoll/graph/layout.hpp>

/// The inner loops of breadth-first search on one rank's bitmaps and lists. They know no ranks, threads or levels.
namespace atl {

/// The arrays that a pull step reads and writes. Bitmaps have one bit per local vertex and one spare word.
template <class Id>
struct PullView {
  const std::uint64_t* frontier;
  std::uint64_t* visited;
  std::uint64_t* next;
  const EllPrefix<Id>* prefix;
  const Edge* offsets;
  const Local* targets;
  const Id* ids;  // original ids by local number
  Id* parent;     // by local number
};

/// Converts parents from local numbers to owned indices. The parent of an unvisited vertex is kNoId.
template <class Id>
struct OwnedIndexView {
  const OwnedIndexOrder* order;
  const Id* parent;
  Vertex* out;
  std::size_t owned;
};
template <class Id>
inline constexpr Id kNoId = static_cast<Id>(-1);

template <class Id>
struct BfsKernels {
  /// Finds parents for the unvisited vertices of words [a, b): sets visited, assigns next; returns how many it found.
  /// No other thread may touch these words.
  std::size_t (*pull)(const PullView<Id>&, std::size_t a, std::size_t b);
  /// Sets the visited bit of each of n targets; writes those whose bit this call has set to `claimed` (capacity n + 16)
  /// and returns how many. Atomic: any thread may claim any bit.
  std::size_t (*claim)(std::uint64_t* visited, const Local* targets, std::size_t n, Local* claimed);
  /// Writes the result for owned indices in words [a, b), 64 to a word.
  void (*to_owned_index)(const OwnedIndexView<Id>&, std::size_t a, std::size_t b);
};

template <class Id>
BfsKernels<Id> bfs_kernels(Isa isa);

}  // namespace atl
