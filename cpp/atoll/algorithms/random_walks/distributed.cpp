// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/random_walks/distributed.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <iterator>

namespace atl {
namespace {

constexpr std::size_t kWalkerGrain = 64;

// The threads' records for each rank, in one list a rank.
template <class Record, class ListsOf>
std::vector<std::vector<Record>> merged(std::size_t ranks, std::span<const ListsOf> threads,
                                        std::vector<std::vector<Record>> ListsOf::*lists) {
  std::vector<std::vector<Record>> all(ranks);
  for (std::size_t r = 0; r < ranks; ++r)
    for (const ListsOf& one : threads) {
      const std::vector<Record>& part = (one.*lists)[r];
      all[r].insert(all[r].end(), part.begin(), part.end());
    }
  return all;
}

}  // namespace

// Parameters and results of the walks that begin on this rank.
struct DistributedWalks::Run {
  const SecondOrder order;
  const Edge length;
  const std::span<Vertex> rows;
};

DistributedWalks::DistributedWalks(const Transition& transition)
    : transition_(transition),
      graph_(transition.graph()),
      rank_(graph_.world().rank()),
      begin_(graph_.blocks().begin(rank_)),
      dense_(dense_numbers(graph_)),
      known_(graph_, dense_) {}

void DistributedWalks::run(std::span<const WalkStart> starts, std::span<const Vertex> dense, const WalkOptions& options,
                           std::span<Vertex> rows) {
  World& world = graph_.world();
  const auto ranks = static_cast<std::size_t>(world.size());
  const Run run{.order = SecondOrder(options), .length = options.length, .rows = rows};
  const auto width = static_cast<std::size_t>(options.length) + 1;
  std::vector<std::vector<Walker>> leaving(ranks);
  for (std::size_t row = 0; row < starts.size(); ++row)
    leaving[static_cast<std::size_t>(graph_.blocks().owner(dense[row]))].push_back(
        {.random = Random(random_at(options.seed, starts[row].number)),
         .here = dense[row],
         .previous = kNoVertex,
         .candidate = kNoVertex,
         .height = 0,
         .row = static_cast<Edge>(row),
         .step = 0,
         .home = rank_,
         .task = Task::arrive});
  std::vector<Walker> here;
  const auto receive = [&] {
    here.clear();
    for (const auto& part : world.exchange(std::move(leaving))) here.insert(here.end(), part.begin(), part.end());
    return world.any(!here.empty());
  };
  while (receive()) {
    std::vector<Outbox> outboxes(static_cast<std::size_t>(world.team().size()));
    for (Outbox& outbox : outboxes) {
      outbox.walkers.resize(ranks);
      outbox.visits.resize(ranks);
    }
    world.team().for_range(here.size(), kWalkerGrain, [&](int thread, std::size_t a, std::size_t b) {
      for (std::size_t k = a; k < b; ++k) advance(here[k], run, outboxes[static_cast<std::size_t>(thread)]);
    });
    const std::span<const Outbox> of_threads(outboxes);
    leaving = merged(ranks, of_threads, &Outbox::walkers);
    for (const auto& part : world.exchange(merged(ranks, of_threads, &Outbox::visits)))
      for (const Visit& visit : part)
        rows[static_cast<std::size_t>(visit.row) * width + static_cast<std::size_t>(visit.step)] = visit.id;
  }
}

void DistributedWalks::arrive(const Walker& walker, const Run& run, Outbox& outbox) const {
  const Vertex id = graph_.id_of(local_of(walker.here));
  if (walker.home == rank_) {
    run.rows[static_cast<std::size_t>(walker.row * (run.length + 1) + walker.step)] = id;
  } else {
    outbox.visits[static_cast<std::size_t>(walker.home)].push_back({walker.row, walker.step, id});
  }
}

// On the rank that owns the vertex before: the walker goes to the candidate, or is to draw another.
void DistributedWalks::judge(Walker& walker, const SecondOrder& order) const {
  const Local x = known_.local_of(walker.candidate);
  const bool is_adjacent = x >= 0 && transition_.has_edge(local_of(walker.previous), x);
  walker.task = Task::draw;
  if (!order.accepts(walker.height, is_adjacent)) return;
  walker.previous = std::exchange(walker.here, walker.candidate);
  ++walker.step;
  walker.task = Task::arrive;
}

// Advances the walker until it ends or leaves this rank.
void DistributedWalks::advance(Walker walker, const Run& run, Outbox& outbox) const {
  if (walker.task == Task::judge) judge(walker, run.order);
  for (;;) {
    if (!is_here(walker.here)) return send(walker.here, walker, outbox);
    if (walker.task == Task::arrive) {
      arrive(walker, run, outbox);
      if (walker.step == run.length) return;
    }
    if (!choose(walker, local_of(walker.here), run, outbox)) return;
  }
}

// Takes the walker from v to its next vertex; false if v is a dead end, or the walker has left to be judged.
bool DistributedWalks::choose(Walker& walker, Local v, const Run& run, Outbox& outbox) const {
  const auto go_to = [&](Local x) {
    if (x < 0) return false;
    walker.previous = std::exchange(walker.here, dense_[index(x)]);
    ++walker.step;
    walker.task = Task::arrive;
    return true;
  };
  if (transition_.is_dead_end(v)) return false;
  const SecondOrder& order = run.order;
  if (!order.is_needed || walker.previous == kNoVertex || transition_.has_one_way(v))
    return go_to(transition_.candidate(transition_.draw(v, walker.random), -1));
  const Local previous = known_.local_of(walker.previous);
  const double returning = transition_.returning_area(v, previous, order);
  for (;;) {
    const Dart dart = transition_.throw_dart(v, returning, order, walker.random);
    const Local x = transition_.candidate(dart, previous);
    if (x < 0) return false;
    switch (order.judge(dart, x == previous)) {
      case SecondOrder::Verdict::accepted:
        return go_to(x);
      case SecondOrder::Verdict::rejected:
        break;
      case SecondOrder::Verdict::by_adjacency: {
        const bool from_x = !graph_.directed() && x < graph_.owned();
        if (!from_x && !is_here(walker.previous)) {
          walker.candidate = dense_[index(x)];
          walker.height = dart.height;
          walker.task = Task::judge;
          send(walker.previous, walker, outbox);
          return false;
        }
        const bool is_adjacent = from_x ? previous >= 0 && transition_.has_edge(x, previous)
                                        : transition_.has_edge(local_of(walker.previous), x);
        if (order.accepts(dart.height, is_adjacent)) return go_to(x);
      }
    }
  }
}

}  // namespace atl
