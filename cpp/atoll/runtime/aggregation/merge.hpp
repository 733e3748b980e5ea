// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <vector>

/// Merging and multicasting of records on routes of several hops: several records become one, or one becomes several.
///
///     Merge least{[](const Label& l) { return l.v; }, [](Label& a, const Label& b) { a.min = std::min(a.min, b.min); }};
///     Mailbox box(world, of_records<Label>(lower, least));
namespace atl {

/// Records are never merged.
struct NoMerge {};

/// Two records to one target with equal keys become one. `key(record)` is an integer; `unite(into, record)` merges
/// record into `into`.
template <class Key, class Unite>
struct Merge {
  Key key;
  Unite unite;
};

/// A record that reaches its target may stand for several. copies(record, f) calls f(rank, copy) for each copy,
/// addressed to the target or to other ranks of its domain, and returns false if the record stands only for itself. It
/// works on routes that gather (Route::gathers), for a record from another domain whose target is the rank where such
/// records arrive. The copies travel in the following rounds, so one record crosses the boundary between domains on
/// behalf of many.
template <class Copies>
struct Multicast {
  Copies copies;
};

template <class M>
inline constexpr bool kMerges = requires(M m) { m.unite; };
template <class M>
inline constexpr bool kMulticasts = requires(M m) { m.copies; };

/// Merges records of equal target and key into the first of them. The others keep their order. Returns how many are
/// left. `seen` is scratch memory.
template <class R, class M>
  requires kMerges<M>
std::size_t merge_equal(M& merge, R* records, Rank* targets, std::size_t n, std::vector<std::uint32_t>& seen) {
  const std::size_t table = std::bit_ceil(2 * n + 2);
  seen.assign(table, UINT32_MAX);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto key = static_cast<std::uint64_t>(merge.key(records[i]));
    constexpr std::uint64_t kMix = 0x9e3779b97f4a7c15;  // 2^64 / golden ratio
    std::size_t place = ((key ^ static_cast<std::uint64_t>(targets[i]) << 40) * kMix >> 20) & (table - 1);
    for (;; place = (place + 1) & (table - 1)) {
      const std::uint32_t other = seen[place];
      if (other == UINT32_MAX) {
        seen[place] = static_cast<std::uint32_t>(kept);
        records[kept] = records[i];
        targets[kept++] = targets[i];
        break;
      }
      if (targets[other] == targets[i] && static_cast<std::uint64_t>(merge.key(records[other])) == key) {
        merge.unite(records[other], records[i]);
        break;
      }
    }
  }
  return kept;
}

}  // namespace atl
