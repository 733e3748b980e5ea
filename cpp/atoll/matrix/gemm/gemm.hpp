// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/parallel.hpp>
#include <atoll/matrix/gemm/kernels.hpp>
#include <atoll/matrix/matrix.hpp>
#include <functional>
#include <initializer_list>
#include <optional>
#include <vector>

/// Products of matrices over a semiring, C <- C (+) op(A) (x) op(B), near the processor's peak: packed and blocked as
/// in BLIS [1], with the tile of C in registers.
///
///     Gemm gemm({Semiring::min_plus, Element::int32});
///     gemm(team, plain(a), transposed(b), c.view());     // "NT": C(i, j) <- min(C(i, j), A(i, k) + B(j, k))
///
/// Any sizes and strides are allowed. Values of min_plus over int32 lie in [-kNoPath, kNoPath]; float32_nonnegative
/// takes values from +0 (not -0, whose bits are those of the smallest integer). No value may be NaN.
///
/// [1] F. Van Zee, R. van de Geijn. "BLIS: A framework for rapidly instantiating BLAS functionality." ACM TOMS 41(3), 2015.
namespace atl {

/// The blocking of a product. A rows x depth block of A stays in the second-level cache, the columns of B of one tile
/// in the first.
struct GemmBlocking {
  int tile = 0;            ///< index in tile_kernels()
  std::int64_t depth = 0;  ///< k_c: steps of k that are packed at a time
  std::int64_t rows = 0;   ///< m_c: rows of A in one task
  std::int64_t cols = 0;   ///< n_c: columns of B in one task
  bool operator==(const GemmBlocking&) const = default;
};

/// A factor as stored in memory, and whether its transpose is meant.
template <class T>
struct Factor {
  MatrixView<const T> view;
  bool transposed = false;
  std::int64_t rows() const { return transposed ? view.cols : view.rows; }
  std::int64_t cols() const { return transposed ? view.rows : view.cols; }
};
template <class T>
Factor<std::remove_const_t<T>> plain(MatrixView<T> view) {
  return {view, false};
}
template <class T>
Factor<std::remove_const_t<T>> transposed(MatrixView<T> view) {
  return {view, true};
}

/// A part of C: rows [row, row_end), columns [col, col_end).
struct Window {
  std::int64_t row = 0, row_end = 0, col = 0, col_end = 0;
  bool upper = false;  ///< only tiles that have an entry with column >= row, both counted from the window's corner
};

class Gemm;

/// A left (rows x depth) or right (depth x cols) factor, packed in the order in which tiles read it.
class PackedPanel {
 public:
  enum class Side : bool { left, right };
  explicit PackedPanel(Side side) : side_(side) {}
  /// Packs with all threads; reuses its memory.
  template <class T>
  void pack(const Gemm& gemm, Team& team, Factor<T> factor);
  /// Packs only the rows (left panel) or columns (right panel) from `begin` on, so that a panel can be packed from
  /// several pieces. `begin` and, except for the last piece, their number must be multiples of the tile's.
  template <class T>
  void pack_at(const Gemm& gemm, Team& team, std::int64_t begin, Factor<T> factor);
  /// Allocates space for `extent` rows or columns of `depth` steps.
  template <class T>
  void resize(const Gemm& gemm, std::int64_t extent, std::int64_t depth);

  std::int64_t extent() const { return extent_; }
  std::int64_t depth() const { return depth_; }
  const std::byte* group(std::int64_t number) const { return bytes_.data() + number * group_bytes_; }

 private:
  const Side side_;
  std::int64_t extent_ = 0, depth_ = 0, group_bytes_ = 0;
  Array<std::byte> bytes_;
};

class Gemm {
 public:
  /// Throws InputError if there is no kernel for the algebra.
  explicit Gemm(Algebra algebra, std::optional<GemmBlocking> blocking = {}, Isa isa = chosen_isa());

  Algebra algebra() const { return algebra_; }
  Isa isa() const { return isa_; }
  const TileKernel& tile() const { return tile_; }
  const GemmBlocking& blocking() const { return blocking_; }
  /// The default blocking.
  static GemmBlocking usual_blocking(Algebra algebra, Isa isa);

  /// C <- C (+) A (x) B. C must overlap neither factor.
  template <class T>
  void operator()(Team& team, Factor<T> a, Factor<T> b, MatrixView<T> c) const;
  /// The same for packed factors, restricted to the given windows of C; C may now overlap the unpacked factors.
  /// `between`, if given, is called repeatedly by the first thread, some ten times per millisecond.
  template <class T>
  void multiply(Team& team, const PackedPanel& a, const PackedPanel& b, MatrixView<T> c,
                std::span<const Window> windows, const std::function<void()>& between = {}) const;

 private:
  struct Task;
  template <class T>
  void run(const Task& task, const PackedPanel& a, const PackedPanel& b, MatrixView<T> c) const;

  Algebra algebra_;
  Isa isa_;
  TileKernel tile_;
  GemmBlocking blocking_;
};

/// The peak rate on registers alone with all of the team's threads, in operations per second, counting (x) and (+) as
/// two: the reference for the speed of a product. Takes about `seconds`.
double peak_operations_per_second(Team& team, Algebra algebra, Isa isa, double seconds = 0.1);

}  // namespace atl
