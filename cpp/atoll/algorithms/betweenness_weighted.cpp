// SPDX-License-Identifier: Apache-2.0
// Betweenness by Brandes' accumulation [1] over paths whose length is the sum of their weights.
//
//   in the paper        here              meaning
//   d(s, .)             distance_         by Sssp<double>
//   sigma               sums_.paths       number of shortest paths from the source
//   P                   tight_, reversed  an edge u -> v with d(u) + w == d(v); they have no circle, weights being above 0
//   S, by d             entries_          in any order in which nobody comes before one of its predecessors
//   delta               not stored        what a vertex gives to those before it, (1 + delta) / sigma, is given_
//
// Paths are counted along tight edges: who has been given all its predecessors' paths passes them on. A rank goes as far
// as it can on its own, level by level, then mirrors' sums go to their masters; that is a round. Backwards the rounds, and
// the levels in them, are walked from their end: what a vertex depends on lies in a later level, or on another rank in a
// later round, of which it has been told.
//
// [1] U. Brandes. "A faster algorithm for betweenness centrality." J. Mathematical Sociology 25(2), 2001, section 4.
#include <algorithm>
#include <atoll/algorithms/betweenness_weighted.hpp>
#include <atoll/algorithms/edge_weights.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kGrain = 1024, kLevelGrain = 64;
// Masters whose tight edges lie together, and which a thread looks at at a time.
constexpr std::size_t kBlock = 64;
constexpr Local kPaths = 0, kMissing = 1, kLanes = 2;
constexpr double kCounted = -1;  // for missing: the vertex is in entries_
constexpr double kFar = std::numeric_limits<double>::infinity();

std::size_t index(Local v) { return static_cast<std::size_t>(v); }

const Graph& with_weights(const Graph& graph) {
  check_weights<double>("betweenness", graph, ZeroWeights::refused);
  const bool fits = graph.locals() <= std::numeric_limits<Local>::max() / kLanes;
  graph.world().agree(fits,
                      fmt::format("betweenness: {}: a rank has {} vertices and mirrors (with weights it takes {}). "
                                  "Use more ranks.",
                                  graph.name(), graph.locals(), std::numeric_limits<Local>::max() / kLanes));
  return graph;
}

}  // namespace

BetweennessWeighted::BetweennessWeighted(const Graph& graph)
    : graph_(with_weights(graph)),
      world_(graph.world()),
      team_(world_.team()),
      sssp_(graph),
      values_(graph),
      lanes_(graph, {}, kLanes),
      alone_(team_.size() == 1),
      first_mirror_(std::min(graph.mirrors().begin[0], graph.locals())),
      distance_(index(graph.locals())),
      sums_(index(graph.locals())),
      given_(index(graph.locals()), 0),
      score_(index(graph.owned())),
      tight_((index(graph.active()) + kBlock - 1) / kBlock),
      tight_begin_(index(graph.active())),
      changed_(graph.locals() * kLanes),
      told_(graph.locals()),
      threads_(static_cast<std::size_t>(team_.size())) {
  for (const auto& known : graph.mirrors().known_by)
    for (std::size_t w = 0; w < known.size(); ++w)
      if (known[w] != 0) mirrored_.push_back(w);
  std::sort(mirrored_.begin(), mirrored_.end());
  mirrored_.erase(std::unique(mirrored_.begin(), mirrored_.end()), mirrored_.end());
}

void BetweennessWeighted::run(std::span<const Vertex> sources, BetweennessResult& result) {
  for (const Vertex id : sources) graph_.find(id);
  std::fill(score_.begin(), score_.end(), 0.0);
  for (const Vertex id : sources) from(id);
  if (result.score.size() != score_.size()) result.score = Array<double>(score_.size());
  team_.for_range(score_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) result.score[v] = score_[index(graph_.local_of(static_cast<Vertex>(v)))];
  });
}

void BetweennessWeighted::from(Vertex source) {
  const auto [owner, natural] = graph_.find(source);
  const Local here = owner == world_.rank() ? graph_.local_of(natural) : -1;
  sssp_.run(source, found_);
  learn_distances();
  find_tight();
  count_paths(here);
  bool overflow = false;
  for (Thread& t : threads_) overflow |= std::exchange(t.overflow, false);
  check(!world_.any(overflow),
        "betweenness: {} has more shortest paths from vertex {} than a double can count (1.8e308). Leave this source "
        "out.",
        graph_.name(), source);
  depend(here);
}

void BetweennessWeighted::learn_distances() {
  team_.for_range(found_.distance.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) distance_[index(graph_.local_of(static_cast<Vertex>(v)))] = found_.distance[v];
  });
  values_.broadcast_all({distance_.data(), distance_.size()});
}

// ---- tight edges ----------------------------------------------------------------------------------------------------

// And how many enter each vertex. InputError, the same on all ranks, if an edge adds nothing to a distance.
void BetweennessWeighted::find_tight() {
  team_.for_range(sums_.size(), kGrain * 4, [&](int, std::size_t a, std::size_t b) {
    std::fill(sums_.begin() + a, sums_.begin() + b, Sums{0, 0});
  });
  if (const auto* narrow = std::get_if<Array<float>>(&graph_.out().weights)) {
    find_tight_by(*narrow);
  } else {
    find_tight_by(std::get<Array<double>>(graph_.out().weights));
  }
  Edge light = -1;
  for (Thread& t : threads_) light = std::max(light, std::exchange(t.light, -1));
  if (world_.any(light >= 0))
    world_.together([&] {
      if (light < 0) return;
      const auto& offsets = graph_.out().offsets;
      const auto from =
          static_cast<Local>(std::upper_bound(offsets.begin(), offsets.end(), light) - offsets.begin() - 1);
      check(
          false,
          "betweenness: {}: the edge between {} and {} weighs so little that the distance {} plus it is the same (then "
          "the number of shortest paths is not defined). Take weights that differ less.",
          graph_.name(), graph_.id_of(from), graph_.id_of(graph_.out().targets[static_cast<std::size_t>(light)]),
          distance_[index(from)]);
    });
  reduce_sums();
}

template <class Weights>
void BetweennessWeighted::find_tight_by(const Weights& weights) {
  const Csr& out = graph_.out();
  team_.for_range(index(graph_.active()), kBlock, [&](int t, std::size_t a, std::size_t b) {
    Thread& thread = threads_[static_cast<std::size_t>(t)];
    std::vector<Local>& block = tight_[a / kBlock];
    block.clear();
    for (std::size_t u = a; u < b; ++u) {
      tight_begin_[u] = block.size();
      const double distance = distance_[u];
      if (distance == kFar) continue;
      for (auto e = static_cast<std::size_t>(out.offsets[u]); e < static_cast<std::size_t>(out.offsets[u + 1]); ++e) {
        const Local v = out.targets[e];
        const double there = distance_[index(v)];
        if (distance + static_cast<double>(weights[e]) != there || static_cast<Local>(u) == v) continue;
        if (there == distance) {
          thread.light = static_cast<Edge>(e);
          continue;
        }
        block.push_back(v);
        add(sums_[index(v)].missing, 1);
        if (is_mirror(v) && changed_.set(v * kLanes + kMissing)) thread.touched.push_back(v * kLanes + kMissing);
      }
    }
  });
}

std::span<const Local> BetweennessWeighted::tight(Local v) const {
  const std::size_t at = index(v), next = at + 1;
  const std::vector<Local>& block = tight_[at / kBlock];
  const std::size_t end = next % kBlock == 0 || next == tight_begin_.size() ? block.size() : tight_begin_[next];
  return std::span(block).subspan(tight_begin_[at], end - tight_begin_[at]);
}

// ---- forwards -------------------------------------------------------------------------------------------------------

void BetweennessWeighted::count_paths(Local source) {
  for (const std::size_t word : mirrored_)
    for (std::size_t w = word * kLanes; w < (word + 1) * kLanes; ++w) changed_.at(w) = 0;
  entries_.clear();
  levels_.clear();
  rounds_.clear();
  if (source >= 0 && source < graph_.active()) {
    sums_[index(source)].paths = 1;
    threads_[0].found.push_back(source);
  }
  do {
    Round round{levels_.size(), levels_.size()};
    for (Level level = close_level(); level.begin < level.end; level = close_level()) {
      levels_.push_back(level);
      for_level(level, [&](Thread& thread, Local u) { push_paths(thread, u); });
    }
    round.end = levels_.size();
    rounds_.push_back(round);
    if (world_.size() == 1) return;
    reduce_sums();
    // Who has been told of its last paths.
    for (const std::size_t word : mirrored_)
      for (std::size_t w = word * kLanes; w < (word + 1) * kLanes; ++w)
        for (std::uint64_t bits = std::exchange(changed_.at(w), 0), at = w * 64; bits; bits >>= kLanes, at += kLanes) {
          const auto v = static_cast<Local>(at / kLanes);
          const Sums& sums = sums_[index(v)];  // a 0 may have come along with the others' values
          if ((bits & 3) != 0 && sums.missing == 0 && sums.paths > 0) threads_[0].found.push_back(v);
        }
  } while (world_.any(!threads_[0].found.empty()));
}

void BetweennessWeighted::push_paths(Thread& thread, Local u) {
  const double paths = sums_[index(u)].paths;
  thread.overflow |= std::isinf(paths);
  for (const Local v : tight(u)) {
    Sums& sums = sums_[index(v)];
    add(sums.paths, paths);
    const bool last = add(sums.missing, -1) == 0;
    if (!is_mirror(v)) {
      if (last) thread.found.push_back(v);
    } else {
      for (const Local lane : {kPaths, kMissing})
        if (changed_.set(v * kLanes + lane)) thread.touched.push_back(v * kLanes + lane);
    }
  }
}

// What the threads have found is the next level.
BetweennessWeighted::Level BetweennessWeighted::close_level() {
  Level level{entries_.size(), 0};
  for (Thread& t : threads_) {
    entries_.insert(entries_.end(), t.found.begin(), t.found.end());
    t.found.clear();
  }
  level.end = entries_.size();
  for (std::size_t i = level.begin; i < level.end; ++i) sums_[index(entries_[i])].missing = kCounted;
  return level;
}

// What mirrors have to add goes to their masters.
void BetweennessWeighted::reduce_sums() {
  if (world_.size() == 1) return;
  double* const lanes = &sums_[0].paths;
  static_assert(sizeof(Sums) == kLanes * sizeof(double));
  lanes_.reduce({lanes, sums_.size() * kLanes}, changed_);
  for (Thread& t : threads_) {
    for (const Local lane : t.touched) lanes[lane] = 0;
    t.touched.clear();
  }
}

// ---- backwards ------------------------------------------------------------------------------------------------------

// delta(v) = sum over tight edges v -> w of sigma(v) / sigma(w) (1 + delta(w)).
void BetweennessWeighted::depend(Local source) {
  for (std::size_t r = rounds_.size(); r-- > 0;) {
    for (std::size_t d = rounds_[r].end; d-- > rounds_[r].begin;)
      for_level(levels_[d], [&](Thread&, Local v) {
        double sum = 0;
        for (const Local w : tight(v)) sum += given_[index(w)];
        const double paths = sums_[index(v)].paths, dependency = paths * sum;
        given_[index(v)] = (1 + dependency) / paths;
        if (v != source) score_[index(v)] += dependency;
      });
    if (r == 0) break;
    for (std::size_t d = rounds_[r].begin; d < rounds_[r].end; ++d)
      for (std::size_t i = levels_[d].begin; i < levels_[d].end; ++i) told_.set_alone(entries_[i]);
    values_.broadcast({given_.data(), given_.size()}, told_);
    told_.clear();
  }
}

// ---------------------------------------------------------------------------------------------------------------------

// Returns the sum.
double BetweennessWeighted::add(double& into, double value) const {
  if (!alone_) return std::atomic_ref(into).fetch_add(value, std::memory_order_acq_rel) + value;
  return into += value;
}

template <class F>
void BetweennessWeighted::for_level(const Level& level, F&& f) {
  team_.for_range(level.end - level.begin, kLevelGrain, [&](int thread, std::size_t a, std::size_t b) {
    for (std::size_t i = level.begin + a; i < level.begin + b; ++i)
      f(threads_[static_cast<std::size_t>(thread)], entries_[i]);
  });
}

std::size_t BetweennessWeighted::memory_bytes() const {
  std::size_t bytes = sssp_.memory_bytes() + values_.memory_bytes() + lanes_.memory_bytes() +
                      sums_.size() * (2 * sizeof(double) + sizeof(Sums)) + score_.size() * 2 * sizeof(double) +
                      tight_begin_.size() * sizeof(std::size_t) + entries_.capacity() * sizeof(Local);
  for (const auto& block : tight_) bytes += block.capacity() * sizeof(Local);
  return bytes;
}

}  // namespace atl
