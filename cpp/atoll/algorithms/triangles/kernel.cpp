// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/triangles/kernel.hpp>
#include <atoll/algorithms/triangles/short_fronts.hpp>
#include <atoll/base/isa/kernel_variants.hpp>
#include <atomic>
#include <bit>

namespace atl {
namespace {

// Words of 64 vertices that a thread takes at a time: where lists are long, and where all are short.
constexpr std::size_t kLargeGrain = 1, kSmallGrain = 16;
// Maximum of a tally's counter.
constexpr int kTallied = 255;
// Number of neighbours whose lists are prefetched for the next vertex.
constexpr std::size_t kFetched = 32;

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

template <std::size_t kEntries>
struct Lanes {
  static constexpr std::size_t kWidth = kEntries;
  const Local* record;

  static Lanes load(const Local* record) { return {record}; }
  unsigned among(const Local* list) const {
    unsigned lanes = 0;
    for (std::size_t i = 0; i < kWidth; ++i) {
      bool equal = false;
      for (std::size_t k = 0; k < 4; ++k) equal |= record[i] == list[k];
      lanes |= static_cast<unsigned>(equal) << i;
    }
    return lanes;
  }
};

}  // namespace

static LocalTriangles::Kernels triangle_kernels_portable() {
  return {match_row, match_list, close_short_fronts<Lanes<4>>, close_short_fronts<Lanes<8>>};
}

LocalTriangles::Kernels LocalTriangles::kernels(Isa isa) { return ATOLL_KERNEL_VARIANTS(triangle_kernels).at(isa)(); }

std::optional<LocalTriangles> LocalTriangles::of(const Graph& graph) {
  auto fronts = Fronts::of(graph);
  if (!fronts) return {};
  return LocalTriangles(graph.world().team(), *std::move(fronts));
}

LocalTriangles::LocalTriangles(Team& team, Fronts&& fronts)
    : team_(&team),
      kernels_(kernels(chosen_isa())),
      fronts_(std::move(fronts)),
      threads_(static_cast<std::size_t>(team.size())) {
  const std::size_t active = fronts_.list.size();
  team.run([&](int t) {
    Thread& mine = threads_[t];
    mine.count = Array<Edge>((active / 64 + 1) * 64, 0);
    mine.touched = Array<std::uint8_t>(active / 64 + 1, 0);
    if (fronts_.any_large) mine.marks = Array<std::uint32_t>(active / 32 + 1, 0);
  });
}

void LocalTriangles::take_tally(Thread& mine, const Local* list, std::size_t size) {
  std::size_t k = 0;
  for (std::size_t i = 0; i < size; ++i) {
    const auto w = static_cast<std::uint32_t>(list[i]);
    if (mine.words[k] != w / 64) ++k;
    std::uint8_t& tallied = mine.tally[k * 64 + w % 64];
    mine.corners().add(list[i], tallied);
    tallied = 0;
  }
}

// Counts the triangles in which v has the highest number, for each vertex with the middle number and each v of the word
// whose front fits no record. Lists of neighbours are scattered: prefetches what says where they are for the vertex after
// the next one, and the lists for the next.
void LocalTriangles::close_large(Thread& mine, std::size_t word) {
  Local large[64 + 2];
  std::size_t count = 0;
  for (std::uint64_t left = fronts_.large[word]; left; left &= left - 1)
    large[count++] = static_cast<Local>(word * 64) + std::countr_zero(left);
  for (std::size_t k = 0; k < count; ++k) {
    if (fronts_.scattered) {
      if (k + 2 < count) for_lists_of(large[k + 2], [](const Fronts::List& f) { __builtin_prefetch(&f); });
      if (k + 1 < count)
        for_lists_of(large[k + 1], [](const Fronts::List& f) {
          __builtin_prefetch(f.first);
          if (f.size > 16) __builtin_prefetch(f.first + 16);
        });
    }
    const auto& list = fronts_.list[static_cast<std::size_t>(large[k])];
    const auto in_rows =
        static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), fronts_.rows) - list.begin());
    if (in_rows > 1) close_by_rows(mine, large[k], in_rows);
    if (in_rows < list.size) close_by_marks(mine, large[k], in_rows);
  }
}

void LocalTriangles::close_by_rows(Thread& mine, Local v, std::size_t in_rows) {
  const Local* const list = fronts_.list[v].first;
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
    const int found = kernels_.match_row(fronts_.row(u), mine.words.data(), mine.bits.data(), below, mine.tally.data());
    at_v += found;
    mine.corners().add(u, found);
    if (++rows == kTallied) {
      take_tally(mine, list, in_rows);
      rows = 0;
    }
  }
  take_tally(mine, list, in_rows);
  mine.corners().add(v, at_v);
}

void LocalTriangles::close_by_marks(Thread& mine, Local v, std::size_t in_rows) {
  const auto [list, size] = fronts_.list[v];
  const auto mark = [&mine, at = list](std::size_t i) -> std::uint32_t& {
    return mine.marks[static_cast<std::uint32_t>(at[i]) / 32];
  };
  Edge at_v = 0;
  for (std::size_t i = 0; i < size; ++i) mark(i) |= std::uint32_t{1} << (list[i] % 32);
  for (std::size_t i = std::max<std::size_t>(1, in_rows); i < size; ++i) {
    const Fronts::List& other = fronts_.list[list[i]];
    if (mine.found.size() < other.size + 16) mine.found.resize(other.size + 16);
    const std::size_t found = kernels_.match_list(mine.marks.data(), other.first, other.size, mine.found.data());
    if (found == 0) continue;
    for (std::size_t k = 0; k < found; ++k) mine.corners().add(mine.found[k], 1);
    mine.corners().add(list[i], static_cast<Edge>(found));
    at_v += static_cast<Edge>(found);
  }
  for (std::size_t i = 0; i < size; ++i) mark(i) = 0;
  mine.corners().add(v, at_v);
}

// f(front of u) for the first neighbours u of v that are not looked up in rows.
template <class F>
void LocalTriangles::for_lists_of(Local v, F&& f) const {
  const auto& list = fronts_.list[v];
  const std::size_t first = static_cast<std::size_t>(
      std::lower_bound(list.begin(), list.begin() + std::min(list.size, kFetched), fronts_.rows) - list.begin());
  for (std::size_t i = first; i < std::min(list.size, first + kFetched); ++i) f(fronts_.list[list.first[i]]);
}

void LocalTriangles::Thread::clear() {
  for (std::size_t word = 0; word < touched.size(); ++word)
    if (std::exchange(touched[word], 0)) std::fill_n(count.begin() + word * 64, 64, 0);
}

void LocalTriangles::count(const std::function<void(int)>& then) {
  const auto close_small = fronts_.width == Fronts::kShort ? kernels_.close_8 : kernels_.close_4;
  const std::size_t words = fronts_.small.size(), grain = fronts_.any_large ? kLargeGrain : kSmallGrain;
  std::atomic<std::size_t> next{0};
  team_->run([&](int t) {
    Thread& mine = threads_[t];
    mine.clear();
    for (std::size_t a; (a = next.fetch_add(grain, std::memory_order_relaxed)) < words; team_->cancellation_point(t)) {
      const std::size_t b = std::min(words, a + grain);
      close_small(fronts_, a, b, mine.corners());
      for (std::size_t word = a; word < b && fronts_.any_large; ++word) close_large(mine, word);
    }
    team_->barrier();
    then(t);
  });
}

std::size_t LocalTriangles::memory_bytes() const {
  std::size_t bytes = fronts_.memory_bytes();
  for (const Thread& t : threads_)
    bytes += t.count.size() * sizeof(Edge) + t.touched.size() + t.marks.size() * sizeof(std::uint32_t) +
             t.tally.size() + t.found.size() * sizeof(Local);
  return bytes;
}

}  // namespace atl
