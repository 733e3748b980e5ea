// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/device/device_schedule.hpp>
#include <cmath>

namespace atl {
namespace {

// Nonzeros of the rows of one task: a group of 8 lanes reads 128 of them in some 16 steps of a microsecond each at
// worst, and a matrix of 10 million nonzeros has 80,000 such tasks for the 30,000 groups that an H100 runs at a time.
constexpr Edge kTask = 128;
constexpr Edge kLongRow = 512, kPiece = 256;
// A row without nonzeros still costs the write of its part of C.
constexpr Edge kRowCost = 2;
// Rows near each other stay near each other, so that what they share of B does too. On an H200 a product of kron:20 with
// 32 columns took 0.48 ms with rows in such an order and 0.78 in the matrix's, in a trial of the kernel on its own.
constexpr std::size_t kSortedTogether = 1024;

// Pieces of a row are added one after the other by a thread for each column: as many as a piece has nonzeros, so that
// neither takes much longer than the other.
Edge piece_of(Edge length) {
  return std::max(kPiece, static_cast<Edge>(std::lround(std::sqrt(static_cast<double>(length)))));
}

/// The tasks of the long row that begins at offsets[row].
void add_pieces(SparseTasks& out, std::span<const Edge> offsets, Local row) {
  const Edge begin = offsets[row], length = offsets[static_cast<std::size_t>(row) + 1] - begin,
             count = length / piece_of(length);
  const Local first = out.pieces;
  for (Edge p = 0; p < count; ++p)
    out.tasks.push_back({begin + length * p / count, begin + length * (p + 1) / count, row, row + 1, out.pieces++});
  out.long_rows.push_back({row, first, out.pieces});
}

/// A task of whole rows begins at row `first` and ends before row end_of_task(first, rows); long rows become pieces.
template <class End>
SparseTasks tasks_of(std::span<const Edge> offsets, End&& end_of_task) {
  SparseTasks out;
  const auto rows = static_cast<Local>(offsets.empty() ? 0 : offsets.size() - 1);
  const auto offset = [&](Local i) { return offsets[i]; };
  for (Local first = 0; first < rows;) {
    if (offset(first + 1) - offset(first) > kLongRow) {
      add_pieces(out, offsets, first++);
      continue;
    }
    const Local last = end_of_task(first, rows);
    out.tasks.push_back({offset(first), offset(last), first, last, -1});
    first = last;
  }
  return out;
}

}  // namespace

SparseTasks grouped_tasks(std::span<const Edge> offsets) {
  const auto offset = [&](Local i) { return offsets[i]; };
  return tasks_of(offsets, [&](Local first, Local rows) {
    Local last = first + 1;
    while (last < rows && offset(last + 1) - offset(last) <= kLongRow &&
           offset(last + 1) - offset(first) + (last + 1 - first) * kRowCost <= kTask)
      ++last;
    return last;
  });
}

SparseTasks row_tasks(std::span<const Edge> offsets) {
  SparseTasks out = tasks_of(offsets, [](Local first, Local) { return first + 1; });
  for (std::size_t i = 0; i < out.tasks.size(); i += kSortedTogether) {
    const auto begin = out.tasks.begin() + static_cast<std::ptrdiff_t>(i);
    std::stable_sort(
        begin, begin + static_cast<std::ptrdiff_t>(std::min(kSortedTogether, out.tasks.size() - i)),
        [](const DeviceSparseTask& a, const DeviceSparseTask& b) { return a.end - a.begin > b.end - b.begin; });
  }
  return out;
}

DeviceSchedule::DeviceSchedule(const Stream& stream, const SparseTasks& host) {
  tasks_ = uploaded(stream, std::span(host.tasks));
  long_rows_ = uploaded(stream, std::span(host.long_rows));
  pieces_ = host.pieces;
  stream.wait();  // before the host's copy goes
}

}  // namespace atl
