// SPDX-License-Identifier: Apache-2.0
// Other ranks' giants in a ComponentForest: what is known of them by a bit a mirror.
#include <algorithm>
#include <atoll/algorithms/components_forest.hpp>
#include <bit>

namespace atl {
namespace {

std::size_t index(Local v) { return static_cast<std::size_t>(v); }

}  // namespace

// The mirrors with a bit become one tree for each rank.
void ComponentForest::adopt(const VertexBits& in_giant) {
  const Mirrors& mirrors = graph_.mirrors();
  for (std::size_t r = 0; r < giants_.size(); ++r) {
    giants_[r] = -1;
    const std::size_t first = index(mirrors.begin[r]) / 64, words = (index(mirrors.count[r]) + 63) / 64;
    for (std::size_t w = first; w < first + words && giants_[r] < 0; ++w)
      if (const std::uint64_t bits = in_giant.at(w))
        giants_[r] = static_cast<Local>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    const Local root = giants_[r];
    team_.for_range(words, kGrain / 64, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t w = first + a; w < first + b; ++w)
        for (std::uint64_t bits = in_giant.at(w); bits; bits &= bits - 1) {
          const auto m = static_cast<Local>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
          if (load(m) != m) {
            link(m, root);  // a second neighbour
          } else if (m != root) {
            store(m, root);
          }
        }
    });
  }
}

// Vertices apart whose first neighbour is a mirror in a giant: they join it, and are put behind the others.
void ComponentForest::hang(const VertexBits& in_giant) {
  const auto hangs = [&](Local v) {
    const Local m = second_[index(v)];
    return index(m) >= first_mirror_ && in_giant.test(m);
  };
  const auto begin = apart_.begin(), end = begin + aparts_;
  const auto middle = std::partition(begin, end, [&](Local v) { return !hangs(v); });
  team_.for_range(static_cast<std::size_t>(end - middle), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (const Local* v = middle + a; v != middle + b; ++v) link(*v, second_[index(*v)]);
  });
  hung_ = static_cast<std::size_t>(end - middle);
  aparts_ = static_cast<std::size_t>(middle - begin);
}

// The giants of other ranks that nobody apart has joined to this rank's: the first edge to one does. Mostly a hub has it.
void ComponentForest::join_giants(const VertexBits& in_giant) {
  auto is_left = [&](Local m) { return m >= 0 && find(m) != find(giant_); };
  if (std::none_of(giants_.begin(), giants_.end(), is_left)) return;
  std::atomic<bool> all{false};
  const auto begin = static_cast<Local>(first_mirror_);
  team_.for_range(active_, kGrain / 16, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
      if (all.load(std::memory_order_relaxed)) return;
      if (find(v) != find(giant_)) continue;
      bool joined = false;
      auto look = [&](std::span<const Local> list) {
        for (auto at = list.rbegin(); at != list.rend() && *at >= begin; ++at)  // mirrors are at the end
          if (in_giant.test(*at) && find(*at) != find(v)) {
            link(v, *at);
            joined = true;
          }
      };
      look(graph_.out().neighbours(v));
      if (graph_.directed()) look(graph_.in().neighbours(v));
      if (joined && std::none_of(giants_.begin(), giants_.end(), is_left)) all = true;
    }
  });
}

}  // namespace atl
