// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/device/device_gemm.hpp>

#include "test_device.hpp"

using namespace atl;

namespace {

template <class T>
constexpr T kNone = std::is_same_v<T, std::uint16_t> ? static_cast<T>(0x7fff) : kNoPath<T>;

template <class T>
Matrix<T> random_matrix(std::int64_t rows, std::int64_t cols, std::uint64_t seed) {
  Matrix<T> m(rows, cols);
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < cols; ++j) {
      const std::uint64_t word = random_at(seed, static_cast<std::uint64_t>(i * cols + j));
      m(i, j) = word % 5 == 0 ? kNone<T> : static_cast<T>(word / 8 % 20000);
    }
  return m;
}

template <class T>
void expect_product(Device& device, std::int64_t m, std::int64_t n, std::int64_t k, bool a_transposed,
                    bool b_transposed, std::optional<DeviceTile> tile) {
  const auto a = a_transposed ? random_matrix<T>(k, m, 1) : random_matrix<T>(m, k, 1);
  const auto b = b_transposed ? random_matrix<T>(n, k, 2) : random_matrix<T>(k, n, 2);
  auto c = random_matrix<T>(m, n, 3);
  Matrix<T> wanted(m, n);
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) {
      T best = c(i, j);
      for (std::int64_t s = 0; s < k; ++s) {
        const auto sum = static_cast<T>((a_transposed ? a(s, i) : a(i, s)) + (b_transposed ? b(j, s) : b(s, j)));
        best = std::min(best, sum);
      }
      wanted(i, j) = best;
    }
  const Stream stream(device);
  const DeviceGemm gemm(device, kElementOf<T>, tile);
  DeviceMatrix<T> da(device, a.rows(), a.cols()), db(device, b.rows(), b.cols()), dc(device, m, n);
  upload(stream, a.view(), da.view());
  upload(stream, b.view(), db.view());
  upload(stream, std::as_const(c).view(), dc.view());
  gemm(stream, DeviceOperand<T>{da.view(), a_transposed}, DeviceOperand<T>{db.view(), b_transposed}, dc.view());
  download(stream, dc.view(), c.view());
  stream.wait();
  std::int64_t wrong = 0;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t j = 0; j < n; ++j) wrong += c(i, j) != wanted(i, j);
  CAPTURE(m);
  CAPTURE(n);
  CAPTURE(k);
  CAPTURE(a_transposed);
  CAPTURE(b_transposed);
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE_TEMPLATE("products of any size and transposition", T, float, std::int32_t, std::uint16_t) {
  for (const int architecture : architectures()) {
    const TestDevice tested(architecture);
    Device& device = tested.device();
    for (const auto [m, n, k] : {std::array<std::int64_t, 3>{1, 1, 1}, {7, 5, 3}, {130, 67, 33}, {129, 257, 40}})
      for (const bool at : {false, true})
        for (const bool bt : {false, true}) expect_product<T>(device, m, n, k, at, bt, {});
  }
}

TEST_CASE_TEMPLATE("every tile that is compiled in", T, float, std::int32_t, std::uint16_t) {
  for (const int architecture : architectures()) {
    const TestDevice tested(architecture);
    Device& device = tested.device();
    for (const DeviceTile& tile : DeviceGemm::tiles(device, kElementOf<T>))
      expect_product<T>(device, tile.rows + 3, tile.cols + 1, 5 * tile.depth + 1, false, true, tile);
  }
}

TEST_CASE("products refuse windows that begin within a tile, that are too many, and factors that do not fit") {
  const TestDevice tested;
  Device& device = tested.device();
  const Stream stream(device);
  const DeviceGemm gemm(device, Element::int32);
  const std::int64_t rows = gemm.tile().rows, cols = gemm.tile().cols, m = 3 * rows, n = 2 * cols;
  const DeviceMatrix<std::int32_t> a(device, m, 4), b(device, 4, n), c(device, m, n);
  DevicePanel left(DevicePanel::Side::left), right(DevicePanel::Side::right);
  left.pack(gemm, stream, DeviceOperand<std::int32_t>{a.view(), false});
  right.pack(gemm, stream, DeviceOperand<std::int32_t>{b.view(), false});
  const auto multiply = [&](std::vector<Window> windows) { gemm.multiply(stream, left, right, c.view(), windows); };
  multiply({{rows, m, cols, n}, {0, 0, 1, 1}});  // what is empty may begin anywhere
  CHECK_THROWS_WITH_AS(multiply({{1, m, 0, n}}), doctest::Contains("begin at multiples of the tile's"), InputError);
  CHECK_THROWS_WITH_AS(multiply({{0, m, cols / 2, n}}), doctest::Contains("Choose a block that they divide"),
                       InputError);
  CHECK_THROWS_WITH_AS(multiply({{0, m + 1, 0, n}}), doctest::Contains("lie in the matrix"), InputError);
  CHECK_THROWS_WITH_AS(multiply(std::vector<Window>(5, {0, rows, 0, cols})), doctest::Contains("in 5 windows"),
                       InputError);
  CHECK_THROWS_WITH_AS(gemm.multiply(stream, right, left, c.view(), {}), doctest::Contains("Pack the factors"),
                       InputError);
  stream.wait();
}
