// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/sparse/sparse_matrix.hpp>
#include <string>
#include <string_view>
#include <vector>

/// Orderings of the vertices of a graph (rows and columns of a square matrix), so that what is used together lies
/// together.
///
///     Array<Local> numbers = new_numbers(team, a.pattern(), Ordering::rabbit);   // [old row] new row
///     SparseMatrix<float> b = permuted(team, a.view(), numbers, numbers);         // permute.hpp
///     locality_of(team, b.pattern(), 64).inside_blocks;                           // locality.hpp
namespace atl {

/// Each method is described, and its paper cited, in the file that has its name.
///
///     method    order                                                        work
///     identity  as it is                                                     n
///     degree    rows by falling number of nonzeros                           n
///     hub_sort  rows of more than average length by degree, then the rest    n
///     dbg       groups of similar degree, each in the old order              n
///     rcm       reverse Cuthill-McKee: low bandwidth; one thread             m
///     rabbit    communities by modularity, each in the order of its tree     m
///     gorder    rows beside those that they share most columns with          sum of squared degrees; one thread
///     random    by seed: what the others are measured against                n
enum class Ordering { identity, degree, hub_sort, dbg, rcm, rabbit, gorder, random };

/// The methods' names, which are those above.
std::vector<std::string> ordering_names();
std::string_view name_of(Ordering method);
/// Throws InputError that lists the names.
Ordering ordering_named(std::string_view name);

struct OrderingOptions {
  std::uint64_t seed = 1;  ///< random
  int window = 5;          ///< gorder: rows before a new one that it is compared with
};

/// [old row] -> new row, a permutation of 0 .. n-1. Columns and offsets must be those of a matrix (check_sparse), in any
/// order, with self-loops and duplicates, which count as often as they are there. Degrees are numbers of nonzeros in
/// rows; rcm and rabbit go over A + A^T where A is not symmetric. The result is the same for any number of threads,
/// except rabbit's: there threads race for which vertices join first, so with several the communities may differ a
/// little from run to run; with one thread they do not. Throws InputError where the matrix is not square or a window is
/// below 1.
Array<Local> new_numbers(Team& team, const SparsePattern& a, Ordering method, const OrderingOptions& options = {});

}  // namespace atl
