// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/device/device_columns.hpp>
#include <atoll/matrix/spmm/spmm.hpp>

#include "spmm_cases.hpp"

using namespace atl;
using namespace device_spmm_cases;

namespace {

/// Row q of B is row positions[q] of one of three memories, in an order that has nothing to do with q.
struct Spread {
  std::vector<std::int32_t> owners;
  std::vector<Local> positions;

  explicit Spread(std::int64_t rows) {
    Local next[3] = {0, 0, 0};
    for (std::int64_t q = 0; q < rows; ++q) {
      const auto t = static_cast<std::size_t>(random_at(21, static_cast<std::uint64_t>(q)) % 3);
      owners.push_back(static_cast<std::int32_t>(t));
      positions.push_back(next[t]++);
    }
    for (std::int64_t q = 0; q < rows; ++q) {  // the last one first
      const auto at = static_cast<std::size_t>(q);
      positions[at] = next[owners[at]] - 1 - positions[at];
    }
  }
};

// Sums in an order of their own, against the host's: C begins as ones.
void expect_sums(Device& device, const SparseMatrix<float>& a, std::int64_t k, bool half, Place of_b, Place of_c,
                 bool factors) {
  CAPTURE(k);
  CAPTURE(half);
  Team team(1);
  const Stream stream(device);
  const SparseMatrix<float> t = transpose(team, a.view());
  const Dense b(a.columns, k, half, {});
  const Spread spread(a.columns);
  std::vector<Dense> parts;
  std::vector<DeviceDenseCopy> copies;
  std::vector<const void*> addresses;
  for (int part = 0; part < 3; ++part) parts.emplace_back(a.columns, k, half, of_b);
  for (std::int64_t q = 0; q < a.columns; ++q)
    for (std::int64_t j = 0; j < k; ++j)
      parts[static_cast<std::size_t>(spread.owners[static_cast<std::size_t>(q)])].set(
          spread.positions[static_cast<std::size_t>(q)], j, b.view()(q, j));
  for (const Dense& part : parts) copies.emplace_back(stream, part);
  for (const DeviceDenseCopy& copy : copies) addresses.push_back(copy.view().data);
  const auto tables = uploaded(stream, std::span(addresses));

  std::vector<float> row_factors;
  for (std::int64_t i = 0; factors && i < a.rows; ++i) row_factors.push_back(0.25f * static_cast<float>(i % 3));
  const DeviceColumns<float> columns(stream, t.view(), spread.owners, spread.positions, row_factors);
  Result c(stream, a.rows, k, of_c);
  c.set(1);
  const std::size_t alignment = (half ? 2u : 4u) << std::countr_zero(static_cast<std::uint64_t>(of_b.start | 8));
  columns.add(stream,
              {.tables = tables.data(),
               .stride = parts[0].stride(),
               .half = half,
               .alignment = std::min<std::size_t>(16, alignment)},
              c.view());
  Matrix<float> wanted(a.rows, k);
  Spmm<float>(a.view())(team, b.view(), wanted.view());
  for (std::int64_t i = 0; i < a.rows; ++i)
    for (float& value : wanted.view().row(i))
      value = 1 + (factors ? row_factors[static_cast<std::size_t>(i)] * value : value);
  CHECK(wrong_in(c.read(), wanted, a, Reduce::sum) == 0);
  CHECK(c.margins_are_untouched());
}

}  // namespace

TEST_CASE("products by columns over several memories") {
  for (const int architecture : architectures()) {
    const TestDevice tested(architecture);
    for (const std::int64_t k : kColumns)
      for (const bool half : {false, true})
        expect_sums(tested.device(), random_matrix(40, 30, 1, true), k, half, {}, {}, false);
  }
}

TEST_CASE("products by columns at any address, with factors of rows, and without values") {
  for (const int architecture : architectures()) {
    const TestDevice tested(architecture);
    for (const Place place : {Place{1, 0}, Place{2, 6}, Place{4, 8}, Place{8, 8}, Place{0, 3}})
      for (const std::int64_t k : {6, 16, 128})
        for (const bool half : {false, true}) {
          expect_sums(tested.device(), random_matrix(40, 30, 2, half), k, half, place, {}, !half);
          expect_sums(tested.device(), random_matrix(40, 30, 2, half), k, half, {}, place, !half);
        }
    for (const std::int64_t k : {3, 7, 33, 130})
      for (const bool half : {false, true}) {
        const Place padded{0, 8 - k % 8};
        expect_sums(tested.device(), random_matrix(40, 30, 2, half), k, half, padded, padded, !half);
      }
  }
}

TEST_CASE("products by long columns, and by none") {
  for (const int architecture : architectures()) {
    const TestDevice tested(architecture);
    expect_sums(tested.device(), matrix_of_lengths(std::vector<Edge>(700, 4), 3, true), 20, false, {}, {}, false);
    expect_sums(tested.device(), matrix_of_lengths({20000, 1, 0}, 6, true), 33, false, {}, {}, false);
    expect_sums(tested.device(), matrix_of_lengths({0, 0}, 4, true), 33, false, {}, {}, false);
  }
}

TEST_CASE("products by columns refuse other shapes") {
  const TestDevice tested;
  const Stream stream(tested.device());
  const auto t = random_matrix(10, 7, 4, true);
  const std::vector<Local> positions(10);
  const std::vector<std::int32_t> owners(10), few(9);
  CHECK_THROWS_AS(DeviceColumns<float>(stream, t.view(), few, positions), InputError);
  CHECK_THROWS_AS(DeviceColumns<float>(stream, t.view(), owners, positions, std::vector<float>(6)), InputError);
  const DeviceColumns<float> columns(stream, t.view(), owners, positions);
  Result c(stream, 8, 4, {});
  CHECK_THROWS_AS(columns.add(stream, {.tables = nullptr, .stride = 4}, c.view()), InputError);
}
