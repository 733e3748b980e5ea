// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/matrix/gemm/gemm.hpp>
#include <atoll/matrix/matrix.hpp>
#include <atoll/matrix/scalar.hpp>

/// The part specific to all pairs over (max, +), (max, min) and (or, and); all_pairs.hpp computes them.
///
///     const auto arcs = gather_arcs(world, std::move(edges), ArcWeights::as_given, Semiring::max_min);
///     const AllPairs<double> widths = all_pairs(world, arcs, {.semiring = Semiring::max_min});
///     widest_path(arcs, u, v, widths.distances.local(u, v));       // {u, ..., v}
///
/// | semiring | (u, v) is                                   | no path   | (u, u)                   |
/// |----------|---------------------------------------------|-----------|--------------------------|
/// | max_plus | the weight of the heaviest path             | -infinity | 0                        |
/// | max_min  | the width of the widest path, its least arc | -infinity | infinity: the empty path |
/// | or_and   | 255 if u reaches v; weights do not count    | 0         | 255                      |
///
/// Infinity of int32 is kNoPath. Unsigned widths use 0 for no path, so their weights begin at 1.
namespace atl {

/// The value types of a semiring, the default one first.
std::vector<Element> elements_of(Semiring semiring);

/// The default type: the narrowest that holds every value, as for shortest paths (narrow_arcs.hpp).
template <class W>
Element narrowest_type(const ReplicatedCsr<W>& arcs, Semiring semiring);

/// The algebra to compute in: shortest paths of nonnegative floats have a faster one.
template <class T>
Algebra all_pairs_algebra(const ReplicatedCsr<T>& arcs, Semiring semiring);

/// Throws the InputErrors of all_pairs() for these arcs before any computation: a type without the semiring, an
/// unsigned width of 0. Local, the same on all ranks.
template <class T>
void check_closure(const ReplicatedCsr<T>& arcs, Semiring semiring);

/// An arc's value in the matrix.
template <class T>
T entry_of(Semiring semiring, T weight) {
  return semiring == Semiring::or_and ? One<Semiring::or_and, T> : weight;
}

/// d <- the initial matrix: paths of at most one arc.
template <class T>
void set_arc_entries(Team& team, const ReplicatedCsr<T>& arcs, Semiring semiring, MatrixView<T> d);

/// Throws the InputError that names an improving cycle: negative, or positive over max_plus.
template <class T>
[[noreturn]] void refuse_gain_cycle(const ReplicatedCsr<T>& arcs, Semiring semiring);

/// The same arcs with negated weights: their shortest paths are the longest of `arcs`.
template <class T>
ReplicatedCsr<T> negated(const ReplicatedCsr<T>& arcs);

/// The path of fewest arcs from u to v that uses only arcs of weight `width` or more; empty if there is none. O(n + m).
template <class T>
std::vector<Local> widest_path(const ReplicatedCsr<T>& arcs, Local u, Local v, T width);

}  // namespace atl
