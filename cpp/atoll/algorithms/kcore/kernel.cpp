// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/kcore/kernel.hpp>

namespace atl {
namespace {

// One scan of all remaining vertices serves this many levels.
constexpr Local kWindow = 16;
// One thread processes smaller rounds: a barrier costs about as much.
constexpr std::size_t kFew = 32, kMany = 256;
// One thread processes a level if at most this many vertices are left.
constexpr std::size_t kSmall = 4096;
// Prefetch distances: lists are read in random order, so the lists of the next kAhead vertices are prefetched, and then
// the counters of their first entries.
constexpr std::size_t kAhead = 8, kSoon = 2;
constexpr Edge kPrefetched = 128, kTargetsPerLine = 16;
constexpr std::size_t kGrain = 4096;

}  // namespace

CorePeeling::CorePeeling(const Graph& graph)
    : graph_(graph),
      team_(graph.world().team()),
      active_(graph.active()),
      first_mirror_((graph.owned() + 63) / 64 * 64),
      threads_(static_cast<std::size_t>(team_.size())),
      degree_(static_cast<std::size_t>(active_)),
      left_(static_cast<std::size_t>(graph.locals())),
      parts_(threads_) {
  count_neighbours();
  cut_into_parts();
  masters_.targets = graph.out().targets.data();
  cut_lists(masters_, graph.out().offsets, static_cast<std::size_t>(active_));
  if (graph.world().size() > 1) turn_mirror_lists();
}

void CorePeeling::count_neighbours() {
  std::atomic<bool> twice{false};
  team_.for_range(static_cast<std::size_t>(active_), kGrain, [&](int, std::size_t a, std::size_t b) {
    bool seen = false;
    for (std::size_t v = a; v < b; ++v) {
      const auto list = graph_.out().neighbours(static_cast<Local>(v));
      Edge same = 0, loops = 0;
      for (std::size_t i = 0; i < list.size(); ++i) loops += list[i] == static_cast<Local>(v);
      for (std::size_t i = 1; i < list.size(); ++i) same += list[i] == list[i - 1];
      // `same` leaves one of several self-loops.
      degree_[v] = static_cast<Local>(static_cast<Edge>(list.size()) - same - (loops > 0));
      seen |= same > 0;
    }
    if (seen) twice.store(true, std::memory_order_relaxed);
  });
  distinct_ = !twice.load();
}

// Splits masters into ranges of equal numbers of edges at multiples of 64, so that a cache line has one owner.
void CorePeeling::cut_into_parts() {
  const Array<Edge>& offsets = graph_.out().offsets;
  const Edge all = active_ > 0 ? offsets[active_] : 0;
  Local begin = 0;
  for (std::size_t p = 0; p < threads_; ++p) {
    Part& part = parts_[p];
    part.first = begin;
    const Edge upto = all / static_cast<Edge>(threads_) * static_cast<Edge>(p + 1);
    const auto at = std::lower_bound(offsets.begin(), offsets.begin() + active_, upto) - offsets.begin();
    part.end = p + 1 == threads_ ? active_ : std::clamp<Local>(static_cast<Local>((at + 63) / 64 * 64), begin, active_);
    begin = part.end;
    part.taken = Array<Local>(static_cast<std::size_t>(part.end - part.first) + 1);
  }
}

void CorePeeling::cut_lists(Lists& lists, const Array<Edge>& offsets, std::size_t vertices) {
  const std::size_t stride = threads_ + 1;
  lists.pieces = Array<Edge>(vertices * stride);
  team_.for_range(vertices, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      const Local *at = lists.targets + offsets[v], *const end = lists.targets + offsets[v + 1];
      Edge* const pieces = lists.pieces.data() + v * stride;
      pieces[0] = at - lists.targets;
      for (std::size_t p = 0; p < threads_; ++p) {
        at = std::lower_bound(at, end, parts_[p].end);
        pieces[p + 1] = at - lists.targets;
      }
    }
  });
}

// Lists the masters adjacent to each mirror, ascending, as masters are scanned in order.
void CorePeeling::turn_mirror_lists() {
  const auto mirrors = static_cast<std::size_t>(graph_.locals() - first_mirror_);
  mirror_offsets_ = Array<Edge>(mirrors + 1, 0);
  const auto for_pairs = [&](auto&& f) {
    for (Local v = 0; v < active_; ++v) {
      const auto list = graph_.out().neighbours(v);
      const Local* at = list.data() + (masters_.pieces[static_cast<std::size_t>(v) * (threads_ + 1) + threads_] -
                                       graph_.out().offsets[v]);
      for (; at != list.data() + list.size(); ++at) f(v, static_cast<std::size_t>(*at - first_mirror_));
    }
  };
  for_pairs([&](Local, std::size_t m) { ++mirror_offsets_[m + 1]; });
  for (std::size_t m = 0; m < mirrors; ++m) mirror_offsets_[m + 1] += mirror_offsets_[m];
  mirror_targets_ = Array<Local>(static_cast<std::size_t>(mirror_offsets_[mirrors]));
  std::vector<Edge> next(mirror_offsets_.begin(), mirror_offsets_.end());
  for_pairs([&](Local v, std::size_t m) { mirror_targets_[next[m]++] = v; });
  mirrors_.targets = mirror_targets_.data();
  cut_lists(mirrors_, mirror_offsets_, mirrors);
}

Local CorePeeling::begin() {
  window_ = 0;
  level_ = -1;
  team_.run([&](int thread) {
    Part& part = parts_[thread];
    part.tail = part.reported = part.done = part.shown[0] = part.shown[1] = 0;
    part.near.clear();
    part.far.resize(static_cast<std::size_t>(part.end - part.first));
    part.least = kNone;
    for (Local v = part.first; v < part.end; ++v) {
      part.far[v - part.first] = v;
      left_[v] = degree_[v];
      part.least = std::min(part.least, degree_[v]);
    }
  });
  std::fill(left_.begin() + active_, left_.end(), kNone);
  Local least = kNone;
  for (const Part& part : parts_) least = std::min(least, part.least);
  return least;
}

// Removes the vertices at k and filters `near` and `far`.
void CorePeeling::collect(Part& part, Local k, bool new_window) {
  Local least = kNone;
  std::size_t tail = part.tail;
  const Local *const left = left_.data(), end = window_;
  Local* const taken = part.taken.data();
  const auto sift = [&](std::vector<Local>& list, auto&& keep) {
    std::size_t kept = 0;
    for (const Local v : list) {
      const Local l = left[v];
      taken[tail] = v;
      tail += l == k;
      list[kept] = v;
      kept += keep(v, l);
      if (l > k) least = std::min(least, l);
    }
    list.resize(kept);
  };
  if (new_window) {
    part.near.clear();  // no vertex of the previous window remains
    sift(part.far, [&](Local v, Local l) {
      if (l > k && l < end) part.near.push_back(v);
      return l >= end;
    });
  } else {
    sift(part.near, [&](Local, Local l) { return l > k; });
    if (least == kNone && !part.far.empty()) least = end;
  }
  part.least = least;
  part.tail = tail;
}

// Decrements each neighbour; removes those that reach k.
template <bool kDistinct>
void CorePeeling::count_down_distinct(Part& part, std::size_t p, const Lists& lists, const Local* vertices,
                                      std::size_t count, Local base, Local k) {
  Local* const left = left_.data();
  Local* const taken = part.taken.data();
  std::size_t tail = part.tail;
  const std::size_t stride = threads_ + 1;
  const Local entering = window_;
  const auto pieces_of = [&](std::size_t i) {
    return lists.pieces.data() + static_cast<std::size_t>(vertices[i] - base) * stride + p;
  };
  for (std::size_t i = 0; i < count; ++i) {
    if (i + 2 * kAhead < count) __builtin_prefetch(pieces_of(i + 2 * kAhead));
    if (i + kAhead < count) {
      const Edge* const later = pieces_of(i + kAhead);
      const Edge lines = std::min<Edge>(later[1] - later[0], kPrefetched);
      for (Edge e = 0; e < lines; e += kTargetsPerLine) __builtin_prefetch(lists.targets + later[0] + e);
    }
    if (i + kSoon < count) {
      const Edge* const soon = pieces_of(i + kSoon);
      const Local *const at = lists.targets + soon[0], *const end = at + std::min<Edge>(soon[1] - soon[0], kPrefetched);
      for (const Local* u = at; u != end; ++u) __builtin_prefetch(left + *u, 1);
    }
    const Edge* const pieces = pieces_of(i);
    const Local *const end = lists.targets + pieces[1], *at = lists.targets + pieces[0];
    for (Local before = -1; at != end; ++at) {
      const Local u = *at;
      if constexpr (!kDistinct) {
        if (u == before) continue;
        before = u;
      }
      const Local l = left[u];
      left[u] = l - (l > k);
      taken[tail] = u;
      tail += l == k + 1;
      if (l == entering) [[unlikely]]
        part.near.push_back(u);
    }
  }
  part.tail = tail;
}

void CorePeeling::count_down(std::size_t p, const Lists& lists, const Local* vertices, std::size_t count, Local base,
                             Local k) {
  if (distinct_) {
    count_down_distinct<true>(parts_[p], p, lists, vertices, count, base, k);
  } else {
    count_down_distinct<false>(parts_[p], p, lists, vertices, count, base, k);
  }
}

// One thread processes all parts while a round has at most `most` vertices.
void CorePeeling::peel_serially(Local k, std::size_t most, std::vector<std::size_t>& seen) {
  std::vector<std::size_t> end(threads_);
  for (;;) {
    team_.cancellation_point();
    std::size_t fresh = 0;
    for (std::size_t s = 0; s < threads_; ++s) fresh += (end[s] = parts_[s].tail) - seen[s];
    if (fresh == 0 || fresh > most) break;
    for (std::size_t p = 0; p < threads_; ++p)
      for (std::size_t s = 0; s < threads_; ++s)
        count_down(p, masters_, parts_[s].taken.data() + seen[s], end[s] - seen[s], 0, k);
    seen = end;
  }
  for (std::size_t s = 0; s < threads_; ++s) parts_[s].done = seen[s];
}

void CorePeeling::rounds(int thread, Local k, bool new_window, std::span<const Local> gone) {
  const auto p = static_cast<std::size_t>(thread);
  Part& mine = parts_[p];
  std::vector<std::size_t> seen(threads_);
  for (std::size_t s = 0; s < threads_; ++s) seen[s] = parts_[s].done;
  if (k != level_) collect(mine, k, new_window);
  count_down(p, mirrors_, gone.data(), gone.size(), first_mirror_, k);
  for (int round = 0;; round ^= 1) {
    team_.cancellation_point(thread);
    mine.shown[round] = mine.tail;
    team_.barrier();
    std::size_t fresh = 0;
    for (std::size_t s = 0; s < threads_; ++s) fresh += parts_[s].shown[round] - seen[s];
    if (fresh == 0) break;
    if (fresh <= kFew && threads_ > 1) {
      if (thread == 0) peel_serially(k, kMany, seen);
      team_.barrier();
      for (std::size_t s = 0; s < threads_; ++s) seen[s] = parts_[s].done;
      continue;
    }
    for (std::size_t s = 0; s < threads_; ++s) {
      const std::size_t end = parts_[s].shown[round];
      count_down(p, masters_, parts_[s].taken.data() + seen[s], end - seen[s], 0, k);
      seen[s] = end;
    }
  }
  mine.done = mine.tail;  // no other thread reads it before the next level
}

void CorePeeling::level_serially(Local k, bool new_window, std::span<const Local> gone) {
  std::vector<std::size_t> seen;
  for (const Part& part : parts_) seen.push_back(part.done);
  for (std::size_t p = 0; p < threads_; ++p) {
    if (k != level_) collect(parts_[p], k, new_window);
    count_down(p, mirrors_, gone.data(), gone.size(), first_mirror_, k);
  }
  peel_serially(k, static_cast<std::size_t>(active_), seen);
}

Local CorePeeling::take_away(Local k, std::span<const Local> gone) {
  const bool new_window = k >= window_;
  if (new_window) window_ = k > kNone - kWindow ? kNone : k + kWindow;
  const auto taken = [&] {
    std::size_t sum = 0;
    for (const Part& part : parts_) sum += part.tail;
    return sum;
  };
  const std::size_t before = taken();
  if (static_cast<std::size_t>(active_) - before <= kSmall) {
    level_serially(k, new_window, gone);
  } else {
    team_.run([&](int thread) { rounds(thread, k, new_window, gone); });
  }
  const std::size_t after = taken();
  if (after == static_cast<std::size_t>(active_)) {
    level_ = k;
    return kNone;
  }
  Local least = k + 1;
  if (after == before && k != level_ && gone.empty()) {
    least = kNone;
    for (const Part& part : parts_) least = std::min(least, part.least);
  }
  level_ = k;
  return least;
}

void CorePeeling::move_taken(VertexBits& taken) {
  for (Part& part : parts_)
    for (; part.reported < part.tail; ++part.reported) taken.set_unsynchronized(part.taken[part.reported]);
}

std::size_t CorePeeling::memory_bytes() const {
  const auto bytes = [](const auto& a) { return a.size() * sizeof(a[0]); };
  std::size_t sum = bytes(degree_) + bytes(left_) + bytes(masters_.pieces) + bytes(mirrors_.pieces) +
                    bytes(mirror_offsets_) + bytes(mirror_targets_);
  for (const Part& part : parts_)
    sum += bytes(part.taken) + (part.near.capacity() + part.far.capacity()) * sizeof(Local);
  return sum;
}

}  // namespace atl
