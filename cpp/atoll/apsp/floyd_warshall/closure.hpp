// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/replicated_csr.hpp>
#include <atoll/matrix/gemm/gemm.hpp>
#include <atoll/matrix/matrix.hpp>
#include <atoll/matrix/scalar.hpp>

/// What all pairs over (max, +), (max, min) and (or, and) have of their own; the computing is all_pairs.hpp's.
///
///     const auto arcs = gather_arcs(world, std::move(edges), ArcWeights::as_given, Semiring::max_min);
///     const AllPairs<double> widths = all_pairs(world, arcs, {.semiring = Semiring::max_min});
///     widest_path(arcs, u, v, widths.distances.local(u, v));       // {u, ..., v}
///
/// | semiring | (u, v) is                                            | no path     | (u, u)                      |
/// |----------|------------------------------------------------------|-------------|-----------------------------|
/// | max_plus | the weight of the heaviest path                      | -infinity   | 0                           |
/// | max_min  | the greatest least weight of a path: the widest's    | -infinity   | infinity: nothing is passed |
/// | or_and   | 255 if v is reached from u; weights do not count     | 0           | 255                         |
///
/// Infinity of int32 is kNoPath; unsigned widths have 0 for none, so their weights begin at 1.
namespace atl {

/// The types that values of a semiring have, the usual one first.
std::vector<Element> elements_of(Semiring semiring);

/// The type where nobody has said one: the narrowest that holds every value, as of shortest paths (narrow_arcs.hpp).
Element narrowest_type(const ReplicatedCsr<double>& arcs, Semiring semiring);

/// What is computed on: shortest paths of floats that are never negative have a faster algebra.
template <class T>
Algebra all_pairs_algebra(const ReplicatedCsr<T>& arcs, Semiring semiring);

/// Throws what all_pairs() says of these arcs, before anything is computed: a type without the semiring, an unsigned width
/// of 0. Local, alike on all ranks.
template <class T>
void check_closure(const ReplicatedCsr<T>& arcs, Semiring semiring);

/// The value that an arc has in the matrix.
template <class T>
T entry_of(Semiring semiring, T weight) {
  return semiring == Semiring::or_and ? One<Semiring::or_and, T> : weight;
}

/// d <- the matrix before any path is longer than an arc.
template <class T>
void set_arc_entries(Team& team, const ReplicatedCsr<T>& arcs, Semiring semiring, MatrixView<T> d);

/// Throws the InputError that names a cycle around which paths get ever better: ever shorter, or over max_plus ever longer.
template <class T>
[[noreturn]] void refuse_gain_cycle(const ReplicatedCsr<T>& arcs, Semiring semiring);

/// The same arcs, weighing as much below 0 as they did above: their shortest paths are the longest here.
template <class T>
ReplicatedCsr<T> negated(const ReplicatedCsr<T>& arcs);

/// The path of fewest arcs from u to v among those that weigh `width` or more; empty where there is none. O(n + m).
template <class T>
std::vector<Local> widest_path(const ReplicatedCsr<T>& arcs, Local u, Local v, T width);

}  // namespace atl
