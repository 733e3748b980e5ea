// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/device/device_spmm.hpp>
#include <atoll/matrix/spmm/spmm.hpp>

#include "spmm_cases.hpp"

using namespace atl;
using namespace device_spmm_cases;

namespace {

// The host's result, from `a` and half B's exact values.
Matrix<float> host_product(const SparseMatrix<float>& a, Reduce reduce, const Dense& b, const Matrix<float>* before) {
  Team team(1);
  Matrix<float> out(a.rows, b.cols);
  const Spmm<float> spmm(a.view(), reduce);
  if (before) {
    for (std::int64_t i = 0; i < a.rows; ++i) std::ranges::copy(before->view().row(i), out.view().row(i).begin());
    spmm.add(team, b.view(), out.view());
  } else {
    spmm(team, b.view(), out.view());
  }
  return out;
}

void expect_products(Device& device, const SparseMatrix<float>& a, Reduce reduce, const Dense& b, Place c_place) {
  CAPTURE(b.cols);
  CAPTURE(b.half);
  CAPTURE(static_cast<int>(reduce));
  const Stream stream(device);
  DeviceSpmm<float> spmm(stream, a.view(), reduce);
  const DeviceDenseCopy db(stream, b);
  Result c(stream, a.rows, b.cols, c_place);
  spmm(stream, db.view(), c.view());
  const Matrix<float> first = c.read();
  CHECK(wrong_in(first, host_product(a, reduce, b, nullptr), a, reduce) == 0);
  spmm.add(stream, db.view(), c.view());
  CHECK(wrong_in(c.read(), host_product(a, reduce, b, &first), a, reduce) == 0);
  CHECK(c.margins_are_untouched());
}

}  // namespace

TEST_CASE("products of any number of columns") {
  for (const int architecture : architectures()) {
    const TestDevice tested(architecture);
    const auto a = random_matrix(70, 50, 1, true);
    for (const std::int64_t k : kColumns)
      for (const bool half : {false, true})
        expect_products(tested.device(), a, Reduce::sum, Dense(a.columns, k, half, {}), {});
  }
}

TEST_CASE("products by all reductions, weighted or not, at any address") {
  for (const bool weighted : {false, true}) {
    const TestDevice tested(weighted ? 80 : 90);
    const auto a = random_matrix(30, 40, 2, weighted);
    for (const Reduce reduce : {Reduce::sum, Reduce::mean, Reduce::max, Reduce::min})
      for (const std::int64_t k : {3, 16, 128})
        for (const Place place : {Place{0, 0}, Place{1, 0}, Place{2, 6}, Place{4, 4}, Place{8, 8}, Place{0, 3}})
          for (const bool half : {false, true}) {
            expect_products(tested.device(), a, reduce, Dense(a.columns, k, half, place), {});
            expect_products(tested.device(), a, reduce, Dense(a.columns, k, half, {}), place);
          }
  }
}

TEST_CASE("columns that do not fill the vectors that strides and addresses allow") {
  const TestDevice tested;
  const auto a = random_matrix(30, 40, 2, true);
  for (const std::int64_t k : {3, 7, 33, 130})
    for (const bool half : {false, true}) {
      const Place padded{0, 8 - k % 8};
      expect_products(tested.device(), a, Reduce::sum, Dense(a.columns, k, half, padded), padded);
    }
}

TEST_CASE("rows that are cut into pieces") {
  for (const bool weighted : {false, true}) {
    const TestDevice tested(weighted ? 80 : 90);
    const auto a = matrix_of_lengths({0, 513, 3, 20000, 0, 0, 512, 1, 700, 0}, 900, weighted);
    expect_products(tested.device(), a, Reduce::sum, Dense(900, 33, false, {}), {});
    const auto shorter = matrix_of_lengths({0, 513, 3, 900, 0, 0, 512, 1, 700, 0}, 900, weighted);
    for (const Reduce reduce : {Reduce::sum, Reduce::mean, Reduce::max, Reduce::min})
      for (const std::int64_t k : {1, 20})
        expect_products(tested.device(), shorter, reduce, Dense(900, k, false, {}), {});
  }
}

TEST_CASE("tasks cover a matrix once, and rows of 100 million nonzeros have as many pieces as a piece has nonzeros") {
  for (const std::vector<Edge>& lengths :
       {std::vector<Edge>{}, {0}, {0, 0, 0}, {512, 513, 0, 1}, {100000000, 5, 70000}, std::vector<Edge>(1000, 3)}) {
    std::vector<Edge> offsets{0};
    for (const Edge length : lengths) offsets.push_back(offsets.back() + length);
    const SparseTasks all = grouped_tasks(offsets);
    Local row = 0;
    Edge at = 0;
    for (const DeviceSparseTask& task : all.tasks) {
      CHECK(task.begin == at);
      at = task.end;
      if (task.piece >= 0) {
        CHECK(task.last == task.first + 1);
        CHECK(task.end - task.begin >= 256);
        CHECK(task.end - task.begin <= 10020);
        row = task.end == offsets[static_cast<std::size_t>(task.last)] ? task.last : task.first;
        continue;
      }
      CHECK(task.first == row);
      CHECK(task.end - task.begin <= 512);
      CHECK(offsets[static_cast<std::size_t>(task.last)] == task.end);
      row = task.last;
    }
    CHECK(at == offsets.back());
    CHECK(row == static_cast<Local>(lengths.size()));
    Local piece = 0;
    for (const DeviceLongRow& r : all.long_rows) {
      CHECK(r.first == piece);
      CHECK(r.last - r.first <= 10000);
      piece = r.last;
    }
    CHECK(piece == all.pieces);
  }
}

TEST_CASE("a row's task is one, among 1,024 the long ones come first, and pieces are those of grouped rows") {
  std::vector<Edge> offsets{0};
  for (int i = 0; i < 3000; ++i) offsets.push_back(offsets.back() + (i % 700 == 5 ? 700 : (i * 37) % 50));
  const SparseTasks all = row_tasks(offsets), grouped = grouped_tasks(offsets);
  CHECK(all.pieces == grouped.pieces);
  CHECK(all.long_rows.size() == grouped.long_rows.size());
  std::vector<Edge> nonzeros(3000);
  for (std::size_t i = 0; i < all.tasks.size(); ++i) {
    const DeviceSparseTask& task = all.tasks[i];
    const auto row = static_cast<std::size_t>(task.first);
    CHECK(task.last == task.first + 1);
    CHECK(task.begin >= offsets[row]);
    CHECK(task.end <= offsets[row + 1]);
    nonzeros[row] += task.end - task.begin;
    if (i % 1024 > 0) {
      const DeviceSparseTask& before = all.tasks[i - 1];
      CHECK(before.end - before.begin >= task.end - task.begin);
      // Rows of the same length are in the order of the matrix.
      if (before.end - before.begin == task.end - task.begin) CHECK(before.first <= task.first);
    }
  }
  for (std::size_t row = 0; row < 3000; ++row) CHECK(nonzeros[row] == offsets[row + 1] - offsets[row]);
}

TEST_CASE("matrices without rows, columns or nonzeros") {
  const TestDevice tested;
  expect_products(tested.device(), matrix_of_lengths({}, 5, true), Reduce::sum, Dense(5, 8, false, {}), {});
  expect_products(tested.device(), matrix_of_lengths({0, 0, 0}, 5, true), Reduce::max, Dense(5, 8, false, {}), {});
  expect_products(tested.device(), matrix_of_lengths({0, 0}, 0, false), Reduce::sum, Dense(0, 8, false, {}), {});
  expect_products(tested.device(), matrix_of_lengths({1, 2}, 5, false), Reduce::sum, Dense(5, 0, false, {}), {});
}

TEST_CASE("a part of a larger matrix, whose mean and neutral elements are those of the whole") {
  const TestDevice tested;
  const auto a = matrix_of_lengths({0, 3, 600, 0, 1}, 70, true);
  const std::vector<Edge> whole{4, 5, 1000, 0, 1};
  const Stream stream(tested.device());
  const Dense b(70, 12, false, {});
  const DeviceDenseCopy db(stream, b);
  Team team(1);
  for (const Reduce reduce : {Reduce::mean, Reduce::max, Reduce::min}) {
    DeviceSpmm<float> spmm(stream, a.view(), reduce, whole);
    Result c(stream, a.rows, b.cols, {});
    spmm(stream, db.view(), c.view());
    Matrix<float> wanted(a.rows, b.cols);
    Spmm<float>(a.view(), reduce, whole)(team, b.view(), wanted.view());
    CHECK(wrong_in(c.read(), wanted, a, reduce) == 0);
  }
}

TEST_CASE("infinities and NaN come through as on the host") {
  const TestDevice tested;
  const auto a = random_matrix(30, 20, 3, false);
  for (const Reduce reduce : {Reduce::sum, Reduce::max, Reduce::min}) {
    Dense b(20, 5, false, {});
    b.set(3, 1, std::numeric_limits<float>::quiet_NaN());
    b.set(4, 2, std::numeric_limits<float>::infinity());
    b.set(5, 3, -std::numeric_limits<float>::infinity());
    expect_products(tested.device(), a, reduce, b, {});
  }
}

TEST_CASE("products of one object with more and fewer columns, of arrays on the device") {
  const TestDevice tested;
  const Stream stream(tested.device());
  const auto a = matrix_of_lengths({2, 2000, 0, 5}, 300, true);
  const auto offsets = uploaded(stream, a.pattern().offsets);
  const auto column_indices = uploaded(stream, a.pattern().column_indices);
  const auto values = uploaded(stream, std::span(a.values.data(), a.values.size()));
  DeviceSpmm<float> spmm(stream, {a.rows, a.columns, offsets.data(), column_indices.data(), values.data()},
                         a.pattern().offsets);
  for (const std::int64_t k : {8, 40, 3}) {
    const Dense b(300, k, false, {});
    const DeviceDenseCopy db(stream, b);
    Result c(stream, a.rows, k, {});
    spmm(stream, db.view(), c.view());
    CHECK(wrong_in(c.read(), host_product(a, Reduce::sum, b, nullptr), a, Reduce::sum) == 0);
  }
}

TEST_CASE("results are the same bits for any order of the device's work") {
  const auto a = matrix_of_lengths({0, 3, 5000, 17, 90, 1}, 400, true);
  const Dense b(400, 33, false, {});
  std::vector<Matrix<float>> results;
  for (int round = 0; round < 3; ++round) {
    const TestDevice tested;  // the emulation's random numbers go on
    const Stream stream(tested.device());
    DeviceSpmm<float> spmm(stream, a.view());
    const DeviceDenseCopy db(stream, b);
    Result c(stream, a.rows, b.cols, {});
    spmm(stream, db.view(), c.view());
    results.push_back(c.read());
    CHECK(same_bits(results.front(), results.back()));
  }
}

TEST_CASE("products refuse other shapes") {
  const TestDevice tested;
  const Stream stream(tested.device());
  const auto a = random_matrix(10, 7, 4, true);
  DeviceSpmm<float> spmm(stream, a.view());
  const DeviceDenseCopy good(stream, Dense(7, 4, false, {})), bad(stream, Dense(8, 4, false, {}));
  Result c(stream, 10, 4, {}), narrow(stream, 10, 3, {});
  CHECK_THROWS_AS(spmm(stream, bad.view(), c.view()), InputError);
  CHECK_THROWS_AS(spmm(stream, good.view(), narrow.view()), InputError);
  CHECK_THROWS_AS(DeviceSpmm<float>(stream, DeviceSparseView{.rows = 3}, std::vector<Edge>{0, 1}), InputError);
}

TEST_CASE("sampled products and gathered rows") {
  for (const int architecture : architectures()) {
    const TestDevice tested(architecture);
    const Stream stream(tested.device());
    Team team(1);
    const auto a = matrix_of_lengths({0, 3, 600, 17, 90, 1, 4, 8}, 60, false);
    const DeviceSpmm<float> spmm(stream, a.view());
    for (const std::int64_t k : kColumns)
      for (const Place place : {Place{0, 0}, Place{1, 1}, Place{4, 2}, Place{8, 7 * k % 8}})
        for (const bool half : {false, true}) {
          CAPTURE(k);
          CAPTURE(half);
          const Dense x(a.rows, k, false, place), y(a.columns, k, half, place);
          const DeviceDenseCopy dx(stream, x), dy(stream, y);
          const DeviceArray<float> values(stream.device(), a.column_indices.size());
          spmm.sampled_product(stream, dx.floats(), dy.view(), values.data());
          std::vector<float> got(a.column_indices.size()), wanted(a.column_indices.size());
          download(stream, values, std::span(got));
          stream.wait();
          sampled_product(team, a.pattern(), x.view(), y.view(), std::span(wanted));
          std::int64_t wrong = 0;
          for (std::size_t e = 0; e < got.size(); ++e)
            wrong += !(std::abs(got[e] - wanted[e]) <= 1e-5f * static_cast<float>(k));
          CHECK(wrong == 0);

          const std::vector<Local> rows{5, 0, 59, 5, 17};
          const auto numbers = uploaded(stream, std::span(rows));
          if (half) {
            const DeviceArray<std::uint16_t> to(stream.device(), 5 * static_cast<std::size_t>(k));
            gather_rows<std::uint16_t>(stream, dy.halves(), numbers.data(), {to.data(), 5, k, k});
            std::vector<std::uint16_t> out(to.size());
            download(stream, to, std::span(out));
            stream.wait();
            for (std::size_t i = 0; i < rows.size(); ++i)
              CHECK(std::ranges::equal(y.bits_of_row(rows[i]), std::span(out).subspan(i * static_cast<std::size_t>(k),
                                                                                      static_cast<std::size_t>(k))));
          } else {
            Result to(stream, 5, k, place);
            gather_rows<float>(stream, dy.floats(), numbers.data(), to.view());
            const Matrix<float> out = to.read();
            for (std::size_t i = 0; i < rows.size(); ++i)
              CHECK(std::ranges::equal(y.view().row(rows[i]), out.view().row(static_cast<std::int64_t>(i))));
            CHECK(to.margins_are_untouched());
          }
        }
  }
}
