// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/device/device_schedule.hpp>
#include <cmath>

namespace atl {
namespace {

// A group of 8 lanes reads 128 nonzeros in some 16 steps of a microsecond each at worst, and a matrix of 10 million
// nonzeros has 80,000 such tasks for the 30,000 groups that an H100 runs at a time.
constexpr Edge kTask = 128;
constexpr Edge kLongRow = 512, kPiece = 256;
// A row without nonzeros still costs the write of its part of C.
constexpr Edge kRowCost = 2;

// Pieces of a row are added one after the other by a thread for each column: as many as a piece has nonzeros, so that
// neither takes much longer than the other.
Edge piece_of(Edge length) {
  return std::max(kPiece, static_cast<Edge>(std::lround(std::sqrt(static_cast<double>(length)))));
}

}  // namespace

SparseTasks sparse_tasks(std::span<const Edge> offsets) {
  SparseTasks out;
  const auto rows = static_cast<Local>(offsets.empty() ? 0 : offsets.size() - 1);
  const auto offset = [&](Local i) { return offsets[static_cast<std::size_t>(i)]; };
  const auto is_long = [&](Local i) { return offset(i + 1) - offset(i) > kLongRow; };
  for (Local first = 0; first < rows;) {
    const Edge begin = offset(first);
    if (is_long(first)) {
      const Edge length = offset(first + 1) - begin, count = length / piece_of(length);
      const Local first_piece = out.pieces;
      for (Edge p = 0; p < count; ++p)
        out.tasks.push_back(
            {begin + length * p / count, begin + length * (p + 1) / count, first, first + 1, out.pieces++});
      out.long_rows.push_back({first, first_piece, out.pieces});
      ++first;
      continue;
    }
    Local last = first + 1;
    while (last < rows && !is_long(last) && offset(last + 1) - begin + (last + 1 - first) * kRowCost <= kTask) ++last;
    out.tasks.push_back({begin, offset(last), first, last, -1});
    first = last;
  }
  return out;
}

DeviceSchedule::DeviceSchedule(const Stream& stream, std::span<const Edge> offsets) {
  const SparseTasks host = sparse_tasks(offsets);
  tasks_ = uploaded(stream, std::span(host.tasks));
  long_rows_ = uploaded(stream, std::span(host.long_rows));
  pieces_ = host.pieces;
  stream.wait();  // before the host's copy goes
}

}  // namespace atl
