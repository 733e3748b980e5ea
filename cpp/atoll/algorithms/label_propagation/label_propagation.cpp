// SPDX-License-Identifier: Apache-2.0
// Label propagation [1] in synchronous rounds: changed labels are broadcast to mirrors, then each vertex with a changed
// neighbour counts the labels of its neighbours.
//
// | in the paper | here |
// |---|---|
// | asynchronous, in random order, ties at random | synchronous, ties to the smallest: Graphalytics' form [2] |
// | every vertex in every iteration | those with a changed neighbour; a first round in which all labels differ counts
// nothing |
//
// [1], [2] see the header.
#include <algorithm>
#include <atoll/algorithms/label_propagation/label_counts.hpp>
#include <atoll/algorithms/label_propagation/label_propagation.hpp>
#include <atoll/algorithms/label_propagation/vertex_cut.hpp>
#include <atoll/engine/mirror_exchange.hpp>

namespace atl {

namespace {

// Over the edge-cut: a master has all of its edges.
template <class Id, class Counts>
class EdgeCutRounds final : public PropagationRounds<Id> {
 public:
  /// Ids are below `ids`.
  EdgeCutRounds(const Graph& graph, Vertex ids)
      : PropagationRounds<Id>(graph, graph.locals()),
        exchange_(graph),
        counts_(static_cast<std::size_t>(team_.size()), ThreadCounts{Counts(static_cast<std::size_t>(ids))}) {}

  std::size_t memory_bytes() const override { return PropagationRounds<Id>::memory_bytes() + exchange_.memory_bytes(); }

 private:
  using PropagationRounds<Id>::graph_, PropagationRounds<Id>::team_, PropagationRounds<Id>::label_,
      PropagationRounds<Id>::next_, PropagationRounds<Id>::changed_;
  static constexpr std::size_t kGrain = 512, kHubGrain = 16;
  struct alignas(128) ThreadCounts {
    Counts counts;
  };

  // Mirrors know their ids, so the first round needs no broadcast.
  void start() override {
    for (std::size_t v = 0; v < label_.size(); ++v) label_[v] = static_cast<Id>(graph_.id_of(static_cast<Local>(v)));
  }
  void first_round() override {
    for_masters([&](Local v, Counts&) { return first(v); });
  }
  // Assumes that changed vertices have as many mirrors as others.
  void round(double share) override {
    exchange_.broadcast({label_.data(), label_.size()}, changed_, share * exchange_.mirrors());
    for_masters([&](Local v, Counts& counts) { return counted(v, counts); });
  }

  std::span<const Local> out(Local v) const { return graph_.out().neighbours(v); }
  std::span<const Local> in(Local v) const {
    return graph_.directed() ? graph_.in().neighbours(v) : std::span<const Local>();
  }

  // Sets next_[v] = label_of(v, the thread's counts) for all masters.
  template <class F>
  void for_masters(F&& label_of) {
    const std::size_t active = index(graph_.active()), hubs = std::min(active, index(graph_.hubs()));
    const auto decide = [&](int thread, std::size_t a, std::size_t b) {
      Counts& counts = counts_[thread].counts;
      for (std::size_t v = a; v < b; ++v) next_[v] = label_of(static_cast<Local>(v), counts);
    };
    team_.for_range(hubs, kHubGrain, decide);
    team_.for_range(active - hubs, kGrain,
                    [&](int thread, std::size_t a, std::size_t b) { decide(thread, hubs + a, hubs + b); });
  }

  Id first(Local v) const {
    return out(v).empty() && in(v).empty() ? label_[v] : most_repeated(out(v), in(v), label_.data());
  }

  Id counted(Local v, Counts& counts) const {
    const auto changed = [&](Local u) { return changed_.test(index(u)); };
    if (std::ranges::none_of(out(v), changed) && std::ranges::none_of(in(v), changed)) return label_[v];
    counts.open(out(v).size() + in(v).size());
    counts.add(out(v), label_.data());
    counts.add(in(v), label_.data());
    return counts.most_frequent();
  }

  MirrorExchange<Id, MinOf> exchange_;
  std::vector<ThreadCounts> counts_;  // [thread]
};

}  // namespace

LabelPropagation::LabelPropagation(const Graph& graph) {
  Vertex largest = 0;
  for (Local v = 0; v < graph.owned(); ++v) largest = std::max(largest, graph.id_of(v));
  const Vertex ids = graph.world().max(largest) + 1;
  // Counters for every label are used if they take no more memory than the lists, which excludes ids with wide gaps.
  const Edge entries = graph.out().size() + (graph.directed() ? graph.in().size() : 0);
  const bool narrow = ids <= std::numeric_limits<Local>::max();
  if (graph.cut().cut() != Cut::edge) {
    if (narrow)
      rounds_ = std::make_unique<VertexCutRounds<Local>>(graph);
    else
      rounds_ = std::make_unique<VertexCutRounds<Vertex>>(graph);
  } else if (narrow && graph.world().all(ids * graph.world().team().size() <= entries)) {
    rounds_ = std::make_unique<EdgeCutRounds<Local, LabelCounters>>(graph, ids);
  } else if (narrow) {
    rounds_ = std::make_unique<EdgeCutRounds<Local, LabelTable<Local>>>(graph, ids);
  } else {
    rounds_ = std::make_unique<EdgeCutRounds<Vertex, LabelTable<Vertex>>>(graph, ids);
  }
}

LabelPropagation::~LabelPropagation() = default;

void LabelPropagation::run(const LabelPropagationOptions& options, LabelPropagationResult& result) {
  rounds_->run(options, result);
}

std::size_t LabelPropagation::memory_bytes() const { return rounds_->memory_bytes(); }

}  // namespace atl
