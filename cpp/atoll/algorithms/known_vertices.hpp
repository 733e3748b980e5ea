// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <span>
#include <vector>

/// Maps dense numbers to local numbers, for the masters and mirrors of this rank.
///
///     const KnownVertices known(graph, dense_numbers(graph));
///     known.local_of(dense);                              // -1: neither a master nor a mirror here
///
/// Memory: 3 bits for each vertex of all ranks, 4 bytes a mirror.
namespace atl {

class KnownVertices {
 public:
  /// `dense`: [local].
  KnownVertices(const Graph& graph, std::span<const Vertex> dense);

  Local local_of(Vertex dense) const {
    const Vertex owned_index = dense - begin_;
    if (owned_index >= 0 && owned_index < graph_.owned()) return graph_.local_of(owned_index);
    const auto at = static_cast<std::size_t>(dense);
    const std::uint64_t word = mirrored_[at / 64], bit = std::uint64_t{1} << (at % 64);
    if (!(word & bit)) return -1;
    return mirrors_[before_[at / 64] + static_cast<std::size_t>(std::popcount(word & (bit - 1)))];
  }

 private:
  const Graph& graph_;
  const Vertex begin_;             // first dense number of this rank's block
  Array<std::uint64_t> mirrored_;  // [dense / 64] one bit per vertex
  Array<std::uint64_t> before_;    // [dense / 64] mirrors below the word
  Array<Local> mirrors_;           // ascending by dense number
};

}  // namespace atl
