// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atoll/algorithms/pagerank/length_sorted_rows.hpp>
#include <utility>

namespace atl {
namespace {

// Rows of a window: 16 KiB of floats.
constexpr std::size_t kWindow = 4096;
// Maximum entries of a run, and the work of a chunk in entries; waking a team costs half of the latter.
constexpr std::size_t kRunEntries = 4096, kChunkWork = 8192;
constexpr std::size_t kRowWork = 4;  // cost of a row beside its entries
constexpr std::size_t kSortedChunksPerThread = 16;
// Loops over rows up to this length are unrolled.
constexpr std::size_t kShort = 16;

template <class Real>
using SumRun = void (*)(const Real* x, const Local* ids, std::size_t rows, Real* sums);

template <class Real, std::size_t kLength>
void sum_short(const Real* x, const Local* ids, std::size_t rows, Real* sums) {
  for (std::size_t r = 0; r < rows; ++r, ids += kLength) {
    Real even = 0, odd = 0;
    for (std::size_t k = 0; k + 1 < kLength; k += 2) {
      even += x[ids[k]];
      odd += x[ids[k + 1]];
    }
    if constexpr (kLength % 2 == 1) even += x[ids[kLength - 1]];
    sums[r] = even + odd;
  }
}

template <class Real, std::size_t... kLengths>
constexpr std::array<SumRun<Real>, sizeof...(kLengths)> short_sums(std::index_sequence<kLengths...>) {
  return {sum_short<Real, kLengths>...};
}

template <class Real>
Real sum_long(const Real* x, const Local* ids, std::size_t length) {
  constexpr std::size_t kAtOnce = 8;
  Real sum[kAtOnce] = {};
  std::size_t k = 0;
  for (; k + kAtOnce <= length; k += kAtOnce)
    for (std::size_t j = 0; j < kAtOnce; ++j) sum[j] += x[ids[k + j]];
  for (; k < length; ++k) sum[k % kAtOnce] += x[ids[k]];
  return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

}  // namespace

LengthSortedRows::LengthSortedRows(Team& team, const Graph& graph)
    : local_of(static_cast<std::size_t>(graph.active())) {
  const Csr& in = graph.in();
  order(team, in);
  make_chunks(static_cast<std::size_t>(team.size()));
  Array<Local> position_of(local_of.size());
  for (std::size_t v = 0; v < local_of.size(); ++v) position_of[local_of[v]] = static_cast<Local>(v);
  ids_ = Array<Local>(local_of.empty() ? 0 : static_cast<std::size_t>(in.offsets[local_of.size()]));
  team.for_range(chunks_.size(), 1, [&](int, std::size_t c, std::size_t) {
    for (std::size_t r = chunks_[c].first; r < chunks_[c].last; ++r) {
      Local* to = ids_.data() + runs_[r].ids;
      for (std::size_t row = runs_[r].begin; row < runs_[r].end; ++row)
        for (const Local u : in.neighbours(local_of[row])) *to++ = position_of[u];
    }
  });
}

// Sorts rows by length within each window; stable.
void LengthSortedRows::order(Team& team, const Csr& in) {
  const std::size_t rows = local_of.size();
  team.for_range(rows, kWindow, [&](int, std::size_t a, std::size_t b) {
    std::vector<std::pair<Edge, Local>> window;
    window.reserve(b - a);
    for (std::size_t v = a; v < b; ++v) window.emplace_back(in.degree(static_cast<Local>(v)), static_cast<Local>(v));
    std::sort(window.begin(), window.end());
    for (std::size_t v = a; v < b; ++v) local_of[v] = window[v - a].second;
  });
  std::size_t ids = 0;
  for (std::size_t v = 0; v < rows; ++v) {
    const auto length = static_cast<std::size_t>(in.degree(local_of[v]));
    if (runs_.empty() || runs_.back().length != length || ids - runs_.back().ids >= kRunEntries)
      runs_.push_back({.begin = v, .end = v, .length = length, .ids = ids});
    runs_.back().end = v + 1;
    ids += length;
  }
}

void LengthSortedRows::make_chunks(std::size_t threads) {
  auto work = [](const Run& run) { return (run.end - run.begin) * (run.length + kRowWork); };
  std::size_t all = 0;
  for (const Run& run : runs_) all += work(run);
  const std::size_t each =
      threads == 1 || all < 2 * kChunkWork ? all : std::max(kChunkWork, all / (kSortedChunksPerThread * threads));
  std::size_t sum = 0;
  for (std::size_t r = 0; r < runs_.size(); ++r) {
    if (sum == 0) chunks_.push_back({.begin = runs_[r].begin, .first = r});
    sum += work(runs_[r]);
    chunks_.back().end = runs_[r].end;
    chunks_.back().last = r + 1;
    if (sum >= each) sum = 0;
  }
}

template <class Real>
void LengthSortedRows::sum_rows(const Chunk& chunk, const Real* x, Real* sums) const {
  static constexpr auto kSums = short_sums<Real>(std::make_index_sequence<kShort + 1>());
  for (std::size_t r = chunk.first; r < chunk.last; ++r) {
    const Run& run = runs_[r];
    const Local* ids = ids_.data() + run.ids;
    if (run.length <= kShort) {
      kSums[run.length](x, ids, run.end - run.begin, sums + run.begin);
    } else {
      for (std::size_t row = run.begin; row < run.end; ++row, ids += run.length)
        sums[row] = sum_long(x, ids, run.length);
    }
  }
}

template void LengthSortedRows::sum_rows(const Chunk&, const float*, float*) const;
template void LengthSortedRows::sum_rows(const Chunk&, const double*, double*) const;

}  // namespace atl
