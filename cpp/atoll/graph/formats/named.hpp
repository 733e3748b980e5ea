// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/edge_list.hpp>
#include <atoll/graph/partition/blocks.hpp>
#include <atoll/runtime/world.hpp>
#include <span>

namespace atl {

/// The dense vertices that occur in this rank's edges, and values of them fetched from their owners.
///
///     const NamedVertices named(world, blocks, edges);                           // collective
///     const std::vector<Rank> owner = named.fetch(std::span<const Rank>(mine));  // collective; mine: of the own block
///     owner[named.index(dense)];
class NamedVertices {
 public:
  /// Throws InputError, the same on all ranks, if n bits exceed Plan::replicated_bytes.
  NamedVertices(World& world, const Blocks& blocks, const EdgeList& edges);

  std::size_t index(Vertex dense) const {
    const auto at = static_cast<std::uint64_t>(dense);
    const std::uint64_t below = seen_[at / 64] & ((std::uint64_t{1} << (at % 64)) - 1);
    return before_[at / 64] + static_cast<std::size_t>(__builtin_popcountll(below));
  }

  /// [index] the value of each such vertex, fetched from its owner.
  template <Plain T>
  std::vector<T> fetch(std::span<const T> own) const {
    std::vector<std::vector<T>> answers(wanted_.size());
    for (std::size_t r = 0; r < wanted_.size(); ++r)
      for (const Vertex owned_index : wanted_[r]) answers[r].push_back(own[owned_index]);
    std::vector<T> values;
    for (const auto& part : world_.exchange(std::move(answers))) values.insert(values.end(), part.begin(), part.end());
    return values;
  }

 private:
  World& world_;
  Array<std::uint64_t> seen_;                // [dense / 64]
  Array<std::size_t> before_;                // [dense / 64] number of such vertices before that word
  std::vector<std::vector<Vertex>> wanted_;  // [rank] owned indices of the vertices that occur in its edges, ascending
};

}  // namespace atl
