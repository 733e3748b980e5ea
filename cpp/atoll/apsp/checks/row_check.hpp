// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <optional>

namespace atl {

/// Checks row `s` of all pairs by its defining property: no arc improves a value, and each vertex with a value is
/// reached from s by arcs that account for it exactly (sums of fractions: up to the rounding of T). `arcs` have the
/// weights as they were read, not as T holds them; `entering` are arcs.reversed(). O(n + m). Returns what is wrong, or
/// nothing.
///
///     if (auto fault = check_row(arcs, entering, Semiring::min_plus, s, d.view().row(s))) complain(*fault);
template <class T>
std::optional<std::string> check_row(const ReplicatedCsr<double>& arcs, const ReplicatedCsr<double>& entering,
                                     Semiring semiring, Vertex s, std::span<const T> row);

}  // namespace atl
