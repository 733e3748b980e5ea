// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/order/permute.hpp>
#include <vector>

namespace atl {
namespace {

constexpr std::size_t kPermutedRows = 1024;  // a chunk

void check_count(std::span<const Local> numbers, std::int64_t count, std::string_view what) {
  check(static_cast<std::int64_t>(numbers.size()) == count,
        "{} new numbers are given for {} {} (each has one). Pass a permutation of all.", numbers.size(), count, what);
}

template <class T>
void check_sizes(const MatrixView<const T>& from, std::span<const Local> numbers, const MatrixView<T>& to) {
  check_count(numbers, from.rows, "rows");
  check(to.rows == from.rows && to.cols == from.cols,
        "a matrix of {} x {} is permuted into one of {} x {} (they must be of one size). Make them alike.", from.rows,
        from.cols, to.rows, to.cols);
}

}  // namespace

Array<Local> inverse(Team& team, std::span<const Local> numbers) {
  constexpr Local kNone = -1;
  const std::size_t n = numbers.size();
  Array<Local> old(n);
  team.for_range(n, std::size_t{1} << 16,
                 [&](int, std::size_t a, std::size_t b) { std::fill(old.data() + a, old.data() + b, kNone); });
  std::atomic<std::size_t> wrong{n};
  team.for_range(n, kPermutedRows, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) {
      const auto number = static_cast<std::size_t>(numbers[i]);
      if (number < n &&
          std::atomic_ref(old[number]).exchange(static_cast<Local>(i), std::memory_order_relaxed) == kNone)
        continue;
      std::size_t first = wrong.load(std::memory_order_relaxed);
      while (i < first && !wrong.compare_exchange_weak(first, i, std::memory_order_relaxed)) {
      }
    }
  });
  if (wrong < n)
    throw InputError(
        fmt::format("the new number of row {} is {} (it is beyond {} rows, or another row has it, too). Pass a "
                    "permutation.",
                    wrong.load(), numbers[wrong], n));
  return old;
}

template <class T>
SparseMatrix<T> permuted(Team& team, const SparseView<T>& a, std::span<const Local> rows,
                         std::span<const Local> columns) {
  const SparsePattern& p = a.pattern;
  check_count(rows, p.rows, "rows");
  check_count(columns, p.columns, "columns");
  const Array<Local> old = inverse(team, rows);
  inverse(team, columns);
  SparseMatrix<T> out{.rows = p.rows, .columns = p.columns};
  out.offsets = Array<Edge>(old.size() + 1);
  out.column_indices = Array<Local>(p.column_indices.size());
  if (a.values) out.values = Array<T>(p.column_indices.size());
  Edge sum = 0;
  for (std::size_t i = 0; i < old.size(); ++i) {
    out.offsets[i] = sum;
    const auto from = static_cast<std::size_t>(old[i]);
    sum += p.offsets[from + 1] - p.offsets[from];
  }
  out.offsets[old.size()] = sum;
  // Rows are sorted as words of (new column, place in the old row).
  std::vector<std::vector<std::uint64_t>> scratch(static_cast<std::size_t>(team.size()));
  team.for_range(old.size(), kPermutedRows, [&](int thread, std::size_t begin, std::size_t end) {
    auto& words = scratch[thread];
    for (std::size_t i = begin; i < end; ++i) {
      const auto from = static_cast<std::size_t>(p.offsets[old[i]]);
      const auto to = static_cast<std::size_t>(out.offsets[i]);
      words.resize(static_cast<std::size_t>(out.offsets[i + 1]) - to);
      for (std::size_t k = 0; k < words.size(); ++k)
        words[k] = static_cast<std::uint64_t>(columns[p.column_indices[from + k]]) << 32 | k;
      std::sort(words.begin(), words.end());
      for (std::size_t k = 0; k < words.size(); ++k) {
        out.column_indices[to + k] = static_cast<Local>(words[k] >> 32);
        if (a.values) out.values[to + k] = a.values[from + (words[k] & UINT32_MAX)];
      }
    }
  });
  return out;
}

template <class T>
void permute_rows(Team& team, MatrixView<const T> from, std::span<const Local> numbers, MatrixView<T> to) {
  check_sizes(from, numbers, to);
  const Array<Local> old = inverse(team, numbers);
  team.for_range(numbers.size(), kPermutedRows, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i)
      std::ranges::copy(from.row(old[i]), to.row(static_cast<std::int64_t>(i)).begin());
  });
}

template <class T>
void permute_rows_back(Team& team, MatrixView<const T> from, std::span<const Local> numbers, MatrixView<T> to) {
  check_sizes(from, numbers, to);
  inverse(team, numbers);
  team.for_range(numbers.size(), kPermutedRows, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i)
      std::ranges::copy(from.row(numbers[i]), to.row(static_cast<std::int64_t>(i)).begin());
  });
}

template SparseMatrix<float> permuted(Team&, const SparseView<float>&, std::span<const Local>, std::span<const Local>);
template SparseMatrix<double> permuted(Team&, const SparseView<double>&, std::span<const Local>,
                                       std::span<const Local>);
template void permute_rows(Team&, MatrixView<const float>, std::span<const Local>, MatrixView<float>);
template void permute_rows(Team&, MatrixView<const double>, std::span<const Local>, MatrixView<double>);
template void permute_rows_back(Team&, MatrixView<const float>, std::span<const Local>, MatrixView<float>);
template void permute_rows_back(Team&, MatrixView<const double>, std::span<const Local>, MatrixView<double>);

}  // namespace atl
