// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/triangles/kernel.hpp>
#include <atoll/base/isa/kernel_variants.hpp>
#include <atomic>
#include <bit>

namespace atl {
namespace {

constexpr std::size_t kListGrain = 64, kWideGrain = 8192;
// Maximum of a tally's counter.
constexpr int kTallied = 255;
// Number of neighbours whose lists are prefetched for the next vertex.
constexpr std::size_t kFetched = 32;
// Lists of fewer bytes are in a core's cache after the first vertices.
constexpr std::size_t kCached = std::size_t{1} << 20;
// Neighbours of lower number with which a vertex is done without marks.
constexpr std::size_t kFew = 8;

int match_row(const std::uint64_t* row, const std::uint32_t* words, const std::uint64_t* bits, std::size_t count,
              std::uint8_t* tally) {
  int found = 0;
  for (std::size_t k = 0; k < count; ++k) {
    std::uint64_t both = row[words[k]] & bits[k];
    found += std::popcount(both);
    for (; both; both &= both - 1) ++tally[k * 64 + static_cast<std::size_t>(std::countr_zero(both))];
  }
  return found;
}

std::size_t match_list(const std::uint32_t* marks, const Local* list, std::size_t size, Local* found) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto w = static_cast<std::uint32_t>(list[i]);
    found[n] = list[i];
    n += marks[w / 32] >> (w % 32) & 1;
  }
  return n;
}

}  // namespace

static LocalTriangles::Kernels triangle_kernels_portable() { return {match_row, match_list}; }

LocalTriangles::Kernels LocalTriangles::kernels(Isa isa) { return ATOLL_KERNEL_VARIANTS(triangle_kernels).at(isa)(); }

std::optional<LocalTriangles> LocalTriangles::of(const Graph& graph) {
  if (graph.world().size() > 1 || graph.directed()) return {};
  LocalTriangles counts(graph);
  if (!counts.find_fronts()) return {};
  counts.fill_rows();
  return counts;
}

LocalTriangles::LocalTriangles(const Graph& graph)
    : graph_(&graph),
      team_(&graph.world().team()),
      kernels_(kernels(chosen_isa())),
      active_(static_cast<std::size_t>(graph.active())),
      hubs_(std::min({graph.hubs(), graph.active(), kRows})),
      fronts_(active_),
      degree_(active_),
      scattered_(graph.out().targets.size() * sizeof(Local) > kCached),
      threads_(static_cast<std::size_t>(team_->size())) {
  team_->run([&](int t) {
    Thread& mine = threads_[t];
    mine.corners = Array<Edge>(active_, 0);
    mine.marks = Array<std::uint32_t>(active_ / 32 + 1, 0);
  });
}

// Returns false if a list has a vertex twice. Checking the lower-numbered neighbours suffices: a multi-edge is in the
// lists of both ends.
bool LocalTriangles::find_fronts() {
  std::atomic<bool> twice{false}, can_have_any{false};
  team_->for_range(active_, kWideGrain, [&](int, std::size_t a, std::size_t b) {
    bool seen = false, two = false;
    for (std::size_t v = a; v < b; ++v) {
      const auto list = graph_->out().neighbours(static_cast<Local>(v));
      const auto front =
          static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), static_cast<Local>(v)) - list.begin());
      std::size_t loops = 0;
      while (front + loops < list.size() && list[front + loops] == static_cast<Local>(v)) ++loops;
      for (std::size_t i = 1; i < front; ++i) seen |= list[i] == list[i - 1];
      two |= front > 1;
      fronts_[v] = {list.data(), front};
      degree_[v] = static_cast<Local>(list.size() - loops);
    }
    if (seen) twice.store(true, std::memory_order_relaxed);
    if (two) can_have_any.store(true, std::memory_order_relaxed);
  });
  can_have_any_ = can_have_any.load();
  return !twice.load();
}

void LocalTriangles::fill_rows() {
  const auto blocks = (static_cast<std::size_t>(hubs_) + 63) / 64;
  rows_ = Array<std::uint64_t>(32 * blocks * (blocks + 1));
  team_->for_range(static_cast<std::size_t>(hubs_), kListGrain, [&](int, std::size_t a, std::size_t b) {
    std::fill(row(static_cast<Local>(a)), row(static_cast<Local>((b + 63) / 64 * 64)), 0);
    for (std::size_t u = a; u < b; ++u) {
      std::uint64_t* const bits = row(static_cast<Local>(u));
      for (std::size_t i = 0; i < fronts_[u].size; ++i) {
        const auto w = static_cast<std::size_t>(fronts_[u].begin[i]);
        bits[w / 64] |= std::uint64_t{1} << (w % 64);
      }
    }
  });
}

void LocalTriangles::take_tally(Thread& mine, const Local* list, std::size_t size) {
  std::size_t k = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto w = static_cast<std::uint32_t>(list[i]);
    if (mine.words[k] != w / 64) ++k;
    std::uint8_t& tallied = mine.tally[k * 64 + w % 64];
    mine.corners[w] += tallied;
    tallied = 0;
  }
}

// Counts the triangles in which v has the highest number, for each vertex with the middle number.
void LocalTriangles::close(Thread& mine, Local v) {
  const auto [list, size] = fronts_[v];
  if (size < 2) return;
  const bool some_in_rows = list[0] < hubs_;
  if (!some_in_rows && size <= kFew) return close_few(mine, v);
  const auto in_rows =
      some_in_rows ? static_cast<std::size_t>(std::lower_bound(list, list + size, hubs_) - list) : std::size_t{0};
  if (in_rows > 1) close_by_rows(mine, v, in_rows);
  if (in_rows < size) close_by_marks(mine, v, in_rows);
}

// Without a branch on what is found, which on a mesh could not be predicted.
void LocalTriangles::close_few(Thread& mine, Local v) {
  const auto [list, size] = fronts_[v];
  Local few[kFew];
  for (std::size_t i = 0; i < kFew; ++i) few[i] = i < size ? list[i] : -1;
  Edge at_v = 0;
  for (std::size_t i = 1; i < size; ++i) {
    const auto u = static_cast<std::size_t>(list[i]);
    const Front& other = fronts_[u];
    Edge found = 0;
    for (std::size_t k = 0; k < other.size; ++k) {
      const Local w = other.begin[k];
      int same = 0;
      for (const Local each : few) same |= each == w;
      mine.corners[w] += same;
      found += same;
    }
    mine.corners[u] += found;
    at_v += found;
  }
  mine.corners[v] += at_v;
}

void LocalTriangles::close_by_rows(Thread& mine, Local v, std::size_t in_rows) {
  const Local* const list = fronts_[v].begin;
  Edge at_v = 0;
  mine.words.clear();
  mine.bits.clear();
  for (std::size_t i = 0; i < in_rows; ++i) {
    const auto w = static_cast<std::uint32_t>(list[i]);
    if (mine.words.empty() || mine.words.back() != w / 64) {
      mine.words.push_back(w / 64);
      mine.bits.push_back(0);
    }
    mine.bits.back() |= std::uint64_t{1} << (w % 64);
  }
  if (mine.tally.size() < mine.words.size() * 64) mine.tally.resize(mine.words.size() * 64, 0);
  std::size_t below = 1;  // words of v's bits within u's row
  int rows = 0;
  for (std::size_t i = 1; i < in_rows; ++i) {
    const Local u = list[i];
    while (below < mine.words.size() && mine.words[below] <= static_cast<std::uint32_t>(u) / 64) ++below;
    const int found = kernels_.match_row(row(u), mine.words.data(), mine.bits.data(), below, mine.tally.data());
    at_v += found;
    mine.corners[u] += found;
    if (++rows == kTallied) {
      take_tally(mine, list, in_rows);
      rows = 0;
    }
  }
  take_tally(mine, list, in_rows);
  mine.corners[v] += at_v;
}

void LocalTriangles::close_by_marks(Thread& mine, Local v, std::size_t in_rows) {
  const auto [list, size] = fronts_[v];
  const auto mark = [&mine, at = list](std::size_t i) -> std::uint32_t& {
    return mine.marks[static_cast<std::uint32_t>(at[i]) / 32];
  };
  Edge at_v = 0;
  for (std::size_t i = 0; i < size; ++i) mark(i) |= std::uint32_t{1} << (list[i] % 32);
  for (std::size_t i = std::max<std::size_t>(1, in_rows); i < size; ++i) {
    const auto u = static_cast<std::size_t>(list[i]);
    const Front& other = fronts_[u];
    if (mine.found.size() < other.size + 16) mine.found.resize(other.size + 16);
    const std::size_t found = kernels_.match_list(mine.marks.data(), other.begin, other.size, mine.found.data());
    if (found == 0) continue;
    for (std::size_t k = 0; k < found; ++k) ++mine.corners[mine.found[k]];
    mine.corners[u] += static_cast<Edge>(found);
    at_v += static_cast<Edge>(found);
  }
  for (std::size_t i = 0; i < size; ++i) mark(i) = 0;
  mine.corners[v] += at_v;
}

// f(front of u) for the first neighbours u of v that are not looked up in rows.
template <class F>
void LocalTriangles::for_lists_of(std::size_t v, F&& f) const {
  if (v >= active_ || fronts_[v].size < 2) return;
  const Front& front = fronts_[v];
  const std::size_t first = static_cast<std::size_t>(
      std::lower_bound(front.begin, front.begin + std::min(front.size, kFetched), hubs_) - front.begin);
  for (std::size_t i = first; i < std::min(front.size, first + kFetched); ++i) f(fronts_[front.begin[i]]);
}

void LocalTriangles::count() {
  team_->run([&](int t) {
    Array<Edge>& corners = threads_[t].corners;
    std::fill(corners.begin(), corners.end(), 0);
  });
  if (!can_have_any_) return;
  // Lists of neighbours are scattered: prefetches the offsets for the vertex after the next one, and the lists for the
  // next.
  team_->for_range(active_, kListGrain, [&](int t, std::size_t a, std::size_t b) {
    Thread& mine = threads_[t];
    for (std::size_t v = a; v < b; ++v) {
      if (scattered_) {
        for_lists_of(v + 2, [](const Front& f) { __builtin_prefetch(&f); });
        for_lists_of(v + 1, [](const Front& f) {
          __builtin_prefetch(f.begin);
          if (f.size > 16) __builtin_prefetch(f.begin + 16);
        });
      }
      close(mine, static_cast<Local>(v));
    }
  });
}

Edge LocalTriangles::at(Local v) const {
  Edge corners = 0;
  for (const Thread& t : threads_) corners += t.corners[v];
  return corners;
}

std::size_t LocalTriangles::memory_bytes() const {
  std::size_t bytes = active_ * (sizeof(Front) + sizeof(Local)) + rows_.size() * sizeof(std::uint64_t);
  for (const Thread& t : threads_)
    bytes += t.corners.size() * sizeof(Edge) + t.marks.size() * sizeof(std::uint32_t) + t.tally.size() +
             t.found.size() * sizeof(Local);
  return bytes;
}

}  // namespace atl
