// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/pagerank/degree_split_csr.hpp>
#include <atoll/algorithms/pagerank/form.hpp>
#include <atoll/base/isa.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <optional>

/// PageRank of graphs with hubs, where ranks send to each other directly.
namespace atl {

/// sums[r] = sum of x over the next counts[r] ids, for `rows` rows.
template <class Real>
using SumRows = void (*)(const Real* x, const DegreeSplitCsr::HubId* ids, const std::uint32_t* counts, std::size_t rows,
                         Real* sums);
template <class Real>
SumRows<Real> pagerank_sum_rows(Isa isa);

template <class Real>
class PageRankHubs final : public PageRankForm<Real> {
 public:
  /// Collective, as the rest.
  static bool suits(const Graph& graph);
  explicit PageRankHubs(const Graph& graph);
  std::size_t memory_bytes() const override;

 private:
  using Form = PageRankForm<Real>;
  using Step = typename Form::Step;

  // What several ranks need beside; by local number.
  struct Distributed {
    explicit Distributed(const Graph& graph);
    MirrorExchange<Real, SumOf> exchange;
    Array<Real> sums;  // what the tails of all ranks have sent a hub
    Array<Real> told;  // x / outdegree
    VertexBits changed;
  };

  void tell() override;
  void sweep(const Step& step) override;
  void tail_rows(const Step& step, const DegreeSplitCsr::Chunk& chunk, int thread);
  void hub_rows(const Step& step, const DegreeSplitCsr::Chunk& chunk, int thread);
  void gather_pushed();

  DegreeSplitCsr rows_;  // whose local_of has become the form's
  const SumRows<Real> sum_rows_;
  std::vector<Array<Real>> pushed_;  // [thread][hub] what this thread's tail rows have sent it
  std::optional<Distributed> together_;
};

}  // namespace atl
