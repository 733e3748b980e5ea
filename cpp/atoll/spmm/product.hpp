// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/matrix/matrix.hpp>
#include <atoll/spmm/matrix_rows.hpp>
#include <atoll/spmm/strategy.hpp>

/// Steps that all distributed products do alike, whichever rank multiplies what: they check what they are given, and
/// take their time on a virtual clock.
namespace atl::spmm {

/// Collective; every rank throws InputError for rows that are not distributed over the World's ranks or a column that
/// does not exist. A NaN among the values makes its row of the product NaN, as in any other product.
template <class T>
void check_rows(World& world, const MatrixRows<T>& a);

/// Nonzeros of the rank's rows whose columns other ranks own.
template <class T>
Edge remote_nonzeros(const MatrixRows<T>& rows, Rank rank);

/// Returns the number of columns of B and C. Collective; every rank throws InputError if a shape is wrong on any.
template <class T>
std::int64_t check_shapes(World& world, MatrixView<const T> b, MatrixView<T> c, std::int64_t b_rows,
                          std::int64_t c_rows);

/// Where the Machine has a device, lets this rank take the time of nonzeros x (4 + sizeof(T) + columns sizeof(T)) bytes
/// of its memory or 2 columns nonzeros operations, whichever is longer: the roofline of a product that finds no row of B
/// in a cache. A program takes so many times that.
template <class T>
void charge_product(World& world, Edge nonzeros, std::int64_t columns, const SpmmProgram& program = {});

/// Where the Machine has a device, lets this rank take what a stage of the program costs beside its product, with
/// `rows` rows of C and `copies` rows of B.
template <class T>
void charge_stage(World& world, std::int64_t rows, std::int64_t copies, std::int64_t columns,
                  const SpmmProgram& program);

/// The largest divisor of `ranks` that is at most their root.
Rank largest_divisor_to_root(Rank ranks);

}  // namespace atl::spmm
