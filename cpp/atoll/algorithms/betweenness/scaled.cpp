// SPDX-License-Identifier: Apache-2.0
// Brandes' accumulation over known levels, with counts of any size. Every level is pulled: its vertices sum over
// their neighbours in the previous level, in the backward phase in the next level, after a broadcast to mirrors.
#include <algorithm>
#include <atoll/algorithms/betweenness/lanes.hpp>
#include <atoll/algorithms/betweenness/scaled.hpp>

namespace atl {
namespace {

constexpr std::size_t kScaledGrain = 64;

}  // namespace

template <int kLanes>
const Graph& BetweennessScaled<kLanes>::with_places(const Graph& graph) {
  constexpr Local kMost = std::numeric_limits<Local>::max() / kPlaces;
  graph.world().agree(
      graph.locals() <= kMost,
      fmt::format("betweenness: {}: a rank has {} vertices and mirrors (with more shortest paths than a "
                  "double can count, 1.8e308, it takes {}). Use more ranks.",
                  graph.name(), graph.locals(), kMost));
  return graph;
}

template <int kLanes>
BetweennessScaled<kLanes>::BetweennessScaled(const Graph& graph)
    : graph_(with_places(graph)),
      world_(graph.world()),
      exchange_(graph, {}, kPlaces),
      mirrors_(std::min(index(graph.mirrors().begin[0]), index(graph.locals()))),
      contributions_(index(graph.locals()) * kLanes),
      own_(index(graph.owned()) * kLanes),
      changed_(graph.locals() * kPlaces) {
  std::fill(contributions_.begin(), contributions_.end(), ScaledCount{});
}

template <int kLanes>
void BetweennessScaled<kLanes>::add(std::span<const Entries> levels, std::span<double> score) {
  for (const BetweennessEntry e : levels[0]) for_lanes(e.lanes, [&](std::size_t l) { own(e.vertex)[l] = {1, 0}; });
  for (std::size_t d = 1; d < levels.size(); ++d) {
    broadcast_values(levels[d - 1]);
    count(levels[d]);
    clear_rows(levels[d - 1]);
  }
  // In the last level delta is 0, so it contributes 1 / sigma.
  for (const BetweennessEntry e : levels.back())
    for_lanes(e.lanes, [&](std::size_t l) { own(e.vertex)[l].value = 1 / own(e.vertex)[l].value; });
  for (std::size_t d = levels.size() - 1; d > 1; --d) {
    broadcast_values(levels[d]);
    accumulate(levels[d - 1], score);
    clear_rows(levels[d]);
  }
}

template <int kLanes>
void BetweennessScaled<kLanes>::count(Entries level) {
  for_entries(level, [&](BetweennessEntry e) {
    std::array<ScaledCount, kLanes> sums{};
    for (const Local u : graph_.in().neighbours(e.vertex)) {
      const ScaledCount* const from = contributions(u);
      for_lanes(e.lanes, [&](std::size_t l) {
        if (from[l].value != 0) sums[l].add(from[l]);
      });
    }
    for_lanes(e.lanes, [&](std::size_t l) {
      sums[l].fit();
      own(e.vertex)[l] = sums[l];
    });
  });
}

// delta(v) = sum over targets w of the next level of sigma(v) / sigma(w) (1 + delta(w)).
template <int kLanes>
void BetweennessScaled<kLanes>::accumulate(Entries level, std::span<double> score) {
  for_entries(level, [&](BetweennessEntry e) {
    std::array<double, kLanes> shares{};  // in units of 1 / kStep ^ steps of the vertex
    ScaledCount* const mine = own(e.vertex);
    for (const Local v : graph_.out().neighbours(e.vertex)) {
      const ScaledCount* const from = contributions(v);
      for_lanes(e.lanes, [&](std::size_t l) {
        if (from[l].value != 0) shares[l] += from[l].value * ScaledCount::power(mine[l].steps - from[l].steps);
      });
    }
    double all = 0;
    for_lanes(e.lanes, [&](std::size_t l) {
      const double dependency = mine[l].value * shares[l];
      all += dependency;
      mine[l].value = (1 + dependency) / mine[l].value;
    });
    score[e.vertex] += all;
  });
}

// Copies the counts of the level's vertices to contributions_, and broadcasts them to their mirrors.
template <int kLanes>
void BetweennessScaled<kLanes>::broadcast_values(Entries level) {
  for_entries(level, [&](BetweennessEntry e) {
    for_lanes(e.lanes, [&](std::size_t l) { contributions(e.vertex)[l] = own(e.vertex)[l]; });
  });
  for (const BetweennessEntry e : level)
    for_lanes(e.lanes, [&](std::size_t l) { changed_.set_group(e.vertex * kPlaces + 2 * static_cast<Local>(l), 3); });
  exchange_.broadcast({&contributions_.data()->value, contributions_.size() * 2}, changed_);
  for (const BetweennessEntry e : level) changed_.at(index(e.vertex) * kPlaces / 64) = 0;
  updated_mirrors_.clear();
  for (std::size_t w = mirrors_ * kPlaces / 64; w < changed_.words(); ++w)
    for (std::uint64_t bits = std::exchange(changed_.at(w), 0), at = w * 64; bits; bits >>= kPlaces, at += kPlaces)
      if ((bits & ((std::uint64_t{1} << kPlaces) - 1)) != 0)
        updated_mirrors_.push_back(static_cast<Local>(at / kPlaces));
}

template <int kLanes>
void BetweennessScaled<kLanes>::clear_rows(Entries level) {
  for (const BetweennessEntry e : level) std::fill_n(contributions(e.vertex), kLanes, ScaledCount{});
  for (const Local mirror : updated_mirrors_) std::fill_n(contributions(mirror), kLanes, ScaledCount{});
}

template <int kLanes>
template <class F>
void BetweennessScaled<kLanes>::for_entries(Entries entries, F&& f) {
  world_.team().for_range(entries.size(), kScaledGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) f(entries[i]);
  });
}

template class BetweennessScaled<1>;
template class BetweennessScaled<4>;

}  // namespace atl
