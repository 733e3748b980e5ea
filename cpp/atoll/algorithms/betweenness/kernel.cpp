// SPDX-License-Identifier: Apache-2.0
// Betweenness by Brandes' accumulation [1], one source after the other. Both phases choose between push and pull for
// each level, as Beamer's breadth-first search does.
//
//   in the paper                here
//   sigma(v)                    paths_
//   delta(v)                    dependency_
//   S, the stack                queue_ by levels_, walked from its end
//   P(v), the predecessors      not stored: neighbours in the previous level
//
// No predecessor is ever tested for. Forward, a pull sums frontier_paths_ over all neighbours, and that is 0 except for
// the frontier. Backward, a vertex u of level d sums over all its neighbours, whose levels are at most d + 1. When
// level d is processed, only level d + 1 has contributed: those at d or less come later. No thread adds atomically:
// each pushes into sums of its own.
//
// [1] U. Brandes. "A faster algorithm for betweenness centrality." J. Mathematical Sociology 25(2), 2001.
#include <algorithm>
#include <atoll/algorithms/betweenness/kernel.hpp>
#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/one_rank.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kKernelGrain = 4096;
// Vertices of the queue that a thread takes at a time.
constexpr std::size_t kQueueGrain = 32;

double sum_over(std::span<const Local> list, const double* value) {
  double even = 0, odd = 0;
  std::size_t i = 0;
  for (; i + 2 <= list.size(); i += 2) {
    even += value[list[i]];
    odd += value[list[i + 1]];
  }
  if (i < list.size()) even += value[list[i]];
  return even + odd;
}

}  // namespace

BetweennessKernel::BetweennessKernel(const Graph& graph)
    : graph_(on_one_rank(graph, "betweenness")),
      team_(graph.world().team()),
      state_(index(graph.active())),
      paths_(state_.size()),
      frontier_paths_(state_.size(), 0),
      dependency_(state_.size()),
      score_(state_.size()),
      queue_(state_.size()),
      threads_(static_cast<std::size_t>(team_.size())),
      serial_(graph, ScoresOf::vertices) {
  for (Thread& t : threads_) t.pushed = Array<double>(state_.size());
}

void BetweennessKernel::found(Thread& thread, Local v) {
  if (thread.count == Thread::kRoom) flush(thread);
  thread.found[thread.count++] = v;
  thread.out += graph_.out().degree(v);
  thread.in += graph_.in().degree(v);
}

void BetweennessKernel::flush(Thread& thread) {
  const std::size_t at = queued_.fetch_add(thread.count, std::memory_order_relaxed);
  std::copy(thread.found, thread.found + thread.count, queue_.begin() + at);
  thread.count = 0;
}

// Makes the vertices that all threads have found since `begin` a level.
BetweennessKernel::Level BetweennessKernel::close_level(std::size_t begin) {
  Level level{.begin = begin};
  for (Thread& t : threads_) {
    flush(t);
    level.out += std::exchange(t.out, 0);
    level.in += std::exchange(t.in, 0);
  }
  level.end = queued_;
  return level;
}

void BetweennessKernel::push_paths(const Level& level) {
  for_vertices(level, kQueueGrain, [&](Thread& thread, Local u) {
    const double paths = paths_[u];
    for (const Local v : graph_.out().neighbours(u)) {
      std::atomic_ref state(state_[v]);
      std::uint8_t now = state.load(std::memory_order_relaxed);
      if (now == kSeen) continue;
      thread.pushed[v] += paths;
      if (now == kUnseen && state.compare_exchange_strong(now, kNext, std::memory_order_relaxed)) found(thread, v);
    }
  });
}

void BetweennessKernel::pull_paths(const Level& level) {
  for_vertices(level, kKernelGrain, [&](Thread&, Local u) { frontier_paths_[u] = paths_[u]; });
  team_.for_range(state_.size(), kBetweennessPullGrain, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[t];
    for (std::size_t v = a; v < b; ++v) {
      if (state_[v] != kUnseen) continue;
      const double paths = sum_over(graph_.in().neighbours(static_cast<Local>(v)), frontier_paths_.data());
      if (paths == 0) continue;
      paths_[v] = paths;
      state_[v] = kSeen;
      thread.overflow |= std::isinf(paths);
      found(thread, static_cast<Local>(v));
    }
  });
  for_vertices(level, kKernelGrain, [&](Thread&, Local u) { frontier_paths_[u] = 0; });
}

bool BetweennessKernel::count_paths(Local source) {
  std::fill(state_.begin(), state_.end(), kUnseen);
  team_.for_range(threads_.size(), 1, [&](int, std::size_t t, std::size_t) {
    std::fill(threads_[t].pushed.begin(), threads_[t].pushed.end(), 0);
  });
  for (Thread& t : threads_) t.overflow = false;
  state_[source] = kSeen;
  paths_[source] = 1;
  queued_ = 0;
  found(threads_[0], source);
  levels_.assign(1, close_level(0));
  Edge unseen = graph_.in().size() - levels_[0].in;
  for (;;) {
    const Level level = levels_.back();
    const bool pull = level.out * kBetweennessAlpha > unseen;
    pull ? pull_paths(level) : push_paths(level);
    const Level next = close_level(level.end);
    if (next.begin == next.end) return true;
    if (!pull)
      for_vertices(next, kKernelGrain, [&](Thread& thread, Local v) {
        double paths = 0;
        for (Thread& t : threads_) paths += std::exchange(t.pushed[v], 0);
        paths_[v] = paths;
        state_[v] = kSeen;
        thread.overflow |= std::isinf(paths);
      });
    if (std::any_of(threads_.begin(), threads_.end(), [](const Thread& t) { return t.overflow; })) return false;
    unseen -= next.in;
    levels_.push_back(next);
  }
}

// Pushing also leaves sums at vertices of other levels. That does no harm: a vertex's sum is read once per source, when
// only the next level has pushed into it.
void BetweennessKernel::accumulate_by_push(const Level& level, const Level& above) {
  for_vertices(level, kQueueGrain, [&](Thread& thread, Local v) {
    const double share = (1 + dependency_[v]) / paths_[v];
    for (const Local u : graph_.in().neighbours(v)) thread.pushed[u] += share;
  });
  for_vertices(above, kKernelGrain, [&](Thread&, Local u) {
    double shares = 0;
    for (const Thread& t : threads_) shares += t.pushed[u];
    dependency_[u] = paths_[u] * shares;
  });
}

void BetweennessKernel::accumulate_by_pull(const Level& level, const Level& above) {
  for_vertices(level, kKernelGrain, [&](Thread&, Local v) { frontier_paths_[v] = (1 + dependency_[v]) / paths_[v]; });
  for_vertices(above, kQueueGrain, [&](Thread&, Local u) {
    dependency_[u] = paths_[u] * sum_over(graph_.out().neighbours(u), frontier_paths_.data());
  });
  for_vertices(level, kKernelGrain, [&](Thread&, Local v) { frontier_paths_[v] = 0; });
}

// Returns false, and has added nothing, if a number of paths overflows a double.
bool BetweennessKernel::add_source(Local source) {
  if (!count_paths(source)) return false;
  for_vertices(levels_.back(), kKernelGrain, [&](Thread&, Local v) { dependency_[v] = 0; });
  for (std::size_t d = levels_.size() - 1; d > 1; --d) {
    const Level &level = levels_[d], &above = levels_[d - 1];
    level.in < above.out ? accumulate_by_push(level, above) : accumulate_by_pull(level, above);
    for_vertices(above, kKernelGrain, [&](Thread&, Local u) { score_[u] += dependency_[u]; });
  }
  return true;
}

// Whether each thread processes sources of its own (SerialBetweenness) rather than all threads one source together.
// Together, threads wait at four barriers per level; on their own, none pulls, although pulling saves most edges on
// graphs of few levels. With two threads and four sources, the time of own sources relative to together was 0.14 on a
// lattice of 2^20 vertices, 0.2 in three dimensions, 0.4 to 0.7 on roads and random trees, 0.45 on web-Stanford (107
// levels); but 4.5 on Kronecker 20 (7 levels), 6 on uniform 20 (6), and 1.4 on gemsec-deezer-RO (14 levels of 18 k
// entries in the mean). On graphs of a few thousand vertices it was 0.4 on hep-th (2.2 k entries a level), 0.6 on
// PGPgiantcompo (3.0 k), but 1.5 on as20graph (3.1 k) and 3 on a random graph of 4096 vertices (4.6 k).
bool BetweennessKernel::source_per_thread(std::span<const Vertex> sources) {
  constexpr int kDeep = 20;               // levels
  constexpr Edge kThin = 3072;            // mean adjacency entries of a level
  constexpr std::size_t kMinSources = 4;  // sources
  constexpr std::size_t kIdle = 4;        // at least one source per kIdle threads: else too many threads would idle
  if (sources.empty() || kIdle * sources.size() < threads_.size()) return false;
  if (deep_) return *deep_;
  Bfs search(graph_);
  BfsResult found;
  for (const Vertex source : sources.first(std::min(kMinSources, sources.size()))) {
    search.run(source, found);
    const Edge entries = found.edges * (graph_.directed() ? 1 : 2);
    deep_ = found.levels > kDeep || entries < kThin * found.levels;
    if (2 * found.reached > graph_.active()) break;  // not a small component
  }
  return *deep_;
}

// Returns the sources from which a number of paths overflows a double, which are left out.
std::vector<Local> BetweennessKernel::add_by_level(std::span<const Local> sources, const Progress& progress) {
  std::vector<Local> overflowed;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    if (!add_source(sources[i])) overflowed.push_back(sources[i]);
    report_progress(progress, static_cast<std::int64_t>(i + 1 - overflowed.size()),
                    static_cast<std::int64_t>(sources.size()));
  }
  return overflowed;
}

void BetweennessKernel::run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress) {
  std::vector<Local> starts = active_locals(graph_, sources);
  const auto all = static_cast<std::int64_t>(starts.size());
  std::fill(score_.begin(), score_.end(), 0);
  if (!source_per_thread(sources)) starts = add_by_level(starts, progress);
  if (!starts.empty())
    serial_.add(starts, score_,
                [&](std::int64_t done, std::int64_t of) { report_progress(progress, all - of + done, all); });
  write_scores(graph_, score_, result);
}

std::size_t BetweennessKernel::memory_bytes() const {
  return state_.size() * (1 + (4 + threads_.size()) * sizeof(double) + sizeof(Local)) + serial_.memory_bytes();
}

}  // namespace atl
