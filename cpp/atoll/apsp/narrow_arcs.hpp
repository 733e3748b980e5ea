// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs.hpp>

/// The type of the distances, where nobody has said one.
///
///     Arcs<double> arcs = gather_arcs<double>(world, edges);
///     with_value_type(narrowest_type(arcs), [&](auto value) { run(narrowed<decltype(value)>(std::move(arcs))); });
namespace atl {

/// The narrowest that holds every path for sure: hops in 16 bits, whole weights in 32, or as float64 where float32 would
/// round them or does not reach as far; else float32.
Element narrowest_type(const Arcs<double>& arcs);

/// The same arcs with weights of T: floats are rounded, whole ones must fit (narrowest_type's do).
template <class T>
Arcs<T> narrowed(Arcs<double> arcs);

}  // namespace atl
