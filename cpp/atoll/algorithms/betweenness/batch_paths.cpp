// SPDX-License-Identifier: Apache-2.0
// Forward phase: finds the levels from a batch of sources and the number of shortest paths to each vertex.
#include <algorithm>
#include <atoll/algorithms/betweenness/lanes.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kPathGrain = 1024, kPathEntryGrain = 64;

}  // namespace

// Returns whether all numbers of paths fit doubles; else the levels are not complete.
template <int kLanes>
bool BetweennessBatch<kLanes>::count_paths(std::span<const Local> sources) {
  start(sources);
  levels_.assign(1, close_level());
  for (Edge unseen = all_in_; levels_.back().all.vertices > 0;) {
    Level& level = levels_.back();
    unseen -= level.all.finished;
    level.all.out* kBetweennessAlpha > unseen ? pull_paths(level) : push_paths(level);
    levels_.push_back(close_level());
    if (levels_.back().all.overflow) return false;
  }
  levels_.pop_back();
  return true;
}

template <int kLanes>
void BetweennessBatch<kLanes>::start(std::span<const Local> sources) {
  const auto unused = static_cast<Lanes>(kAll & ~((1U << sources.size()) - 1));
  std::fill(seen_.begin(), seen_.end(), unused);
  clear_contributions();
  entries_.clear();
  updated_mirrors_.clear();
  for (std::size_t l = 0; l < sources.size(); ++l) {
    const Local v = sources[l];
    if (v == kElsewhere) continue;
    paths(v)[l] = 1;
    const auto lane = static_cast<Lanes>(1U << l);
    auto& found = threads_[0].found;
    const auto twice = std::find_if(found.begin(), found.end(), [&](Entry e) { return e.vertex == v; });
    if (twice == found.end()) {
      find(threads_[0], {v, lane});
    } else {  // a vertex has one entry per level, also if it is several sources
      twice->lanes |= lane;
      seen_[v] |= lane;
    }
  }
}

template <int kLanes>
void BetweennessBatch<kLanes>::find(Thread& thread, Entry e) {
  thread.found.push_back(e);
  Lanes& seen = seen_[e.vertex];
  seen |= e.lanes;
  const Edge in = graph_.in().degree(e.vertex);
  ++thread.totals.vertices;
  thread.totals.out += graph_.out().degree(e.vertex);
  thread.totals.in += in;
  if (seen == kAll) thread.totals.finished += in;
  for_lanes(e.lanes, [&](std::size_t l) { thread.totals.overflow |= std::isinf(paths(e.vertex)[l]); });
}

// Makes the vertices found by all threads the next level. Collective.
template <int kLanes>
typename BetweennessBatch<kLanes>::Level BetweennessBatch<kLanes>::close_level() {
  Level level;
  level.begin = entries_.size();
  for (Thread& t : threads_) {
    entries_.insert(entries_.end(), t.found.begin(), t.found.end());
    t.found.clear();
    level.all += std::exchange(t.totals, {});
  }
  level.end = entries_.size();
  level.all = world_.fold(level.all, [](Totals a, const Totals& b) { return a += b; });
  return level;
}

// Broadcasts the level's path counts to mirrors, which are then seen.
template <int kLanes>
void BetweennessBatch<kLanes>::broadcast_level(Level& level) {
  broadcast_values(level);
  level.was_broadcast = true;
  level.mirrors_begin = updated_mirrors_.size();
  collect_updated_mirrors();
  level.mirrors_end = updated_mirrors_.size();
  for (const Entry e : mirrors_of(level)) seen_[e.vertex] |= e.lanes;
}

template <int kLanes>
void BetweennessBatch<kLanes>::push_paths(Level& level) {
  const auto push = [&](Thread& t, Entry e, const double* values) {
    Row row{};
    for_lanes(e.lanes, [&](std::size_t l) { row[l] = values[l]; });
    for (const Local u : out_.neighbours(e.vertex)) {
      const auto lanes = static_cast<Lanes>(e.lanes & ~seen_[u]);
      if (lanes == 0) continue;
      if (touch(next_[u], lanes, serial_)) t.touched.push_back(u);
      add(sums(u), row, lanes, serial_);
    }
  };
  if (cut_) broadcast_level(level);
  for_entries(entries(level), kPathEntryGrain, [&](Thread& t, Entry e) { push(t, e, paths(e.vertex)); });
  if (cut_) {
    for_entries(mirrors_of(level), kPathEntryGrain, [&](Thread& t, Entry e) { push(t, e, contributions(e.vertex)); });
    clear_rows(entries(level), contributions_.data());
    clear_rows(mirrors_of(level), contributions_.data());
  }
  find_summed();
}

// Reduces the sums of touched mirrors, and finds the masters that have got some, here or from there.
template <int kLanes>
void BetweennessBatch<kLanes>::find_summed() {
  gather_touched();
  exchange_.reduce(all_sums(), changed_);
  std::erase_if(touched_, [&](Local v) {
    if (index(v) < mirrors_) return false;
    clear_row(sums(v));
    return true;
  });
  gather_received();
  team_.for_range(touched_.size(), kPathGrain, [&](int t, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) {
      const Local v = touched_[i];
      Lanes found = 0;
      for_lanes(static_cast<Lanes>(std::exchange(next_[v], 0) & ~seen_[v]), [&](std::size_t l) {
        if (sums(v)[l] == 0) return;  // unchanged: the reduction has sent a whole block
        paths(v)[l] = sums(v)[l];
        found |= static_cast<Lanes>(1U << l);
      });
      clear_row(sums(v));
      if (found != 0) find(threads_[t], {v, found});
    }
  });
}

// Collects the vertices that the threads have touched. Mirrors among them count as seen from now on, as their masters
// will be seen by the end of the level.
template <int kLanes>
void BetweennessBatch<kLanes>::gather_touched() {
  touched_.clear();
  for (Thread& t : threads_) {
    touched_.insert(touched_.end(), t.touched.begin(), t.touched.end());
    t.touched.clear();
  }
  for (const Local v : touched_) {
    if (index(v) < mirrors_) continue;
    const Lanes lanes = std::exchange(next_[v], 0);
    seen_[v] |= lanes;
    mark({v, lanes});
  }
}

// Adds the masters that have received values from mirrors to the touched vertices.
template <int kLanes>
void BetweennessBatch<kLanes>::gather_received() {
  for (const std::size_t word : mirrored_)
    for (std::size_t w = word * kLanes; w < (word + 1) * kLanes; ++w)
      for (std::uint64_t bits = std::exchange(changed_.at(w), 0), at = w * 64; bits; bits >>= kLanes, at += kLanes) {
        const auto lanes = static_cast<Lanes>(bits & kAll);
        const auto v = static_cast<Local>(at / kLanes);
        if (lanes != 0 && touch(next_[v], lanes, true)) touched_.push_back(v);
      }
}

template <int kLanes>
void BetweennessBatch<kLanes>::pull_paths(Level& level) {
  broadcast_level(level);
  team_.for_range(cut_ ? locals_ : active_, kBetweennessPullGrain, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[t];
    for (std::size_t i = a; i < b; ++i) {
      const auto unseen = static_cast<Lanes>(kAll & ~seen_[i]);
      if (unseen == 0) continue;
      const auto v = static_cast<Local>(i);
      const Row row = sum_rows<kLanes>(in_.neighbours(v), contributions_.data());
      double* const into = cut_ ? sums(v) : paths(v);
      Lanes found = 0;
      for_lanes(unseen, [&](std::size_t l) {
        if (row[l] == 0) return;
        found |= static_cast<Lanes>(1U << l);
        into[l] = row[l];
      });
      if (found == 0) continue;
      if (cut_) {  // a part: find_summed() adds that of others
        next_[i] = found;
        thread.touched.push_back(v);
      } else {
        find(thread, {v, found});
      }
    }
  });
  clear_rows(entries(level), contributions_.data());
  clear_rows(mirrors_of(level), contributions_.data());
  if (cut_) find_summed();
}

// Returns whether no lane was touched before.
template <int kLanes>
bool BetweennessBatch<kLanes>::touch(Lanes& into, Lanes lanes, bool serial) {
  if (!serial) return std::atomic_ref(into).fetch_or(lanes, std::memory_order_relaxed) == 0;
  return std::exchange(into, static_cast<Lanes>(into | lanes)) == 0;
}

template bool BetweennessBatch<1>::count_paths(std::span<const Local>);
template bool BetweennessBatch<4>::count_paths(std::span<const Local>);

}  // namespace atl
