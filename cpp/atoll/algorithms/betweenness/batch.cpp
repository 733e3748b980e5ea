// SPDX-License-Identifier: Apache-2.0
// Betweenness by Brandes' accumulation [1] over ranks, from several sources side by side.
//
//   in the paper        here              meaning
//   sigma               paths_            number of shortest paths from the source, by [local master][lane]
//   S, by d             entries_, levels_ vertices, each with the lanes in which it was found in that level
//   P                   not stored        neighbours one level up
//   delta               not stored        what a vertex gives to those before it, (1 + delta) / sigma, replaces sigma
//
// Both phases have two forms, chosen for each level. A level is found by
//   pushing  the frontier's vertices add their paths at their targets, mirrors included; mirrors' sums go to masters
//   pulling  the frontier's paths are told to its mirrors; who is not seen yet adds up what its sources have
// and what it gives goes back the same way or the other: pulled by the level before from mirrors that have been told, or
// pushed to masters and those mirrors that a pull has made known. In their own way back a push and a pull read the edges
// of the same vertices and exchange the values of the same mirrors.
//
// [1] U. Brandes. "A faster algorithm for betweenness centrality." J. Mathematical Sociology 25(2), 2001.
#include <algorithm>
#include <atoll/algorithms/betweenness/lanes.hpp>

namespace atl {
namespace {

constexpr std::size_t kGrain = 1024, kPushGrain = 64;
// What an edge costs backwards that is pushed along, in edges that are pulled along; several threads add atomically.
// A push saves values, though: on 8 x 8 simulated ranks (Kronecker 14) always pushing sent 30 % fewer bytes in all.
constexpr Edge kPushed = 2, kPushedShared = 12, kPushedFar = 0;

Edge push_cost(World& world) {
  const bool alone = world.all(world.team().size() == 1);
  return world.all(world.all_near()) ? (alone ? kPushed : kPushedShared) : kPushedFar;
}

std::size_t index(Local v) { return static_cast<std::size_t>(v); }

}  // namespace

template <int kLanes>
BetweennessBatch<kLanes>::BetweennessBatch(const Graph& graph)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      exchange_(graph, {}, kLanes),
      locals_(index(graph.locals())),
      owned_(index(graph.owned())),
      active_(index(graph.active())),
      mirrors_(std::min(index(graph.mirrors().begin[0]), locals_)),
      serial_(team_.size() == 1),
      push_cost_(push_cost(world_)),
      all_in_(world_.sum(graph.in().size())),
      seen_(locals_),
      next_(locals_, 0),
      offered_(locals_ * kLanes),
      paths_(owned_ * kLanes),
      score_(owned_),
      changed_(graph.locals() * kLanes),
      threads_(static_cast<std::size_t>(team_.size())) {
  for (const auto& known : graph.mirrors().known_by)
    for (std::size_t w = 0; w < known.size(); ++w)
      if (known[w] != 0) mirrored_.push_back(w);
  std::sort(mirrored_.begin(), mirrored_.end());
  mirrored_.erase(std::unique(mirrored_.begin(), mirrored_.end()), mirrored_.end());
}

template <int kLanes>
void BetweennessBatch<kLanes>::run(std::span<const Vertex> sources, BetweennessResult& result) {
  std::vector<Local> starts;
  for (const Vertex id : sources) {
    const auto [owner, natural] = graph_.find(id);
    starts.push_back(owner == world_.rank() ? graph_.local_of(natural) : kElsewhere);
  }
  std::fill(score_.begin(), score_.end(), 0.0);
  for (std::size_t i = 0; i < starts.size(); i += kLanes)
    from(std::span<const Local>(starts).subspan(i, std::min<std::size_t>(kLanes, starts.size() - i)));
  if (result.score.size() != owned_) result.score = Array<double>(owned_);
  team_.for_range(owned_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) result.score[v] = score_[index(graph_.local_of(static_cast<Vertex>(v)))];
  });
}

template <int kLanes>
std::size_t BetweennessBatch<kLanes>::memory_bytes() const {
  return locals_ * (2 * sizeof(Lanes) + kLanes * sizeof(double)) + owned_ * (kLanes + 1) * sizeof(double) +
         changed_.words() * sizeof(std::uint64_t) + (entries_.capacity() + told_.capacity()) * sizeof(Entry) +
         exchange_.memory_bytes() + (scaled_ ? scaled_->memory_bytes() : 0);
}

template <int kLanes>
void BetweennessBatch<kLanes>::from(std::span<const Local> sources) {
  count_paths(sources);
  if (std::any_of(levels_.begin(), levels_.end(), [](const Level& level) { return level.all.overflow; }))
    return add_scaled();
  // The last level depends on nothing: it gives 1 / sigma.
  for_entries(entries(levels_.back()), kGrain, [&](Thread&, Entry e) {
    for_lanes(e.lanes, [&](std::size_t l) { paths(e.vertex)[l] = 1 / paths(e.vertex)[l]; });
  });
  for (std::size_t d = levels_.size() - 1; d > 1; --d) {
    const Level &level = levels_[d], &above = levels_[d - 1];
    above.told&& level.all.in* push_cost_ < above.all.out ? give_by_push(level, above) : give_by_pull(level, above);
  }
}

// Infinite counts have found the levels as others would have.
template <int kLanes>
void BetweennessBatch<kLanes>::add_scaled() {
  if (!scaled_) scaled_ = std::make_unique<BetweennessScaled<kLanes>>(graph_);
  std::vector<std::span<const Entry>> levels;
  for (const Level& level : levels_) levels.push_back(entries(level));
  scaled_->add(levels, {score_.data(), score_.size()});
}

// ---- backwards: paths_ of a finished level are what its vertices give -----------------------------------------------

// Leaves sums in other vertices too. Each is read once: when the level after it has pushed into it and none before has.
template <int kLanes>
void BetweennessBatch<kLanes>::give_by_push(const Level& level, const Level& above) {
  stale_ = true;
  for_entries(entries(level), kPushGrain, [&](Thread&, Entry e) {
    Row row{};
    for_lanes(e.lanes, [&](std::size_t l) { row[l] = paths(e.vertex)[l]; });
    for (const Local u : graph_.in().neighbours(e.vertex)) add(offered(u), row, e.lanes, serial_);
  });
  for (Entry e : told(above)) {
    for_lanes(e.lanes, [&](std::size_t l) {
      if (offered(e.vertex)[l] == 0) e.lanes &= static_cast<Lanes>(~(1U << l));
    });
    mark(e);
  }
  exchange_.reduce(all_offered(), changed_);
  for (const std::size_t word : mirrored_)
    for (std::size_t w = word * kLanes; w < (word + 1) * kLanes; ++w) changed_.at(w) = 0;
  for_entries(entries(above), kGrain, [&](Thread&, Entry e) { depend(e, offered(e.vertex)); });
}

template <int kLanes>
void BetweennessBatch<kLanes>::give_by_pull(const Level& level, const Level& above) {
  refresh();
  tell(level);
  const std::size_t before = told_.size();
  note_told();
  for_entries(entries(above), kPushGrain, [&](Thread&, Entry e) {
    depend(e, sum_rows<kLanes>(graph_.out().neighbours(e.vertex), offered_.data()).data());
  });
  take_back(entries(level));
  take_back(std::span(told_).subspan(before));
  told_.resize(before);
}

// delta(v) = sum over targets w of the next level of sigma(v) / sigma(w) (1 + delta(w)).
template <int kLanes>
void BetweennessBatch<kLanes>::depend(Entry e, const double* sums) {
  double all = 0;
  for_lanes(e.lanes, [&](std::size_t l) {
    double& sigma = paths(e.vertex)[l];
    const double dependency = sigma * sums[l];
    all += dependency;
    sigma = (1 + dependency) / sigma;
  });
  score_[index(e.vertex)] += all;
}

// ---- offers ---------------------------------------------------------------------------------------------------------

// The level's vertices offer what paths_ has, and their mirrors the same.
template <int kLanes>
void BetweennessBatch<kLanes>::tell(const Level& level) {
  for_entries(entries(level), kGrain, [&](Thread&, Entry e) {
    for_lanes(e.lanes, [&](std::size_t l) { offered(e.vertex)[l] = paths(e.vertex)[l]; });
  });
  for (const Entry e : entries(level)) mark(e);
  exchange_.broadcast(all_offered(), changed_);
  for (const Entry e : entries(level)) changed_.at(index(e.vertex) * kLanes / 64) = 0;
}

// Appends the mirrors that have been told to told_, and forgets their bits. A 0 came along with the others' values.
template <int kLanes>
void BetweennessBatch<kLanes>::note_told() {
  for (std::size_t w = mirrors_ * kLanes / 64; w < changed_.words(); ++w)
    for (std::uint64_t bits = std::exchange(changed_.at(w), 0), at = w * 64; bits; bits >>= kLanes, at += kLanes) {
      Entry e{static_cast<Local>(at / kLanes), static_cast<Lanes>(bits & kAll)};
      for_lanes(e.lanes, [&](std::size_t l) {
        if (offered(e.vertex)[l] == 0) e.lanes &= static_cast<Lanes>(~(1U << l));
      });
      if (e.lanes != 0) told_.push_back(e);
    }
}

template <int kLanes>
void BetweennessBatch<kLanes>::take_back(std::span<const Entry> list) {
  for_entries(list, kGrain, [&](Thread&, Entry e) { clear_row(offered(e.vertex)); });
}

// No offers are left.
template <int kLanes>
void BetweennessBatch<kLanes>::refresh() {
  if (!std::exchange(stale_, false)) return;
  team_.for_range(offered_.size(), kGrain * 8, [&](int, std::size_t a, std::size_t b) {
    std::fill(offered_.begin() + a, offered_.begin() + b, 0.0);
  });
}

template class BetweennessBatch<1>;
template class BetweennessBatch<4>;

}  // namespace atl
