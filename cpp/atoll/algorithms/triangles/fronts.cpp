// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/triangles/fronts.hpp>
#include <atomic>

namespace atl {
namespace {

constexpr std::size_t kRowGrain = 64, kFrontGrain = 8192;
// Lists of fewer bytes are in a core's cache after the first vertices.
constexpr std::size_t kCached = std::size_t{1} << 20;
// So are those of vertices this near, as on meshes in an order of their own; prefetches pay from one in kFewFar others on.
constexpr Local kNear = 1 << 13;
constexpr std::size_t kFewFar = 8;
// Sizes are mixed, on which a branch would often be mispredicted, if one short front in this many has another size.
constexpr std::size_t kMixedFronts = 8;
// Records have four entries, half of the memory to read, unless more than one front in this many would not fit.
constexpr std::size_t kRareFronts = 64;

}  // namespace

std::optional<Fronts> Fronts::of(const Graph& graph) {
  if (graph.world().size() > 1 || graph.directed()) return {};
  Fronts fronts;
  if (!fronts.find_lists(graph)) return {};
  fronts.fill_rows(graph.world().team());
  fronts.fill_records(graph.world().team());
  return fronts;
}

// Returns false if a list has a vertex twice. Checking the lower-numbered neighbours suffices: a multi-edge is in the
// lists of both ends.
bool Fronts::find_lists(const Graph& graph) {
  const auto active = static_cast<std::size_t>(graph.active());
  rows = std::min({graph.hubs(), graph.active(), kMostRows});
  list = Array<List>(active);
  degree = Array<Local>(active);
  std::atomic<bool> twice{false};
  std::atomic<std::size_t> of_two{0}, of_three{0}, of_five{0}, all_far{0}, all_members{0};
  graph.world().team().for_range(active, kFrontGrain, [&](int, std::size_t a, std::size_t b) {
    bool seen = false;
    std::size_t twos = 0, threes = 0, fives = 0, far = 0, members = 0;
    for (std::size_t v = a; v < b; ++v) {
      const auto all = graph.out().neighbours(static_cast<Local>(v));
      const auto front =
          static_cast<std::size_t>(std::lower_bound(all.begin(), all.end(), static_cast<Local>(v)) - all.begin());
      std::size_t loops = 0;
      while (front + loops < all.size() && all[front + loops] == static_cast<Local>(v)) ++loops;
      for (std::size_t i = 1; i < front; ++i) seen |= all[i] == all[i - 1];
      twos += front >= 2 && front <= kShort;
      for (std::size_t i = 1; i < front; ++i) far += static_cast<Local>(v) - all[i] > kNear;
      members += front;
      threes += front > 2 && front <= kShort;
      fives += front > 4 && front <= kShort;
      list[v] = {all.data(), front};
      degree[v] = static_cast<Local>(all.size() - loops);
    }
    if (seen) twice.store(true, std::memory_order_relaxed);
    of_two.fetch_add(twos, std::memory_order_relaxed);
    of_three.fetch_add(threes, std::memory_order_relaxed);
    of_five.fetch_add(fives, std::memory_order_relaxed);
    all_far.fetch_add(far, std::memory_order_relaxed);
    all_members.fetch_add(members, std::memory_order_relaxed);
  });
  scattered = graph.out().targets.size() * sizeof(Local) > kCached && all_far.load() * kFewFar > all_members.load();
  const std::size_t rarer = std::min(of_three.load(), of_two.load() - of_three.load());
  mixed_sizes = rarer * kMixedFronts > of_two.load();
  width = of_five.load() * kRareFronts > of_two.load() ? kShort : 4;
  return !twice.load();
}

void Fronts::fill_rows(Team& team) {
  const auto blocks = (static_cast<std::size_t>(rows) + 63) / 64;
  bits = Array<std::uint64_t>(32 * blocks * (blocks + 1));
  team.for_range(static_cast<std::size_t>(rows), kRowGrain, [&](int, std::size_t a, std::size_t b) {
    std::uint64_t* const begin = bits.data();
    std::fill(begin + row_begin(static_cast<Local>(a)), begin + row_begin(static_cast<Local>((b + 63) / 64 * 64)), 0);
    for (std::size_t u = a; u < b; ++u) {
      std::uint64_t* const of_hub = begin + row_begin(static_cast<Local>(u));
      for (const Local w : list[u]) of_hub[w / 64] |= std::uint64_t{1} << (w % 64);
    }
  });
}

void Fronts::fill_records(Team& team) {
  const std::size_t active = list.size(), words = (active + 63) / 64;
  records = Array<Local>(active * width);
  small = Array<std::uint64_t>(words);
  large = Array<std::uint64_t>(words);
  std::atomic<bool> some_large{false};
  team.for_range(words, kFrontGrain / 64, [&](int, std::size_t a, std::size_t b) {
    std::uint64_t seen_large = 0;
    for (std::size_t w = a; w < b; ++w) {
      std::uint64_t fits = 0, is_longer = 0;
      for (std::size_t v = w * 64; v < std::min(active, w * 64 + 64); ++v) {
        const List& front = list[v];
        Local* const to = records.data() + v * width;
        std::fill(to, to + width, v == 0 ? kAbsent : kNone);
        if (front.size > width) {
          to[0] = kLong;
        } else {
          std::copy(front.begin(), front.end(), to);
        }
        fits |= std::uint64_t{front.size >= 2 && front.size <= width} << (v % 64);
        is_longer |= std::uint64_t{front.size > width} << (v % 64);
      }
      small[w] = fits;
      large[w] = is_longer;
      seen_large |= is_longer;
    }
    if (seen_large) some_large.store(true, std::memory_order_relaxed);
  });
  any_large = some_large.load();
}

}  // namespace atl
