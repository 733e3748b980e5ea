// SPDX-License-Identifier: Apache-2.0
// Betweenness by Brandes' accumulation [1] over weighted paths.
//
//   in the paper        here              meaning
//   d(s, .)             distance_         by Sssp<double>
//   sigma               sums_.paths()     number of shortest paths from the source
//   P                   tight_, reversed  an edge u -> v with d(u) + w == d(v)
//   S, by d             entries_          any topological order of the tight edges
//   delta               not stored        coefficient_ is (1 + delta) / sigma, a contribution to predecessors
//
// Paths are counted along tight edges: a vertex pushes its count once all its predecessors have pushed theirs. A round:
// each rank processes all vertices that it can, level by level, then mirrors' sums are reduced to their masters. The
// backward phase walks the rounds, and the levels in them, from the end: the successors of a vertex are in a later
// level, or on another rank in a later round, whose coefficients have been broadcast.
//
// [1] U. Brandes. "A faster algorithm for betweenness centrality." J. Mathematical Sociology 25(2), 2001, section 4.
#include <atoll/algorithms/betweenness/weighted.hpp>
#include <atoll/algorithms/sssp/edge_weights.hpp>
#include <atoll/algorithms/sssp/whole_weights.hpp>
#include <cmath>
#include <limits>

namespace atl {
namespace {

constexpr std::size_t kWeightedGrain = 1024, kWeightedLevelGrain = 64;

const Graph& checked_graph(const Graph& graph, PathLength length) {
  if (length == PathLength::weights) check_weights<double>("betweenness", graph, ZeroWeights::refused);
  return graph;
}

}  // namespace

BetweennessWeighted::BetweennessWeighted(const Graph& graph, PathLength length)
    : graph_(checked_graph(graph, length)),
      world_(graph.world()),
      team_(world_.team()),
      length_(length),
      may_round_(length == PathLength::weights && may_round_whole(longest_whole_path(graph))),
      tight_(graph, length),
      sums_(graph),
      values_(graph),
      distance_(index(graph.locals())),
      coefficient_(index(graph.locals()), 0),
      score_(index(graph.owned())),
      changed_(graph.locals()),
      threads_(static_cast<std::size_t>(team_.size())) {
  if (length == PathLength::weights) {
    sssp_.emplace(graph);
  } else {
    bfs_.emplace(graph, BfsOptions{.depths = Depths::yes});
  }
}

void BetweennessWeighted::run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress) {
  by_edge_ = nullptr;  // a run for edges may have ended by an error
  add_sources(sources, progress);
  write_scores(graph_, score_, result);
}

void BetweennessWeighted::run_edges(std::span<const Vertex> sources, Array<double>& by_edge, const Progress& progress) {
  by_edge_ = &by_edge;
  add_sources(sources, progress);
  by_edge_ = nullptr;
}

void BetweennessWeighted::add_sources(std::span<const Vertex> sources, const Progress& progress) {
  for (const Vertex id : sources) graph_.find(id);
  std::fill(score_.begin(), score_.end(), 0.0);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    add_source(sources[i]);
    report_progress(progress, static_cast<std::int64_t>(i + 1), static_cast<std::int64_t>(sources.size()));
  }
}

void BetweennessWeighted::find_distances(Vertex source) {
  if (sssp_) return sssp_->run(source, found_);
  bfs_->run(source, levels_found_);
  const Array<Vertex>& depth = levels_found_.depth;
  if (found_.distance.size() != depth.size()) found_.distance = Array<double>(depth.size());
  team_.for_range(depth.size(), kWeightedGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v)
      found_.distance[v] =
          depth[v] == kUnreachable ? std::numeric_limits<double>::infinity() : static_cast<double>(depth[v]);
  });
}

void BetweennessWeighted::add_source(Vertex source) {
  const Local here = graph_.master_of(source).value_or(-1);
  find_distances(source);
  if (may_round_) refuse_rounded_sums();
  broadcast_distances();
  find_tight();
  count_paths(here);
  bool overflow = false;
  for (Thread& t : threads_) overflow |= std::exchange(t.overflow, false);
  if (world_.any(overflow)) {
    count_scaled(here);
    accumulate(
        here, [this](Local v) { return scaled_value_[v]; },
        [this](Local v, Local w) { return coefficient_[w] * ScaledCount::power(scaled_steps_[v] - scaled_steps_[w]); });
  } else {
    accumulate(here, [this](Local v) { return sums_.paths(v); }, [this](Local, Local w) { return coefficient_[w]; });
  }
}

// Throws InputError where whole-number distances reach 2^53: only below is every sum dist(u) + w exact, and so the test
// for tight edges.
void BetweennessWeighted::refuse_rounded_sums() const {
  world_.collective_try([&] {
    for (std::size_t v = 0; v < found_.distance.size(); ++v)
      check(
          found_.distance[v] < kMostExact || std::isinf(found_.distance[v]),
          "betweenness: {}: the shortest path to {} is {} long (beyond 2^53 float64 cannot tell whether paths of whole "
          "numbers are as long). Scale the weights down.",
          graph_.name(), graph_.ids().id_of(static_cast<Vertex>(v)), found_.distance[v]);
  });
}

void BetweennessWeighted::broadcast_distances() {
  team_.for_range(found_.distance.size(), kWeightedGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) distance_[graph_.local_of(static_cast<Vertex>(v))] = found_.distance[v];
  });
  values_.broadcast_all({distance_.data(), distance_.size()});
}

// Finds the tight edges, and how many enter each vertex.
void BetweennessWeighted::find_tight() {
  sums_.clear();
  tight_.find({distance_.data(), distance_.size()}, [&](int thread, std::span<const Local> targets) {
    for (const Local v : targets) sums_.add_expected(thread, v);
  });
  sums_.reduce();
}

void BetweennessWeighted::count_paths(Local source) {
  sums_.ignore_received();
  entries_.clear();
  levels_.clear();
  rounds_.clear();
  if (source >= 0 && source < graph_.active()) {
    sums_.start_at(source);
    threads_[0].found.push_back(source);
  }
  do {
    Round round{levels_.size(), levels_.size()};
    for (Level level = close_level(); level.begin < level.end; level = close_level()) {
      levels_.push_back(level);
      for_level(level, [&](int thread, Local u) { push_paths(thread, u); });
    }
    round.end = levels_.size();
    rounds_.push_back(round);
    if (world_.size() == 1) return;
    sums_.reduce();
    sums_.for_completed([&](Local v) { threads_[0].found.push_back(v); });
  } while (world_.any(!threads_[0].found.empty()));
}

void BetweennessWeighted::push_paths(int thread, Local u) {
  Thread& t = threads_[thread];
  const double paths = sums_.paths(u);
  t.overflow |= std::isinf(paths);
  for (const Local v : tight_.from(u))
    if (sums_.add(thread, v, paths)) t.found.push_back(v);
}

// Makes the vertices that the threads have found the next level.
BetweennessWeighted::Level BetweennessWeighted::close_level() {
  Level level{entries_.size(), 0};
  for (Thread& t : threads_) {
    entries_.insert(entries_.end(), t.found.begin(), t.found.end());
    t.found.clear();
  }
  level.end = entries_.size();
  for (std::size_t i = level.begin; i < level.end; ++i) sums_.close(entries_[i]);
  return level;
}

// Counts paths again in the same order, as ScaledCount, by pulling: masters sum over their predecessors, mirrors
// included.
void BetweennessWeighted::count_scaled(Local source) {
  scaled_value_ = Array<double>(distance_.size(), 0);
  scaled_steps_ = Array<double>(distance_.size(), 0);
  const Csr& in = graph_.in();
  with_lengths(in, length_, [&](const auto& length) {
    for (const Round& round : rounds_) {
      for (std::size_t d = round.begin; d < round.end; ++d)
        for_level(levels_[d], [&](int, Local v) {
          ScaledCount sum;
          if (v == source) sum.value = 1;
          for (auto e = static_cast<std::size_t>(in.offsets[v]); e < static_cast<std::size_t>(in.offsets[index(v) + 1]);
               ++e) {
            const std::size_t u = index(in.targets[e]);
            if (distance_[u] + length(e) == distance_[v]) sum.add({scaled_value_[u], scaled_steps_[u]});
          }
          sum.fit();
          scaled_value_[v] = sum.value;
          scaled_steps_[v] = sum.steps;
        });
      broadcast(round, scaled_value_);
      broadcast(round, scaled_steps_);
    }
  });
}

// delta(v) = sum over tight edges v -> w of sigma(v) / sigma(w) (1 + delta(w)); coefficient(v, w) is the summand
// without the factor sigma(v).
template <class Paths, class Coefficient>
void BetweennessWeighted::accumulate(Local source, Paths&& paths_of, Coefficient&& coefficient) {
  for (std::size_t r = rounds_.size(); r-- > 0;) {
    for (std::size_t d = rounds_[r].end; d-- > rounds_[r].begin;)
      for_level(levels_[d], [&](int, Local v) {
        double sum = 0;
        for (const Local w : tight_.from(v)) sum += coefficient(v, w);
        const double paths = paths_of(v), dependency = paths * sum;
        coefficient_[v] = (1 + dependency) / paths;
        if (v != source) score_[v] += dependency;
        if (by_edge_) add_to_edges(v, paths, coefficient);
      });
    if (r > 0) broadcast(rounds_[r], coefficient_);
  }
}

// The summands of delta(v), each to the tight edge that it comes over.
template <class Coefficient>
void BetweennessWeighted::add_to_edges(Local v, double paths, Coefficient&& coefficient) {
  const Csr& out = graph_.out();
  with_lengths(out, length_, [&](const auto& length) {
    const auto end = static_cast<std::size_t>(out.offsets[index(v) + 1]);
    for (auto e = static_cast<std::size_t>(out.offsets[v]); e < end; ++e) {
      const Local w = out.targets[e];
      if (w != v && distance_[v] + length(e) == distance_[w]) (*by_edge_)[e] += paths * coefficient(v, w);
    }
  });
}

// Mirrors get the values of masters that were counted in the round.
void BetweennessWeighted::broadcast(const Round& round, Array<double>& values) {
  if (world_.size() == 1) return;
  for_round(round, [&](Local v) { changed_.set_unsynchronized(v); });
  values_.broadcast({values.data(), values.size()}, changed_);
  changed_.clear();
}

template <class F>
void BetweennessWeighted::for_level(const Level& level, F&& f) {
  team_.for_range(level.end - level.begin, kWeightedLevelGrain, [&](int thread, std::size_t a, std::size_t b) {
    for (std::size_t i = level.begin + a; i < level.begin + b; ++i) f(thread, entries_[i]);
  });
}

template <class F>
void BetweennessWeighted::for_round(const Round& round, F&& f) {
  for (std::size_t d = round.begin; d < round.end; ++d)
    for (std::size_t i = levels_[d].begin; i < levels_[d].end; ++i) f(entries_[i]);
}

std::size_t BetweennessWeighted::memory_bytes() const {
  return (sssp_ ? sssp_->memory_bytes() : bfs_->memory_bytes()) + tight_.memory_bytes() + sums_.memory_bytes() +
         values_.memory_bytes() +
         (distance_.size() + coefficient_.size() + score_.size() + found_.distance.size() + 2 * scaled_value_.size()) *
             sizeof(double) +
         entries_.capacity() * sizeof(Local);
}

}  // namespace atl
