// SPDX-License-Identifier: Apache-2.0
// Betweenness by Brandes' accumulation [1] over ranks, for several sources at a time.
//
//   in the paper        here              meaning
//   sigma               paths_            number of shortest paths from the source, by [local master][lane]
//   S, by d             entries_, levels_ vertices, each with the lanes in which it was found in that level
//   P                   not stored        neighbours in the previous level
//   delta               not stored        (1 + delta) / sigma, a contribution to predecessors, replaces sigma
//
// Both phases choose between push and pull for each level. Forward, a level is found by
//   push  the frontier adds its path counts to its targets, mirrors included; mirrors' sums are reduced to masters
//   pull  the frontier's path counts are broadcast to its mirrors; unseen vertices sum over their sources
// Backward, the level's contributions are pulled by the previous level from mirrors after a broadcast, or pushed to
// masters and to the mirrors that the forward pull has updated, and then reduced. The backward form that reverses the
// forward one reads the edges of the same vertices and exchanges the values of the same mirrors.
//
// Over a vertex-cut mirrors have edges too. So each level is broadcast before it is pushed, what a pull sums up at
// mirrors is reduced, and the backward form is the pull, with a reduction of what mirrors have summed.
//
// [1] U. Brandes. "A faster algorithm for betweenness centrality." J. Mathematical Sociology 25(2), 2001.
#include <algorithm>
#include <atoll/algorithms/betweenness/lanes.hpp>

namespace atl {
namespace {

constexpr std::size_t kBatchGrain = 1024, kEntryGrain = 64;
// Cost of a pushed edge in the backward phase, in pulled edges: for one thread, for several (which add atomically), and
// for ranks that do not share memory. There a push sends fewer values: on 8 x 8 simulated ranks (Kronecker 14) always
// pushing sent 30 % fewer bytes in all.
constexpr Edge kPushed = 2, kPushedShared = 12, kPushedFar = 0;

// Both phases write what the other reads.
GraphView view_of(const Graph& graph) {
  const VertexCut* cut = graph.vertex_cut_if_any(CutRows::sources);
  return cut ? GraphView::all_of(*cut) : GraphView::all_of(graph);
}

Edge push_cost(World& world) {
  const bool serial = world.all(world.team().size() == 1);
  return world.all(world.all_near()) ? (serial ? kPushed : kPushedShared) : kPushedFar;
}

}  // namespace

template <int kLanes>
BetweennessBatch<kLanes>::BetweennessBatch(const Graph& graph)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      view_(view_of(graph)),
      cut_(view_.cut),
      transposed_(cut_ ? cut_->transposed(VertexCut::WithWeights::no) : Csr{}),
      out_(*view_.rows),
      in_(cut_ ? transposed_ : graph.in()),
      exchange_(view_, {}, kLanes),
      locals_(index(view_.locals)),
      owned_(index(graph.owned())),
      active_(index(graph.active())),
      mirrors_(std::min(index(view_.first_mirror), locals_)),
      serial_(team_.size() == 1),
      push_cost_(push_cost(world_)),
      all_in_(world_.sum(graph.in().size())),
      seen_(locals_),
      next_(locals_, 0),
      contributions_(locals_ * kLanes),
      sums_over_cut_(cut_ ? locals_ * kLanes : 0, 0),
      sums_(cut_ ? sums_over_cut_.data() : contributions_.data()),
      paths_(owned_ * kLanes),
      score_(owned_),
      changed_(locals_ * kLanes),
      mirrored_(mirrored_words(view_)),
      threads_(static_cast<std::size_t>(team_.size())) {}

template <int kLanes>
std::vector<Vertex> BetweennessBatch<kLanes>::run(std::span<const Vertex> sources, BetweennessResult& result,
                                                  const Progress& progress) {
  std::vector<Vertex> overflowed;
  std::vector<Local> starts;
  for (const Vertex id : sources) starts.push_back(graph_.master_of(id).value_or(kElsewhere));
  std::fill(score_.begin(), score_.end(), 0.0);
  for (std::size_t i = 0; i < starts.size(); i += kLanes) {
    const std::size_t next = std::min<std::size_t>(kLanes, starts.size() - i);
    if (!add_sources(std::span<const Local>(starts).subspan(i, next))) {
      const auto batch = sources.subspan(i, next);
      overflowed.insert(overflowed.end(), batch.begin(), batch.end());
    }
    report_progress(progress, static_cast<std::int64_t>(i + next - overflowed.size()),
                    static_cast<std::int64_t>(starts.size()));
  }
  write_scores(graph_, score_, result);
  return overflowed;
}

template <int kLanes>
std::size_t BetweennessBatch<kLanes>::memory_bytes() const {
  return locals_ * (2 * sizeof(Lanes) + kLanes * sizeof(double)) + sums_over_cut_.size() * sizeof(double) +
         transposed_.memory_bytes() + owned_ * (kLanes + 1) * sizeof(double) +
         changed_.words() * sizeof(std::uint64_t) +
         (entries_.capacity() + updated_mirrors_.capacity()) * sizeof(Entry) + exchange_.memory_bytes();
}

template <int kLanes>
bool BetweennessBatch<kLanes>::add_sources(std::span<const Local> sources) {
  if (!count_paths(sources)) return false;
  // In the last level delta is 0, so it contributes 1 / sigma.
  for_entries(entries(levels_.back()), kBatchGrain, [&](Thread&, Entry e) {
    for_lanes(e.lanes, [&](std::size_t l) { paths(e.vertex)[l] = 1 / paths(e.vertex)[l]; });
  });
  for (std::size_t d = levels_.size() - 1; d > 1; --d) {
    const Level &level = levels_[d], &above = levels_[d - 1];
    if (!cut_ && above.was_broadcast && level.all.in * push_cost_ < above.all.out) {
      accumulate_by_push(level, above);
    } else {
      accumulate_by_pull(level, above);
    }
  }
  return true;
}

// Backward phase: paths_ of a finished level has (1 + delta) / sigma.

// Pushing also leaves sums at vertices of other levels. That does no harm: a vertex's sum is read once, right after the
// level that follows it has pushed, and before any other level that could push to it.
template <int kLanes>
void BetweennessBatch<kLanes>::accumulate_by_push(const Level& level, const Level& above) {
  stale_ = true;
  for_entries(entries(level), kEntryGrain, [&](Thread&, Entry e) {
    Row row{};
    for_lanes(e.lanes, [&](std::size_t l) { row[l] = paths(e.vertex)[l]; });
    for (const Local u : in_.neighbours(e.vertex)) add(contributions(u), row, e.lanes, serial_);
  });
  for (const Entry e : mirrors_of(above)) mark_nonzero(e, contributions_.data());
  exchange_.reduce(all_contributions(), changed_);
  clear_received();
  for_entries(entries(above), kBatchGrain, [&](Thread&, Entry e) { accumulate(e, contributions(e.vertex)); });
}

template <int kLanes>
void BetweennessBatch<kLanes>::accumulate_by_pull(const Level& level, const Level& above) {
  clear_contributions();
  broadcast_values(level);
  const std::size_t before = updated_mirrors_.size();
  collect_updated_mirrors();
  if (cut_) {
    accumulate_over_cut(above);
  } else {
    for_entries(entries(above), kEntryGrain, [&](Thread&, Entry e) {
      accumulate(e, sum_rows<kLanes>(out_.neighbours(e.vertex), contributions_.data()).data());
    });
  }
  clear_rows(entries(level), contributions_.data());
  clear_rows(std::span(updated_mirrors_).subspan(before), contributions_.data());
  updated_mirrors_.resize(before);
}

// Masters and mirrors sum over the edges that they have; the mirrors' sums are reduced.
template <int kLanes>
void BetweennessBatch<kLanes>::accumulate_over_cut(const Level& above) {
  const auto add_up = [&](Thread&, Entry e) {
    const Row row = sum_rows<kLanes>(out_.neighbours(e.vertex), contributions_.data());
    for_lanes(e.lanes, [&](std::size_t l) { sums(e.vertex)[l] = row[l]; });
  };
  for_entries(entries(above), kEntryGrain, add_up);
  for_entries(mirrors_of(above), kEntryGrain, add_up);
  for (const Entry e : mirrors_of(above)) mark_nonzero(e, sums_);
  exchange_.reduce(all_sums(), changed_);
  clear_received();
  for_entries(entries(above), kBatchGrain, [&](Thread&, Entry e) { accumulate(e, sums(e.vertex)); });
  clear_rows(entries(above), sums_);
  clear_rows(mirrors_of(above), sums_);
}

// delta(v) = sum over targets w of the next level of sigma(v) / sigma(w) (1 + delta(w)).
template <int kLanes>
void BetweennessBatch<kLanes>::accumulate(Entry e, const double* sums) {
  double all = 0;
  for_lanes(e.lanes, [&](std::size_t l) {
    double& sigma = paths(e.vertex)[l];
    const double dependency = sigma * sums[l];
    all += dependency;
    sigma = (1 + dependency) / sigma;
  });
  score_[e.vertex] += all;
}

// Copies paths_ of the level's vertices to contributions_, and broadcasts it to their mirrors.
template <int kLanes>
void BetweennessBatch<kLanes>::broadcast_values(const Level& level) {
  for_entries(entries(level), kBatchGrain, [&](Thread&, Entry e) {
    for_lanes(e.lanes, [&](std::size_t l) { contributions(e.vertex)[l] = paths(e.vertex)[l]; });
  });
  for (const Entry e : entries(level)) mark(e);
  exchange_.broadcast(all_contributions(), changed_);
  for (const Entry e : entries(level)) changed_.at(index(e.vertex) * kLanes / 64) = 0;
}

// Appends the mirrors that the broadcast has updated to updated_mirrors_ and clears their bits. A value of 0 belongs to
// an unchanged vertex: the broadcast has sent a whole block.
template <int kLanes>
void BetweennessBatch<kLanes>::collect_updated_mirrors() {
  for (std::size_t w = mirrors_ * kLanes / 64; w < changed_.words(); ++w)
    for (std::uint64_t bits = std::exchange(changed_.at(w), 0), at = w * 64; bits; bits >>= kLanes, at += kLanes) {
      const Entry e =
          nonzero({static_cast<Local>(at / kLanes), static_cast<Lanes>(bits & kAll)}, contributions_.data());
      if (e.lanes != 0) updated_mirrors_.push_back(e);
    }
}

// The entry with those of its lanes in which its row is not 0.
template <int kLanes>
BetweennessEntry BetweennessBatch<kLanes>::nonzero(Entry e, const double* rows) {
  const double* const row = rows + static_cast<std::size_t>(e.vertex) * kLanes;
  for_lanes(e.lanes, [&](std::size_t l) {
    if (row[l] == 0) e.lanes &= static_cast<Lanes>(~(1U << l));
  });
  return e;
}

// Clears the bits of masters that a reduction has changed.
template <int kLanes>
void BetweennessBatch<kLanes>::clear_received() {
  for (const std::size_t word : mirrored_)
    for (std::size_t w = word * kLanes; w < (word + 1) * kLanes; ++w) changed_.at(w) = 0;
}

template <int kLanes>
void BetweennessBatch<kLanes>::clear_rows(std::span<const Entry> list, double* rows) {
  for_entries(list, kBatchGrain, [&](Thread&, Entry e) { clear_row(rows + index(e.vertex) * kLanes); });
}

// Sets contributions_ to 0.
template <int kLanes>
void BetweennessBatch<kLanes>::clear_contributions() {
  if (!std::exchange(stale_, false)) return;
  team_.for_range(contributions_.size(), kBatchGrain * 8, [&](int, std::size_t a, std::size_t b) {
    std::fill(contributions_.begin() + a, contributions_.begin() + b, 0.0);
  });
}

template class BetweennessBatch<1>;
template class BetweennessBatch<4>;

}  // namespace atl
