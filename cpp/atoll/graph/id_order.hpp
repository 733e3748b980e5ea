// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/numbering.hpp>
#include <span>

namespace atl {

/// The vertices in ascending order of their original ids, a block on each rank: the order in which results are written,
/// for any partition. If the graph's blocks ascend by id already, nothing is stored and nothing is sent.
///
///     const IdOrder order(world, graph.ids());                  // collective
///     const auto depths = order.arrange(std::span(depth));      // collective: values by owned index -> in id order
///     order.id_at(0);                                           // the vertex of the first value
class IdOrder {
 public:
  IdOrder(World& world, const IdMap& ids);

  /// Positions in the order, over the ranks.
  const Blocks& blocks() const { return blocks_; }
  Vertex size() const { return blocks_.size(world_.rank()); }
  Vertex id_at(Vertex k) const { return ascends_by_id() ? ids_.id_of(k) : sorted_[k]; }
  /// Its dense number in the graph.
  Vertex dense_at(Vertex k) const { return ascends_by_id() ? blocks_.begin(world_.rank()) + k : dense_[k]; }
  /// The rank whose block covers this id, whether the id exists or not; -1: it is below all blocks.
  Rank rank_of(Vertex id) const {
    return static_cast<Rank>(std::upper_bound(starts_.begin(), starts_.end(), id) - starts_.begin()) - 1;
  }
  /// Its position in this rank's block, or -1 if it is not here.
  Vertex find_here(Vertex id) const;

  template <Plain T>
  std::vector<T> arrange(std::span<const T> by_owned_index) const {
    if (ascends_by_id()) return {by_owned_index.begin(), by_owned_index.end()};
    std::vector<std::vector<T>> outgoing(cuts_.size() - 1);
    for (std::size_t r = 0; r + 1 < cuts_.size(); ++r)
      outgoing[r].assign(by_owned_index.begin() + cuts_[r], by_owned_index.begin() + cuts_[r + 1]);
    std::vector<T> came, values;
    for (const auto& part : world_.exchange(std::move(outgoing))) came.insert(came.end(), part.begin(), part.end());
    values.reserve(came.size());
    for (const std::size_t from : from_) values.push_back(came[from]);
    return values;
  }

 private:
  bool ascends_by_id() const { return cuts_.empty(); }

  World& world_;
  const IdMap& ids_;
  Blocks blocks_;
  std::vector<Vertex> starts_;          // [rank] the first id of its block; an empty block has the next one's
  std::vector<std::ptrdiff_t> cuts_;    // [rank] where its part begins among the owned indices, and the end
  std::vector<std::size_t> from_;       // [position] index among the values received from all ranks
  std::vector<Vertex> sorted_, dense_;  // [position]
};

}  // namespace atl
