// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atoll/graph/relabel.hpp>

namespace atl {

/// Maps the dense numbers in this rank's lists to local numbers.
class LocalNames {
 public:
  /// Collective. `lists` are arrays of dense numbers. InputError where n bits exceed Plan::replicated_bytes.
  template <class Dense>
  static LocalNames learn(World& world, const IdMap& ids, const LocalOrder& order,
                          std::span<const std::span<const Dense>> lists);

  Local of(Vertex dense) const {
    if (!local_at_.empty()) return local_at_[dense];
    const Vertex owned_index = dense - begin_;
    if (owned_index >= 0 && owned_index < owned_) return order_->local_of[owned_index];
    const auto at = static_cast<std::uint64_t>(dense);
    const std::uint64_t below = seen_[at / 64] & ((std::uint64_t{1} << (at % 64)) - 1);
    return mirror_at_[before_[at / 64] + static_cast<std::uint32_t>(__builtin_popcountll(below))];
  }

  Mirrors mirrors;
  Local locals = 0;
  std::vector<Vertex> mirror_ids;  ///< [local - mirrors.begin[first group]] original ids; holes are 0
  std::size_t memory_bytes() const;

 private:
  const LocalOrder* order_ = nullptr;
  Array<Local> local_at_;  // [dense], only if small relative to the lists: one load instead of four
  Vertex begin_ = 0, owned_ = 0;
  Array<std::uint64_t> seen_;     // [dense / 64]
  Array<std::uint32_t> before_;   // [dense / 64] mirrors before that word
  std::vector<Local> mirror_at_;  // [k-th mirror by dense number]
};

}  // namespace atl
