// SPDX-License-Identifier: Apache-2.0
// Betweenness by Brandes' accumulation [1]. The variants:
//
//   ranks               sources           variant
//   one                 any               kernel.cpp: one source after the other; on deep graphs one source per thread
//   several             one               batch.cpp with one lane
//   several             more              batch.cpp: four sources at a time, in a quarter of the rounds
//   any, by weight      any               weighted.cpp: one source after the other
//   several, if a number of paths overflows a double: weighted.cpp after batch.cpp, with weights of 1
//
// [1] U. Brandes. "A faster algorithm for betweenness centrality." J. Mathematical Sociology 25(2), 2001.
#include <atoll/algorithms/betweenness/batch.hpp>
#include <atoll/algorithms/betweenness/kernel.hpp>
#include <atoll/algorithms/betweenness/weighted.hpp>
#include <limits>

namespace atl {
namespace {

// By edges, over several ranks.
class DistributedBetweenness final : public BetweennessVariant {
 public:
  explicit DistributedBetweenness(const Graph& graph)
      : graph_(graph),
        may_batch_(graph.world().max(GraphView::of(graph, CutRows::sources).locals) <=
                   std::numeric_limits<Local>::max() / kBatch) {}

  void run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress) override {
    const std::vector<Vertex> overflowed = sources.size() > 1 && may_batch_
                                               ? run_with(several_, sources, result, progress)
                                               : run_with(one_, sources, result, progress);
    if (overflowed.empty()) return;
    if (!any_count_) any_count_ = std::make_unique<BetweennessWeighted>(graph_, PathLength::edges);
    const auto all = static_cast<std::int64_t>(sources.size());
    BetweennessResult more;
    any_count_->run(overflowed, more,
                    [&](std::int64_t done, std::int64_t of) { report_progress(progress, all - of + done, all); });
    for (std::size_t v = 0; v < more.score.size(); ++v) result.score[v] += more.score[v];
  }

  std::size_t memory_bytes() const override {
    return (one_ ? one_->memory_bytes() : 0) + (several_ ? several_->memory_bytes() : 0) +
           (any_count_ ? any_count_->memory_bytes() : 0);
  }

 private:
  // Measured on two ranks, four sources: one lane and four cost the processor about the same on Kronecker 18; four need
  // a quarter of the rounds.
  static constexpr int kBatch = 4;

  template <class Batch>
  std::vector<Vertex> run_with(std::unique_ptr<Batch>& batch, std::span<const Vertex> sources,
                               BetweennessResult& result, const Progress& progress) {
    if (!batch) batch = std::make_unique<Batch>(graph_);
    return batch->run(sources, result, progress);
  }

  const Graph& graph_;
  const bool may_batch_;  // locals * lanes fit a Local on all ranks
  std::unique_ptr<BetweennessBatch<1>> one_;
  std::unique_ptr<BetweennessBatch<kBatch>> several_;
  std::unique_ptr<BetweennessWeighted> any_count_;  // after the first overflow
};

}  // namespace

Betweenness::Betweenness(const Graph& graph, PathLength length) {
  if (length == PathLength::weights) {
    variant_ = std::make_unique<BetweennessWeighted>(graph);
  } else if (graph.world().size() == 1) {
    variant_ = std::make_unique<BetweennessKernel>(graph);
  } else {
    variant_ = std::make_unique<DistributedBetweenness>(graph);
  }
}

Betweenness::~Betweenness() = default;

void Betweenness::run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress) {
  variant_->run(sources, result, progress);
}

std::size_t Betweenness::memory_bytes() const { return variant_->memory_bytes(); }

}  // namespace atl
