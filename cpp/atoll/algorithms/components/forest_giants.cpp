// SPDX-License-Identifier: Apache-2.0
// Giants of other ranks in a ComponentForest, known by one bit per mirror.
#include <algorithm>
#include <atoll/algorithms/components/forest.hpp>
#include <bit>
#include <utility>

namespace atl {
void ComponentForest::mark_giant(VertexBits& bits) const {
  for (std::size_t w = 0; w < has_local_neighbour_.words(); ++w) bits.at(w) = has_local_neighbour_.at(w);
  for (const Local v : outside_giant()) bits.at(index(v) / 64) &= ~(std::uint64_t{1} << (v % 64));
}

// Makes the mirrors whose bit is set one tree for each owner, represented by the first. Few, mostly none, are linked
// already.
void ComponentForest::merge_giant_mirrors(const VertexBits& in_giant) {
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

// A vertex outside the giant whose sampled edge reaches a mirror in a remote giant is assumed finished: it is linked to
// that giant and moved behind the others in outside_giant_. A remote_only_ vertex is not even linked, as no local
// vertex is its neighbour.
void ComponentForest::attach(const VertexBits& in_giant) {
  team_.for_range(remote_only_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    Local found[kGrain];
    std::size_t count = 0;
    for (std::size_t i = a; i < b; ++i) {
      found[count] = remote_only_[i];
      count += !touches_remote_giant(remote_only_[i], in_giant);
    }
    std::copy(found, found + count,
              outside_giant_.begin() + outside_count_.fetch_add(count, std::memory_order_relaxed));
  });
  remote_only_attached_ = !remote_only_.empty();
  const auto begin = outside_giant_.begin(), end = begin + outside_count_;
  const auto middle = std::partition(
      begin, end, [&](Local v) { return index(second_[v]) < first_mirror_ || !touches_remote_giant(v, in_giant); });
  team_.for_range(static_cast<std::size_t>(end - middle), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (const Local* v = middle + a; v != middle + b; ++v) link(*v, giant_at(second_[*v]));
  });
  attached_ = static_cast<std::size_t>(end - middle);
  outside_count_ = static_cast<std::size_t>(middle - begin);
}

// Puts the attached vertices back into outside_giant_.
void ComponentForest::detach(const VertexBits& in_giant) {
  outside_count_ += std::exchange(attached_, 0);
  if (!std::exchange(remote_only_attached_, false)) return;
  for (const Local v : remote_only_)
    if (touches_remote_giant(v, in_giant)) {
      link(v, giant_at(second_[v]));
      outside_giant_[outside_count_++] = v;
    }
}

bool ComponentForest::giants_are_joined() {
  return std::all_of(giants_.begin(), giants_.end(), [&](Local m) { return m < 0 || find(m) == find(giant_); });
}

// Links the giants of other ranks that no vertex outside the giant has linked to this rank's giant, by the first edge
// from this rank's giant to each. A hub usually has one.
void ComponentForest::join_giants(const VertexBits& in_giant) {
  if (giants_are_joined()) return;
  std::atomic<bool> all{false};
  const auto begin = static_cast<Local>(first_mirror_);
  team_.for_range(active_, kGrain / 16, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
      if (all.load(std::memory_order_relaxed)) return;
      if (find(v) != find(giant_)) continue;
      bool joined = false;
      auto link_giants = [&](std::span<const Local> list) {
        for (auto at = list.rbegin(); at != list.rend() && *at >= begin; ++at)  // mirrors are at the end
          if (const Local m = in_giant.test(*at) ? giant_at(*at) : v; find(m) != find(v)) {
            link(v, m);
            joined = true;
          }
      };
      link_giants(graph_.out().neighbours(v));
      if (graph_.directed()) link_giants(graph_.in().neighbours(v));
      if (joined && giants_are_joined()) all = true;
    }
  });
}

}  // namespace atl
