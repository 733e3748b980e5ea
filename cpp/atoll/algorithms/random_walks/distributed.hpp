// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/known_vertices.hpp>
#include <atoll/algorithms/random_walks/transition.hpp>
#include <optional>
#include <span>
#include <vector>

namespace atl {

/// Walks over several ranks. A walker is a record that is always on one rank: that which owns its vertex, or, while a
/// second-order step has to know whether the vertex before has an edge to the candidate, the owner of that one, which
/// sends the walker on to where the answer leads. In a round each rank advances its walkers until they leave it; then
/// ranks exchange walkers, and the vertices that walks have come to go to the ranks where they began.
class DistributedWalks {
 public:
  /// Collective. The transition outlives it.
  explicit DistributedWalks(const Transition& transition);

  /// `dense`: [row] dense number of the start. `rows` are filled with kNoVertex. Collective.
  void run(std::span<const WalkStart> starts, std::span<const Vertex> dense, const WalkOptions& options,
           std::span<Vertex> rows);
  std::size_t memory_bytes() const { return dense_.capacity() * sizeof(Vertex); }

 private:
  enum class Task : std::int32_t { arrive, draw, judge };  // at a new vertex; again at the same; of the candidate
  // Vertices are dense numbers.
  struct Walker {
    Random random{0};
    Vertex here, previous, candidate;
    double height;  // of the dart that hit the candidate
    Edge row, step;
    Rank home;
    Task task;
  };
  struct Visit {
    Edge row, step;
    Vertex id;
  };
  // A thread's records for each rank.
  struct Outbox {
    std::vector<std::vector<Walker>> walkers;
    std::vector<std::vector<Visit>> visits;
  };
  struct Run;

  void advance(Walker walker, const Run& run, Outbox& outbox) const;
  bool choose(Walker& walker, Local v, const Run& run, Outbox& outbox) const;
  void judge(Walker& walker, const SecondOrder& order) const;
  void arrive(const Walker& walker, const Run& run, Outbox& outbox) const;
  Local local_of(Vertex owned_here) const { return graph_.local_of(owned_here - begin_); }
  void send(Vertex to, const Walker& walker, Outbox& outbox) const {
    outbox.walkers[static_cast<std::size_t>(graph_.blocks().owner(to))].push_back(walker);
  }
  bool is_here(Vertex dense) const { return graph_.blocks().owner(dense) == rank_; }

  const Transition& transition_;
  const Graph& graph_;
  const Rank rank_;
  const Vertex begin_;               // the first dense number of this rank
  const std::vector<Vertex> dense_;  // [local]
  const KnownVertices known_;
};

}  // namespace atl
