// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/replicated_csr.hpp>

/// Chooses the type of the distances and converts the weights to it.
///
///     const ReplicatedCsr<double> read = gather_arcs(world, edges);
///     const ReplicatedCsr<float> arcs = narrowed<float>(read);     // arcs.rounded weights have changed
///     narrowest_type(read);                                        // the default type
///
/// The weights that are given are double, or as matrix_arcs.hpp has them, float or int32.
namespace atl {

/// The narrowest type that holds every path length: hops in 16 bits, whole weights in 32, else float64. Fractions use
/// float32 if the input's weights are float32 (sums are rounded to it, as in single-source shortest paths), or if
/// float32 holds every sum exactly.
template <class W>
Element narrowest_type(const ReplicatedCsr<W>& arcs);

/// The same arcs with weights of type T; floats are rounded. Throws InputError, naming the edge, if T cannot hold a
/// weight: not whole, too large, or so small that float32 lacks some of its digits. Local, the same on all ranks.
template <class T, class W>
ReplicatedCsr<T> narrowed(const ReplicatedCsr<W>& arcs);

}  // namespace atl
