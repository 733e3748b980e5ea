// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/label_propagation/label_propagation.hpp>
#include <atoll/engine/mirror_exchange.hpp>

namespace atl {

/// The rounds of label propagation, whichever cut the edges have. Id: an integer in which all original ids have room.
template <class Id>
class PropagationRounds : public LabelPropagation::Rounds {
 public:
  void run(const LabelPropagationOptions& options, LabelPropagationResult& result) final {
    check(options.iterations >= 0, "cdlp: iterations is {} (at least 0). Change it.", options.iterations);
    start();
    changed_.clear();
    result.iterations = 0;
    result.changed = graph_.vertices();
    while (result.iterations < options.iterations && result.changed > 0) {
      const double share = static_cast<double>(result.changed) / static_cast<double>(graph_.vertices());
      result.iterations > 0 ? round(share) : first_round();
      result.changed = world_.sum(take_next());
      ++result.iterations;
      report_progress(options.progress, result.iterations, options.iterations);
    }
    if (result.label.size() != next_.size()) result.label = Array<Vertex>(next_.size());
    team_.for_range(next_.size(), kWideGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v)
        result.label[v] = static_cast<Vertex>(label_[graph_.local_of(static_cast<Vertex>(v))]);
    });
  }

  std::size_t memory_bytes() const override { return (label_.size() + next_.size()) * sizeof(Id); }

 protected:
  /// `locals`: of the cut, whose masters are the graph's.
  PropagationRounds(const Graph& graph, Local locals)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        label_(index(locals)),
        next_(index(graph.owned())),
        changed_(index(locals)) {}

  /// Gives each vertex its id, mirrors included where first_round() or round() do not.
  virtual void start() = 0;
  /// Both set next_ for all active masters: from the neighbours' ids, or from their labels. `share` is the part of all
  /// labels that the last round has changed; changed_ marks those of masters.
  virtual void first_round() = 0;
  virtual void round(double share) = 0;

  const Graph& graph_;
  World& world_;
  Team& team_;
  Array<Id> label_;     // [local]
  Array<Id> next_;      // [local master]
  VertexBits changed_;  // labels changed by the last round

 private:
  static constexpr std::size_t kWideGrain = 32768;  // a multiple of 64, so that a word of bits has one thread

  // Copies next_ to label_. Returns the number of changed labels on this rank.
  Vertex take_next() {
    changed_.clear();
    std::atomic<Vertex> changed{0};
    team_.for_range(index(graph_.active()), kWideGrain, [&](int, std::size_t a, std::size_t b) {
      Vertex here = 0;
      for (std::size_t v = a; v < b; ++v) {
        if (next_[v] == label_[v]) continue;
        label_[v] = next_[v];
        changed_.set_unsynchronized(v);
        ++here;
      }
      changed.fetch_add(here, std::memory_order_relaxed);
    });
    return changed.load();
  }
};

}  // namespace atl
