// SPDX-License-Identifier: Apache-2.0
// Other ranks' giants in a ComponentForest: what is known of them by a bit a mirror.
#include <algorithm>
#include <atoll/algorithms/components/forest.hpp>
#include <bit>
#include <utility>

namespace atl {
namespace {

std::size_t index(Local v) { return static_cast<std::size_t>(v); }

}  // namespace

void ComponentForest::tell_giant(VertexBits& bits) const {
  for (std::size_t w = 0; w < near_.words(); ++w) bits.at(w) = near_.at(w);
  for (const Local v : apart()) bits.at(index(v) / 64) &= ~(std::uint64_t{1} << (v % 64));
}

// The mirrors with a bit become one tree for each rank, known by the first. Few are linked already, mostly none.
void ComponentForest::adopt(const VertexBits& in_giant) {
  const Mirrors& mirrors = graph_.mirrors();
  for (std::size_t r = 0; r < giants_.size(); ++r) {
    giants_[r] = -1;
    const std::size_t first = index(mirrors.begin[r]) / 64, words = (index(mirrors.count[r]) + 63) / 64;
    for (std::size_t w = first; w < first + words && giants_[r] < 0; ++w)
      if (const std::uint64_t bits = in_giant.at(w))
        giants_[r] = static_cast<Local>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    if (!mirrors_are_linked_) continue;
    team_.for_range(words, kGrain / 64, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t w = first + a; w < first + b; ++w)
        for (std::uint64_t bits = in_giant.at(w); bits; bits &= bits - 1) {
          const auto m = static_cast<Local>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
          if (load(m) != m) link(m, giants_[r]);
        }
    });
  }
}

std::size_t ComponentForest::owner(Local mirror) const {
  const auto& begin = graph_.mirrors().begin;
  const auto first = begin.begin(), last = first + static_cast<std::ptrdiff_t>(giants_.size());
  return static_cast<std::size_t>(std::upper_bound(first, last, mirror) - first) - 1;
}

// Vertices apart that have an edge to a mirror in a giant, as one look says, are done: they join it, and are put behind the
// others. Those remote_only need not even join it, as nobody here can meet them.
void ComponentForest::hang(const VertexBits& in_giant) {
  team_.for_range(abroad_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    Local here[kGrain];
    std::size_t count = 0;
    for (std::size_t i = a; i < b; ++i) {
      here[count] = abroad_[i];
      count += !hangs(abroad_[i], in_giant);
    }
    std::copy(here, here + count, apart_.begin() + aparts_.fetch_add(count, std::memory_order_relaxed));
  });
  abroad_hang_ = !abroad_.empty();
  const auto begin = apart_.begin(), end = begin + aparts_;
  const auto middle = std::partition(
      begin, end, [&](Local v) { return index(second_[index(v)]) < first_mirror_ || !hangs(v, in_giant); });
  team_.for_range(static_cast<std::size_t>(end - middle), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (const Local* v = middle + a; v != middle + b; ++v) link(*v, giant_at(second_[index(*v)]));
  });
  hung_ = static_cast<std::size_t>(end - middle);
  aparts_ = static_cast<std::size_t>(middle - begin);
}

// Whoever hangs is among the vertices apart again.
void ComponentForest::detach(const VertexBits& in_giant) {
  aparts_ += std::exchange(hung_, 0);
  if (!std::exchange(abroad_hang_, false)) return;
  for (const Local v : abroad_)
    if (hangs(v, in_giant)) {
      link(v, giant_at(second_[index(v)]));
      apart_[aparts_++] = v;
    }
}

bool ComponentForest::giants_are_joined() {
  return std::all_of(giants_.begin(), giants_.end(), [&](Local m) { return m < 0 || find(m) == find(giant_); });
}

// The giants of other ranks that nobody apart has joined to this rank's: the first edge to one does. Mostly a hub has it.
void ComponentForest::join_giants(const VertexBits& in_giant) {
  if (giants_are_joined()) return;
  std::atomic<bool> all{false};
  const auto begin = static_cast<Local>(first_mirror_);
  team_.for_range(active_, kGrain / 16, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
      if (all.load(std::memory_order_relaxed)) return;
      if (find(v) != find(giant_)) continue;
      bool joined = false;
      auto look = [&](std::span<const Local> list) {
        for (auto at = list.rbegin(); at != list.rend() && *at >= begin; ++at)  // mirrors are at the end
          if (const Local m = in_giant.test(*at) ? giant_at(*at) : v; find(m) != find(v)) {
            link(v, m);
            joined = true;
          }
      };
      look(graph_.out().neighbours(v));
      if (graph_.directed()) look(graph_.in().neighbours(v));
      if (joined && giants_are_joined()) all = true;
    }
  });
}

}  // namespace atl
