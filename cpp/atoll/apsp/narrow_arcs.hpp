// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/replicated_csr.hpp>

/// The type of the distances, and the weights in it.
///
///     const ReplicatedCsr<double> read = gather_arcs(world, edges);
///     const ReplicatedCsr<float> arcs = narrowed<float>(read);     // arcs.rounded of its weights are not those that were read
///     narrowest_type(read);                               // where nobody has said one
namespace atl {

/// The narrowest that holds every path: hops in 16 bits, whole weights in 32, else as float64. Fractions are float32 where
/// the input's weights are (sums are rounded to it, as shortest paths from one source are), or where every sum of them is
/// held exactly.
Element narrowest_type(const ReplicatedCsr<double>& arcs);

/// The same arcs with weights of T, not double: floats are rounded. InputError that names an edge whose weight T cannot
/// have: one that is not whole, too large, or so small that float32 has not all of its digits. Local, alike on all ranks.
template <class T>
ReplicatedCsr<T> narrowed(const ReplicatedCsr<double>& arcs);

}  // namespace atl
