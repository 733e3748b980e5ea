// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/pagerank/degree_split_csr.hpp>
#include <atoll/algorithms/pagerank/variant.hpp>
#include <atoll/base/isa/isa.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <optional>

/// PageRank of graphs with hubs, on a direct route.
namespace atl {

/// sums[r] = sum of x over the next counts[r] ids, for `rows` rows.
template <class Real>
using SumRows = void (*)(const Real* x, const DegreeSplitCsr::HubId* ids, const std::uint32_t* counts, std::size_t rows,
                         Real* sums);
template <class Real>
SumRows<Real> pagerank_sum_rows(Isa isa);

template <class Real>
class DegreeSplitPageRank final : public PageRankVariant<Real> {
 public:
  /// Collective, as are the other members but memory_bytes().
  static bool suits(const Graph& graph);
  explicit DegreeSplitPageRank(const Graph& graph);
  std::size_t memory_bytes() const override;

 private:
  using Variant = PageRankVariant<Real>;
  using Step = typename Variant::Step;

  // Additional state over several ranks; arrays are by local number.
  struct Distributed {
    explicit Distributed(const Graph& graph);
    MirrorExchange<Real, SumOf> exchange;
    Array<Real> sums;    // sums pushed to a hub from the tails of all ranks
    Array<Real> values;  // x / outdegree
    VertexBits changed;
  };

  void update_mirrors() override;
  void sweep(const Step& step) override;
  void tail_rows(const Step& step, const DegreeSplitCsr::Chunk& chunk, int thread);
  void hub_rows(const Step& step, const DegreeSplitCsr::Chunk& chunk, int thread);
  void reduce_pushed();

  DegreeSplitCsr rows_;  // its local_of was moved to the base class
  const SumRows<Real> sum_rows_;
  std::vector<Array<Real>> pushed_;  // [thread][hub] sum that this thread's tail rows have pushed
  std::optional<Distributed> distributed_;
};

}  // namespace atl
