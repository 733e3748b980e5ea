// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/matrix/gemm/gemm.hpp>
#include <utility>

/// Products to be timed, for the tuner and the model's fits.
namespace atl::cli {

/// Two factors of random values, and the memory of their product.
template <class T>
class ProductOperands {
 public:
  ProductOperands(Team& team, std::int64_t m, std::int64_t n, std::int64_t k) : a_(m, k), b_(k, n), c_(m, n) {
    fill(team, a_, 1);
    fill(team, b_, 2);
    fill(team, c_, 3);
  }
  /// Operations per second of C(m x n) <- C (+) A(m x k) (x) B(k x n), on parts of the matrices. Includes packing.
  double rate(Team& team, const Gemm& gemm, std::int64_t m, std::int64_t n, std::int64_t k) {
    const Timer timer;
    gemm(team, plain(std::as_const(a_).view().part(0, 0, m, k)), plain(std::as_const(b_).view().part(0, 0, k, n)),
         c_.view().part(0, 0, m, n));
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / timer.seconds();
  }
  /// The same in the form of one step of Floyd-Warshall: all k in one panel, packed first.
  double step_rate(Team& team, const Gemm& gemm, std::int64_t m, std::int64_t n, std::int64_t k) {
    const Timer timer;
    left_.pack<T>(gemm, team, plain(std::as_const(a_).view().part(0, 0, m, k)));
    right_.pack<T>(gemm, team, plain(std::as_const(b_).view().part(0, 0, k, n)));
    const Window all{0, m, 0, n};
    gemm.multiply(team, left_, right_, c_.view(), {&all, 1});
    return 2.0 * static_cast<double>(m) * static_cast<double>(n) * static_cast<double>(k) / timer.seconds();
  }

 private:
  static void fill(Team& team, Matrix<T>& matrix, std::uint64_t seed) {
    constexpr std::uint64_t kLargest = 100;  // the sum of two fits the narrowest type
    team.for_range(static_cast<std::size_t>(matrix.rows()), 16, [&](int, std::size_t i, std::size_t end) {
      for (; i < end; ++i)
        for (std::int64_t j = 0; j < matrix.cols(); ++j)
          matrix(static_cast<std::int64_t>(i), j) = static_cast<T>(
              random_at(seed, i * static_cast<std::uint64_t>(matrix.cols()) + static_cast<std::uint64_t>(j)) %
              kLargest);
    });
  }
  Matrix<T> a_, b_, c_;
  PackedPanel left_{PackedPanel::Side::left}, right_{PackedPanel::Side::right};
};

}  // namespace atl::cli
