// SPDX-License-Identifier: Apache-2.0
// Label propagation [1] in synchronous rounds: labels that have changed are told to the mirrors, then each vertex whose
// neighbours have changed counts theirs.
//
// [1] see the header.
#include <algorithm>
#include <atoll/algorithms/label_propagation.hpp>
#include <atoll/engine/mirror_exchange.hpp>

namespace atl {

class LabelPropagation::Rounds {
 public:
  explicit Rounds(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        exchange_(graph),
        locals_(static_cast<std::size_t>(graph.locals())),
        label_(locals_),
        next_(static_cast<std::size_t>(graph.owned())),
        changed_(graph.locals()),
        threads_(static_cast<std::size_t>(team_.size())) {}

  void run(const LabelPropagationOptions& options, LabelPropagationResult& result) {
    check(options.iterations >= 0, "cdlp: iterations is {} (at least 0). Change it.", options.iterations);
    for (std::size_t v = 0; v < next_.size(); ++v) label_[v] = graph_.id_of(static_cast<Local>(v));
    changed_.set_all();
    result.iterations = 0;
    result.changed = graph_.vertices();
    while (result.iterations < options.iterations && result.changed > 0) {
      exchange_.broadcast({label_.data(), locals_}, changed_);
      result.changed = world_.sum(round());
      ++result.iterations;
    }
    if (result.label.size() != next_.size()) result.label = Array<Vertex>(next_.size());
    for (std::size_t v = 0; v < next_.size(); ++v)
      result.label[v] = label_[static_cast<std::size_t>(graph_.local_of(static_cast<Vertex>(v)))];
  }

  std::size_t memory_bytes() const { return (locals_ + next_.size()) * sizeof(Vertex) + exchange_.memory_bytes(); }

 private:
  static constexpr std::size_t kGrain = 512;
  struct alignas(128) Thread {
    std::vector<Vertex> seen;
    Vertex changed = 0;
  };

  Vertex round() {
    for (Thread& t : threads_) t.changed = 0;
    const auto active = static_cast<std::size_t>(graph_.active());
    team_.for_range(active, kGrain, [&](int thread, std::size_t a, std::size_t b) {
      Thread& t = threads_[static_cast<std::size_t>(thread)];
      for (std::size_t v = a; v < b; ++v) {
        next_[v] = most_frequent(static_cast<Local>(v), t.seen);
        t.changed += next_[v] != label_[v];
      }
    });
    changed_.clear();
    team_.for_range(active, kGrain * 64, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        if (next_[v] == label_[v]) continue;
        label_[v] = next_[v];
        changed_.set(static_cast<Local>(v));
      }
    });
    Vertex sum = 0;
    for (const Thread& t : threads_) sum += t.changed;
    return sum;
  }

  Vertex most_frequent(Local v, std::vector<Vertex>& seen) const {
    seen.clear();
    for (const Local u : graph_.out().neighbours(v)) seen.push_back(label_[static_cast<std::size_t>(u)]);
    if (graph_.directed())
      for (const Local u : graph_.in().neighbours(v)) seen.push_back(label_[static_cast<std::size_t>(u)]);
    if (seen.empty()) return label_[static_cast<std::size_t>(v)];
    std::sort(seen.begin(), seen.end());
    Vertex best = seen[0];
    std::size_t most = 0;
    for (std::size_t i = 0; i < seen.size();) {
      std::size_t end = i + 1;
      while (end < seen.size() && seen[end] == seen[i]) ++end;
      if (end - i > most) {
        most = end - i;
        best = seen[i];
      }
      i = end;
    }
    return best;
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  MirrorExchange<Vertex, MinOf> exchange_;
  const std::size_t locals_;
  Array<Vertex> label_;  // [local]
  Array<Vertex> next_;   // [local master]
  VertexBits changed_;
  std::vector<Thread> threads_;
};

LabelPropagation::LabelPropagation(const Graph& graph) : rounds_(std::make_unique<Rounds>(graph)) {}

LabelPropagation::~LabelPropagation() = default;

void LabelPropagation::run(const LabelPropagationOptions& options, LabelPropagationResult& result) {
  rounds_->run(options, result);
}

std::size_t LabelPropagation::memory_bytes() const { return rounds_->memory_bytes(); }

}  // namespace atl
