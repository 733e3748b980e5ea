// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/matrix/spmm/spmm.hpp>
#include <cmath>
#include <limits>
#include <vector>

using namespace atl;

namespace {

constexpr Isa kAll[] = {Isa::portable, Isa::avx2, Isa::avx512};
std::vector<Isa> isas_here() {
  std::vector<Isa> out;
  for (const Isa isa : kAll)
    if (isa <= machine_isa()) out.push_back(isa);
  return out;
}

// Row lengths: 0 for every fifth row, one row of `longest`, else up to 12.
template <class T>
SparseMatrix<T> random_sparse(std::int64_t rows, std::int64_t columns, Edge longest, bool weighted,
                              std::uint64_t seed) {
  Random random(seed);
  std::vector<Edge> offsets{0};
  std::vector<Local> column_indices;
  for (std::int64_t i = 0; i < rows; ++i) {
    const Edge length = i == rows / 2 ? longest : i % 5 == 0 ? 0 : static_cast<Edge>(random.below(13));
    for (Edge e = 0; e < length; ++e)
      column_indices.push_back(static_cast<Local>(random.below(static_cast<std::uint64_t>(columns))));
    offsets.push_back(static_cast<Edge>(column_indices.size()));
  }
  SparseMatrix<T> a{.rows = rows, .columns = columns};
  a.offsets = Array<Edge>(offsets.size());
  std::ranges::copy(offsets, a.offsets.begin());
  a.column_indices = Array<Local>(column_indices.size());
  std::ranges::copy(column_indices, a.column_indices.begin());
  if (weighted) {
    a.values = Array<T>(column_indices.size());
    for (T& value : a.values) value = static_cast<T>(random.unit() - 0.5);
  }
  return a;
}

// Rows with unused values between them, which no product may touch.
template <class T>
class Dense {
 public:
  Dense(std::int64_t rows, std::int64_t columns, std::uint64_t seed, std::int64_t unused = 3)
      : rows_(rows), columns_(columns), stride_(columns + unused), values_(static_cast<std::size_t>(rows * stride_)) {
    Random random(seed);
    for (T& value : values_) value = static_cast<T>(random.unit() * 4 - 2);
  }
  MatrixView<T> view() { return {values_.data(), rows_, columns_, stride_}; }
  MatrixView<const T> view() const { return {values_.data(), rows_, columns_, stride_}; }
  bool operator==(const Dense&) const = default;

 private:
  std::int64_t rows_, columns_, stride_;
  std::vector<T> values_;
};

// By the definition, in double: c(i, j) and the sum of the magnitudes, which bounds the rounding error.
struct Reduced {
  double value = 0, magnitude = 0;
  Edge count = 0;
};
template <class T>
Reduced expected(const SparseMatrix<T>& a, MatrixView<const T> b, Reduce reduce, std::int64_t i, std::int64_t j) {
  Reduced out;
  for (auto e = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(i)]);
       e < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(i) + 1]); ++e, ++out.count) {
    const T product = (a.values.empty() ? T{1} : a.values[e]) * b(a.column_indices[e], j);
    const auto x = static_cast<double>(product);
    out.magnitude += std::abs(x);
    if (reduce == Reduce::max) {
      out.value = out.count == 0 ? x : std::max(out.value, x);
    } else if (reduce == Reduce::min) {
      out.value = out.count == 0 ? x : std::min(out.value, x);
    } else {
      out.value += x;
    }
  }
  if (reduce == Reduce::mean && out.count > 0) {
    out.value /= static_cast<double>(out.count);
    out.magnitude /= static_cast<double>(out.count);
  }
  return out;
}

template <class T>
double tolerance(const Reduced& r) {
  return 4 * (std::sqrt(static_cast<double>(r.count)) + 2) * std::numeric_limits<T>::epsilon() * r.magnitude;
}

template <class T>
void check_products(Isa isa, std::int64_t columns, Reduce reduce, bool weighted) {
  Team team(2);
  const SparseMatrix<T> a = random_sparse<T>(97, 61, 300, weighted, 7 + static_cast<std::uint64_t>(columns));
  const Dense<T> b(61, columns, 11);
  Dense<T> c(97, columns, 12);
  const Dense<T> before = c;
  Spmm<T>(a.view(), reduce, isa)(team, b.view(), c.view());
  int wrong = 0;
  for (std::int64_t i = 0; i < 97; ++i) {
    for (std::int64_t j = 0; j < columns; ++j) {
      const Reduced r = expected(a, b.view(), reduce, i, j);
      wrong += !(std::abs(static_cast<double>(c.view()(i, j)) - r.value) <= tolerance<T>(r));
    }
    const T* const after = &c.view()(i, 0) + columns;
    wrong += !std::equal(after, after + 3, &before.view()(i, 0) + columns);
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("products of any width, for each reduction, type and instruction set") {
  for (const Isa isa : isas_here())
    for (const std::int64_t columns :
         {1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 31, 32, 33, 63, 64, 65, 96, 127, 128, 129, 144, 200, 513})
      for (const Reduce reduce : {Reduce::sum, Reduce::mean, Reduce::max, Reduce::min})
        for (const bool weighted : {true, false}) {
          CAPTURE(name_of(isa));
          CAPTURE(columns);
          CAPTURE(static_cast<int>(reduce));
          CAPTURE(weighted);
          check_products<float>(isa, columns, reduce, weighted);
          check_products<double>(isa, columns, reduce, weighted);
        }
}

TEST_CASE("parts of a matrix, one on top of the other, give the product of the whole") {
  Team team(3);
  for (const Isa isa : isas_here())
    for (const Reduce reduce : {Reduce::sum, Reduce::mean, Reduce::max, Reduce::min})
      for (const std::int64_t columns : {1, 3, 16, 19, 40, 130}) {
        CAPTURE(columns);
        CAPTURE(static_cast<int>(reduce));
        const SparseMatrix<double> left = random_sparse<double>(83, 40, 100, true, 1),
                                   right = random_sparse<double>(83, 57, 20000, true, 2);
        const Dense<double> b_left(40, columns, 3), b_right(57, columns, 4);
        std::vector<Edge> counts(83);
        for (std::size_t i = 0; i < 83; ++i)
          counts[i] = left.offsets[i + 1] - left.offsets[i] + right.offsets[i + 1] - right.offsets[i];
        Dense<double> c(83, columns, 5);
        Spmm<double>(left.view(), reduce, counts, isa)(team, b_left.view(), c.view());
        Spmm<double>(right.view(), reduce, counts, isa).add(team, b_right.view(), c.view());
        finish_rows<double>(team, counts, c.view());
        int wrong = 0;
        for (std::int64_t i = 0; i < 83; ++i)
          for (std::int64_t j = 0; j < columns; ++j) {
            const Reduced l = expected(left, b_left.view(), reduce == Reduce::mean ? Reduce::sum : reduce, i, j),
                          r = expected(right, b_right.view(), reduce == Reduce::mean ? Reduce::sum : reduce, i, j);
            Reduced whole{l.value + r.value, l.magnitude + r.magnitude, l.count + r.count};
            if (l.count == 0 || r.count == 0)
              whole.value = l.count == 0 ? r.value : l.value;
            else if (reduce == Reduce::max)
              whole.value = std::max(l.value, r.value);
            else if (reduce == Reduce::min)
              whole.value = std::min(l.value, r.value);
            if (reduce == Reduce::mean && whole.count > 0) whole.value /= static_cast<double>(whole.count);
            wrong += !(std::abs(c.view()(i, j) - whole.value) <= tolerance<double>(whole));
          }
        CHECK(wrong == 0);
      }
}

TEST_CASE("long rows are cut in the same way by any number of threads") {
  const SparseMatrix<float> a = random_sparse<float>(50, 1000, 50000, true, 9);
  CHECK(RowSchedule(a.pattern()).long_rows().size() == 1);
  CHECK(RowSchedule(a.pattern()).pieces().size() > 4);
  const Dense<float> b(1000, 70, 10);
  Team one(1);
  for (const Reduce reduce : {Reduce::sum, Reduce::mean, Reduce::max}) {
    Dense<float> c(50, 70, 1);
    const Spmm<float> spmm(a.view(), reduce);
    spmm(one, b.view(), c.view());
    const Reduced r = expected(a, b.view(), reduce, 25, 69);
    CHECK(std::abs(static_cast<double>(c.view()(25, 69)) - r.value) <= tolerance<float>(r));
    for (const int threads : {2, 3, 5}) {
      Team team(threads);
      Dense<float> other(50, 70, 1);
      spmm(team, b.view(), other.view());
      CHECK(other == c);
    }
  }
}

TEST_CASE("each row and nonzero belongs to one block") {
  for (const Edge longest : {0, 4096, 8192, 8193, 100000}) {
    const SparseMatrix<float> a = random_sparse<float>(20001, 10, longest, false, 3);
    const RowSchedule schedule(a.pattern());
    Local next = 0;
    Edge nonzeros = 0, most = 0;
    for (const RowSchedule::Block& block : schedule.blocks()) {
      CHECK((block.first == next || (block.piece >= 0 && block.first == next - 1)));
      next = block.last;
      const Edge of_block = block.piece >= 0 ? block.end - block.begin
                                             : a.offsets[static_cast<std::size_t>(block.last)] -
                                                   a.offsets[static_cast<std::size_t>(block.first)];
      nonzeros += of_block;
      most = std::max(most, of_block);
    }
    CHECK(next == 20001);
    CHECK(nonzeros == a.pattern().nonzeros());
    CHECK(most <= 3 * 4096);
  }
}

TEST_CASE("NaN in B reaches every result that reads it, under any reduction") {
  Team team(1);
  SparseMatrix<float> a{.rows = 3, .columns = 3};
  a.offsets = Array<Edge>(4);
  a.column_indices = Array<Local>(5);
  std::ranges::copy(std::vector<Edge>{0, 3, 4, 5}, a.offsets.begin());
  std::ranges::copy(std::vector<Local>{0, 1, 2, 0, 2}, a.column_indices.begin());
  for (const Isa isa : isas_here())
    for (const Reduce reduce : {Reduce::sum, Reduce::mean, Reduce::max, Reduce::min})
      for (const std::int64_t columns : {1, 5, 40}) {
        Dense<float> b(3, columns, 1), c(3, columns, 2);
        for (float& x : b.view().row(1)) x = std::numeric_limits<float>::quiet_NaN();
        Spmm<float>(a.view(), reduce, isa)(team, b.view(), c.view());
        for (std::int64_t j = 0; j < columns; ++j) {
          CHECK(std::isnan(c.view()(0, j)));
          CHECK(c.view()(1, j) == b.view()(0, j));
          CHECK(c.view()(2, j) == b.view()(2, j));
        }
      }
}

TEST_CASE("sampled products of pairs of rows") {
  for (const Isa isa : isas_here())
    for (const std::int64_t columns : {1, 3, 16, 31, 64, 65, 200})
      for (const int threads : {1, 3}) {
        Team team(threads);
        const SparseMatrix<double> a = random_sparse<double>(77, 50, 9000, false, 5);
        const Dense<double> x(77, columns, 1), y(50, columns, 2);
        std::vector<double> values(a.column_indices.size(), -1);
        sampled_product<double>(team, a.pattern(), x.view(), y.view(), values, isa);
        int wrong = 0;
        for (std::int64_t i = 0; i < 77; ++i)
          for (auto e = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(i)]);
               e < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(i) + 1]); ++e) {
            double sum = 0, magnitude = 0;
            for (std::int64_t j = 0; j < columns; ++j) {
              sum += x.view()(i, j) * y.view()(a.column_indices[e], j);
              magnitude += std::abs(x.view()(i, j) * y.view()(a.column_indices[e], j));
            }
            wrong += !(std::abs(values[e] - sum) <= 1e-14 * magnitude);
          }
        CHECK(wrong == 0);
      }
}

TEST_CASE("shapes that do not fit are refused by name and size") {
  Team team(1);
  const SparseMatrix<float> a = random_sparse<float>(10, 8, 3, false, 1);
  const Spmm<float> spmm(a.view());
  Dense<float> b(9, 4, 1), good(8, 4, 1), c(10, 4, 1), narrow(10, 3, 1);
  CHECK_THROWS_WITH_AS(spmm(team, b.view(), c.view()),
                       "SpMM: B is 9 x 4 with a stride of 7 (8 x 4 is needed, rows one after the other). Pass a matrix "
                       "of that shape.",
                       InputError);
  CHECK_THROWS_AS(spmm(team, good.view(), narrow.view()), InputError);
  std::vector<float> few(2);
  CHECK_THROWS_AS(sampled_product<float>(team, a.pattern(), c.view(), good.view(), few), InputError);
}

TEST_CASE("matrices without rows, columns or nonzeros") {
  Team team(2);
  SparseMatrix<float> none{.rows = 4, .columns = 3};
  none.offsets = Array<Edge>(5, 0);
  Dense<float> b(3, 20, 1), c(4, 20, 2);
  Spmm<float>(none.view(), Reduce::max)(team, b.view(), c.view());
  for (std::int64_t i = 0; i < 4; ++i)
    for (const float x : c.view().row(i)) CHECK(x == 0);
  Dense<float> no_columns(3, 0, 1), no_result(4, 0, 1);
  Spmm<float>(none.view())(team, no_columns.view(), no_result.view());
  SparseMatrix<float> no_rows{.rows = 0, .columns = 3};
  no_rows.offsets = Array<Edge>(1, 0);
  Dense<float> nothing(0, 20, 1);
  Spmm<float>(no_rows.view())(team, b.view(), nothing.view());
}
