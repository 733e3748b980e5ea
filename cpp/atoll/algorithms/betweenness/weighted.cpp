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

namespace atl {
namespace {

constexpr std::size_t kWeightedGrain = 1024, kWeightedLevelGrain = 64;

const Graph& with_weights(const Graph& graph) {
  check_weights<double>("betweenness", graph, ZeroWeights::refused);
  return graph;
}

}  // namespace

BetweennessWeighted::BetweennessWeighted(const Graph& graph)
    : graph_(with_weights(graph)),
      world_(graph.world()),
      team_(world_.team()),
      sssp_(graph),
      may_round_(may_round_whole(longest_whole_path(graph))),
      tight_(graph),
      sums_(graph),
      values_(graph),
      distance_(index(graph.locals())),
      coefficient_(index(graph.locals()), 0),
      score_(index(graph.owned())),
      changed_(graph.locals()),
      threads_(static_cast<std::size_t>(team_.size())) {}

void BetweennessWeighted::run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress) {
  for (const Vertex id : sources) graph_.find(id);
  std::fill(score_.begin(), score_.end(), 0.0);
  for (std::size_t i = 0; i < sources.size(); ++i) {
    add_source(sources[i]);
    report_progress(progress, static_cast<std::int64_t>(i + 1), static_cast<std::int64_t>(sources.size()));
  }
  if (result.score.size() != score_.size()) result.score = Array<double>(score_.size());
  team_.for_range(score_.size(), kWeightedGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) result.score[v] = score_[graph_.local_of(static_cast<Vertex>(v))];
  });
}

void BetweennessWeighted::add_source(Vertex source) {
  const Local here = graph_.master_of(source).value_or(-1);
  sssp_.run(source, found_);
  if (may_round_) refuse_rounded_sums();
  broadcast_distances();
  find_tight();
  count_paths(here);
  bool overflow = false;
  for (Thread& t : threads_) overflow |= std::exchange(t.overflow, false);
  if (world_.any(overflow)) {
    count_scaled(here);
    const Array<ScaledCount>& counts = scaled_->counts;
    accumulate(
        here, [&](Local v) { return counts[v].value; },
        [&](Local v, Local w) { return coefficient_[w] * ScaledCount::power(counts[v].steps - counts[w].steps); });
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
  if (!scaled_) scaled_ = std::make_unique<Scaled>(graph_);
  Array<ScaledCount>& counts = scaled_->counts;
  std::fill(counts.begin(), counts.end(), ScaledCount{});
  const Csr& in = graph_.in();
  const EdgeWeights<double> weights("betweenness", graph_, in);
  for (const Round& round : rounds_) {
    for (std::size_t d = round.begin; d < round.end; ++d)
      for_level(levels_[d], [&](int, Local v) {
        ScaledCount sum;
        if (v == source) sum.value = 1;
        for (auto e = static_cast<std::size_t>(in.offsets[v]); e < static_cast<std::size_t>(in.offsets[index(v) + 1]);
             ++e) {
          const std::size_t u = index(in.targets[e]);
          if (distance_[u] + weights[e] == distance_[v]) sum.add(counts[u]);
        }
        sum.fit();
        counts[v] = sum;
      });
    broadcast_counts(round);
  }
}

void BetweennessWeighted::broadcast_counts(const Round& round) {
  if (world_.size() == 1) return;
  auto& [exchange, counts, changed] = *scaled_;
  for_round(round, [&](Local v) { changed.set_group(v * Scaled::kPlaces, 3); });
  exchange.broadcast({&counts.data()->value, counts.size() * Scaled::kPlaces}, changed);
  changed.clear();
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
      });
    if (r > 0) broadcast_coefficients(rounds_[r]);
  }
}

void BetweennessWeighted::broadcast_coefficients(const Round& round) {
  for_round(round, [&](Local v) { changed_.set_unsynchronized(v); });
  values_.broadcast({coefficient_.data(), coefficient_.size()}, changed_);
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
  return sssp_.memory_bytes() + tight_.memory_bytes() + sums_.memory_bytes() + values_.memory_bytes() +
         (distance_.size() + coefficient_.size() + score_.size() + found_.distance.size()) * sizeof(double) +
         entries_.capacity() * sizeof(Local) +
         (scaled_ ? scaled_->counts.size() * sizeof(ScaledCount) + scaled_->exchange.memory_bytes() : 0);
}

}  // namespace atl
