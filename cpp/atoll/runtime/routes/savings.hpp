// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// The parts in which Atoll's routes save over the published ones. Plan::without can switch off each, so that an
/// ablation says what it gives. Answers are the same without.
///
///     const Savings some = Savings::without("claims,closing");   // some.merging is left
///     Savings::of("aml", "").merging                             // false: a published route has none of them
namespace atl {

struct Savings {
  /// Records of equal target and key become one on the way, and one record tells all mirrors in a domain.
  bool merging = true;
  /// A breadth-first search sends a vertex once from each rank; otherwise once for each edge.
  bool claims = true;
  /// The last packet of a hop says how much went there, and carries sums; otherwise there are barriers between the
  /// rounds of an exchange, votes on its end, and reductions.
  bool closing = true;

  bool operator==(const Savings&) const = default;

  /// All but those named, separated by commas; "" for all. Throws InputError for another name.
  static Savings without(std::string_view names);
  /// The savings of a run on this route: none on aml and mst, which are as published, else all but those named.
  static Savings of(std::string_view route, std::string_view names);
};

}  // namespace atl
