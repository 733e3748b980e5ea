// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/pagerank/sell.hpp>
#include <atoll/base/random.hpp>
#include <span>

namespace atl {
namespace {

// Whether in a sample of edges between tail vertices most sources are near their targets, as on web graphs ordered by
// site, but not on Kronecker graphs.
bool tail_is_near(const Graph& graph) {
  constexpr Local kNear = 1 << 14;  // floats: 64 KiB
  constexpr std::size_t kSamples = 4096;
  const Local hubs = graph.hubs(), tail = graph.active() - hubs;
  Edge all = 0, near = 0;
  for (std::size_t i = 0; tail > 0 && i < kSamples; ++i) {
    const Local v = hubs + static_cast<Local>(random_at(1, i) % static_cast<std::uint64_t>(tail));
    const std::span<const Local> list = graph.in().neighbours(v);
    const auto begin = std::lower_bound(list.begin(), list.end(), hubs);
    all += list.end() - begin;
    near += std::upper_bound(begin, list.end(), v + kNear) - std::lower_bound(begin, list.end(), v - kNear);
  }
  return 2 * near > all;
}

}  // namespace

// Milliseconds of 20 iterations on two threads, in this variant and in the one used otherwise: Kronecker 16: 10 and 17,
// but Kronecker 18: 43 and 30, and 20: 232 and 173; web-Stanford (282 k vertices): 8 and 25; without hubs, uniform 18:
// 63 and 98, uniform 20: 325 and 353, grid 1024x1024: 23 and 55.
template <class Real>
bool SellPageRank<Real>::suits(const Graph& graph) {
  constexpr std::size_t kCached = std::size_t{1} << 19, kWide = std::size_t{1} << 22;  // bytes
  if (graph.world().size() > 1) return false;
  const std::size_t bytes = static_cast<std::size_t>(graph.active()) * sizeof(Real);
  return bytes <= kCached || (graph.hubs() == 0 && bytes <= kWide) || tail_is_near(graph);
}

template <class Real>
SellPageRank<Real>::SellPageRank(const Graph& graph) : PageRankVariant<Real>(graph), rows_(this->team_, graph) {
  const std::size_t rows = rows_.local_of.size();
  this->number(std::move(rows_.local_of), rows);
}

template <class Real>
void SellPageRank<Real>::sweep(const Step& step) {
  this->team_.for_range(rows_.chunks().size(), 1, [&](int thread, std::size_t c, std::size_t) {
    const LengthSortedRows::Chunk& chunk = rows_.chunks()[c];
    rows_.sum_rows(chunk, this->sent_.data(), this->next_.data());
    this->finish(step, thread, chunk.begin, chunk.end, this->next_.data() + chunk.begin);
  });
}

template class SellPageRank<float>;
template class SellPageRank<double>;

}  // namespace atl
