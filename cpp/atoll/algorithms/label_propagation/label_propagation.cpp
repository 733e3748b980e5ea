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
#include <atoll/engine/mirror_exchange.hpp>

namespace atl {

class LabelPropagation::Rounds {
 public:
  virtual ~Rounds() = default;
  virtual void run(const LabelPropagationOptions& options, LabelPropagationResult& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

template <class Id, class Counts>
class LabelPropagation::RoundsOf final : public Rounds {
 public:
  /// Ids are below `ids`.
  RoundsOf(const Graph& graph, Vertex ids)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        exchange_(graph),
        locals_(static_cast<std::size_t>(graph.locals())),
        label_(locals_),
        next_(static_cast<std::size_t>(graph.owned())),
        changed_(graph.locals()),
        threads_(static_cast<std::size_t>(team_.size()), Thread{Counts(static_cast<std::size_t>(ids))}) {}

  void run(const LabelPropagationOptions& options, LabelPropagationResult& result) override {
    check(options.iterations >= 0, "cdlp: iterations is {} (at least 0). Change it.", options.iterations);
    // Mirrors know their ids, so the first round needs no broadcast.
    for (std::size_t v = 0; v < locals_; ++v) label_[v] = static_cast<Id>(graph_.id_of(static_cast<Local>(v)));
    changed_.clear();
    result.iterations = 0;
    result.changed = graph_.vertices();
    while (result.iterations < options.iterations && result.changed > 0) {
      // Assumes that changed vertices have as many mirrors as others.
      const double share = static_cast<double>(result.changed) / static_cast<double>(graph_.vertices());
      if (result.iterations > 0) exchange_.broadcast({label_.data(), locals_}, changed_, share * exchange_.mirrors());
      result.changed =
          world_.sum(result.iterations > 0 ? round([&](Local v, Counts& counts) { return counted(v, counts); })
                                           : round([&](Local v, Counts&) { return first(v); }));
      ++result.iterations;
      report_progress(options.progress, result.iterations, options.iterations);
    }
    if (result.label.size() != next_.size()) result.label = Array<Vertex>(next_.size());
    team_.for_range(next_.size(), kGrain * 64, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) result.label[v] = label(graph_.local_of(static_cast<Vertex>(v)));
    });
  }

  std::size_t memory_bytes() const override { return (locals_ + next_.size()) * sizeof(Id) + exchange_.memory_bytes(); }

 private:
  static constexpr std::size_t kGrain = 512, kHubGrain = 16;
  struct alignas(128) Thread {
    Counts counts;
    Vertex changed = 0;
  };

  Id label(Local v) const { return label_[static_cast<std::size_t>(v)]; }
  std::span<const Local> out(Local v) const { return graph_.out().neighbours(v); }
  std::span<const Local> in(Local v) const {
    return graph_.directed() ? graph_.in().neighbours(v) : std::span<const Local>();
  }

  /// Sets next_[v] = label_of(v, the thread's counts) for all masters, then copies next_ to label_. Returns the number
  /// of changed labels on this rank.
  template <class F>
  Vertex round(F&& label_of) {
    for (Thread& t : threads_) t.changed = 0;
    const auto active = static_cast<std::size_t>(graph_.active());
    const auto hubs = std::min(active, static_cast<std::size_t>(graph_.hubs()));
    const auto decide = [&](int thread, std::size_t a, std::size_t b) {
      Thread& t = threads_[static_cast<std::size_t>(thread)];
      for (std::size_t v = a; v < b; ++v) {
        next_[v] = label_of(static_cast<Local>(v), t.counts);
        t.changed += next_[v] != label_[v];
      }
    };
    team_.for_range(hubs, kHubGrain, decide);
    team_.for_range(active - hubs, kGrain,
                    [&](int thread, std::size_t a, std::size_t b) { decide(thread, hubs + a, hubs + b); });
    changed_.clear();
    team_.for_range(active, kGrain * 64, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        if (next_[v] == label_[v]) continue;
        label_[v] = next_[v];
        changed_.set_unsynchronized(static_cast<Local>(v));  // a chunk has whole words
      }
    });
    Vertex sum = 0;
    for (const Thread& t : threads_) sum += t.changed;
    return sum;
  }

  Id first(Local v) const {
    return out(v).empty() && in(v).empty() ? label(v) : most_repeated(out(v), in(v), label_.data());
  }

  Id counted(Local v, Counts& counts) const {
    const auto changed = [&](Local u) { return changed_.test(u); };
    if (std::ranges::none_of(out(v), changed) && std::ranges::none_of(in(v), changed)) return label(v);
    counts.open(out(v).size() + in(v).size());
    counts.add(out(v), label_.data());
    counts.add(in(v), label_.data());
    return counts.most_frequent();
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  MirrorExchange<Id, MinOf> exchange_;
  const std::size_t locals_;
  Array<Id> label_;  // [local]
  Array<Id> next_;   // [local master]
  VertexBits changed_;
  std::vector<Thread> threads_;
};

LabelPropagation::LabelPropagation(const Graph& graph) {
  Vertex largest = 0;
  for (Local v = 0; v < graph.owned(); ++v) largest = std::max(largest, graph.id_of(v));
  const Vertex ids = graph.world().max(largest) + 1;
  // Counters for every label are used if they take no more memory than the lists, which excludes ids with wide gaps.
  const Edge entries = graph.out().size() + (graph.directed() ? graph.in().size() : 0);
  const bool narrow = ids <= std::numeric_limits<Local>::max();
  if (narrow && graph.world().all(ids * graph.world().team().size() <= entries))
    rounds_ = std::make_unique<RoundsOf<Local, LabelCounters>>(graph, ids);
  else if (narrow)
    rounds_ = std::make_unique<RoundsOf<Local, LabelTable<Local>>>(graph, ids);
  else
    rounds_ = std::make_unique<RoundsOf<Vertex, LabelTable<Vertex>>>(graph, ids);
}

LabelPropagation::~LabelPropagation() = default;

void LabelPropagation::run(const LabelPropagationOptions& options, LabelPropagationResult& result) {
  rounds_->run(options, result);
}

std::size_t LabelPropagation::memory_bytes() const { return rounds_->memory_bytes(); }

}  // namespace atl
