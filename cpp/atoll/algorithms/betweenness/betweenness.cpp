// SPDX-License-Identifier: Apache-2.0
// Betweenness by Brandes' accumulation [1]. The forms:
//
//   ranks               sources           form
//   one                 any               kernel.cpp: one source after the other; on deep graphs one source per thread
//   several             one               batch.cpp with one lane
//   several             more              batch.cpp: four sources at a time, in a quarter of the rounds
//   any, by weight      any               weighted.cpp: one source after the other
//   several, if a number of paths overflows a double: scaled.cpp after batch_paths.cpp
//
// [1] U. Brandes. "A faster algorithm for betweenness centrality." J. Mathematical Sociology 25(2), 2001.
#include <atoll/algorithms/betweenness/batch.hpp>
#include <atoll/algorithms/betweenness/betweenness.hpp>
#include <atoll/algorithms/betweenness/kernel.hpp>
#include <atoll/algorithms/betweenness/weighted.hpp>
#include <limits>

namespace atl {

class Betweenness::Sum {
 public:
  virtual ~Sum() = default;
  virtual void run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

class Betweenness::OneRank final : public Sum {
 public:
  explicit OneRank(const Graph& graph) : kernel_(graph) {}
  void run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress) override {
    kernel_.run(sources, result, progress);
  }
  std::size_t memory_bytes() const override { return kernel_.memory_bytes(); }

 private:
  BetweennessKernel kernel_;
};

class Betweenness::Weighted final : public Sum {
 public:
  explicit Weighted(const Graph& graph) : weighted_(graph) {}
  void run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress) override {
    weighted_.run(sources, result, progress);
  }
  std::size_t memory_bytes() const override { return weighted_.memory_bytes(); }

 private:
  BetweennessWeighted weighted_;
};

class Betweenness::Distributed final : public Sum {
 public:
  explicit Distributed(const Graph& graph)
      : graph_(graph),
        may_batch_(graph.world().max(GraphView::of(graph, CutRows::sources).locals) <=
                   std::numeric_limits<Local>::max() / kBatch) {}

  void run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress) override {
    if (sources.size() > 1 && may_batch_) {
      run_with(several_, sources, result, progress);
    } else {
      run_with(one_, sources, result, progress);
    }
  }
  std::size_t memory_bytes() const override {
    return (one_ ? one_->memory_bytes() : 0) + (several_ ? several_->memory_bytes() : 0);
  }

 private:
  // Measured on two ranks, four sources: one lane and four cost the processor about the same on Kronecker 18; four need
  // a quarter of the rounds.
  static constexpr int kBatch = 4;

  template <class Batch>
  void run_with(std::unique_ptr<Batch>& batch, std::span<const Vertex> sources, BetweennessResult& result,
                const Progress& progress) {
    if (!batch) batch = std::make_unique<Batch>(graph_);
    batch->run(sources, result, progress);
  }

  const Graph& graph_;
  const bool may_batch_;  // locals * lanes fit a Local on all ranks
  std::unique_ptr<BetweennessBatch<1>> one_;
  std::unique_ptr<BetweennessBatch<kBatch>> several_;
};

Betweenness::Betweenness(const Graph& graph, PathLength length) {
  if (length == PathLength::weights) {
    sum_ = std::make_unique<Weighted>(graph);
  } else if (graph.world().size() == 1) {
    sum_ = std::make_unique<OneRank>(graph);
  } else {
    sum_ = std::make_unique<Distributed>(graph);
  }
}

Betweenness::~Betweenness() = default;

void Betweenness::run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress) {
  sum_->run(sources, result, progress);
}

std::size_t Betweenness::memory_bytes() const { return sum_->memory_bytes(); }

}  // namespace atl
