// SPDX-License-Identifier: Apache-2.0
// PageRank by power iteration; each iteration reads the adjacency lists once.
//
//   in the equation     here
//   sum over u -> v     tail rows: pulled from hubs and tail; hub rows: pulled from hubs, pushed by tail rows
//
// In an undirected graph a tail row has the same hubs as sources and as targets: its list of 16-bit hub ids is read
// once to pull from them and to push to them, into sums private to the thread, which stay in its cache. No thread
// writes what another reads: sent_ is read, next_ written. Over ranks, an edge between a tail vertex and a remote hub
// is stored at the tail vertex only: what is pushed to the mirror of the hub is reduced to the hub.
#include <algorithm>
#include <atoll/algorithms/pagerank/degree_split.hpp>
#include <atoll/base/isa/kernel_variants.hpp>
#include <atoll/runtime/routes/route.hpp>

namespace atl {
namespace {

// Prefetch distance in entries of a tail list.
constexpr std::size_t kAhead = 48;
static_assert(kAhead <= DegreeSplitCsr::kSlack);

template <class Real>
void sum_rows(const Real* x, const DegreeSplitCsr::HubId* ids, const std::uint32_t* counts, std::size_t rows,
              Real* sums) {
  for (std::size_t r = 0; r < rows; ++r) {
    const DegreeSplitCsr::HubId* const end = ids + counts[r];
    Real sum[4] = {};
    for (; end - ids >= 4; ids += 4)
      for (int k = 0; k < 4; ++k) sum[k] += x[ids[k]];
    for (; ids != end; ++ids) sum[0] += x[*ids];
    sums[r] = (sum[0] + sum[1]) + (sum[2] + sum[3]);
  }
}

}  // namespace

#if defined(__x86_64__)
SumRows<float> pagerank_sum_rows_avx512();  // hubs_avx512.cpp
#endif

static SumRows<float> pagerank_sum_rows_portable() { return sum_rows<float>; }

template <class Real>
SumRows<Real> pagerank_sum_rows(Isa isa) {
  // In double a gather of 8 values takes as long as 8 loads, so there is no gain; AVX2's in float take 1.3 times as long
  // (measured on an EPYC without AVX-512).
  if constexpr (std::is_same_v<Real, float>)
    return ATOLL_KERNEL_VARIANTS_512(&pagerank_sum_rows_portable, pagerank_sum_rows).at(isa)();
  return sum_rows<Real>;
}

template <class Real>
bool DegreeSplitPageRank<Real>::suits(const Graph& graph) {
  constexpr Edge kHubShare = 4;  // at least 1 / this of the edges leave hubs: else there is little to gain from them
  World& world = graph.world();
  const Edge from_hubs = graph.out().offsets.empty() ? 0 : graph.out().offsets[index(graph.hubs())];
  return world.route().is_direct() && kHubShare * world.sum(from_hubs) > world.sum(graph.out().size());
}

template <class Real>
DegreeSplitPageRank<Real>::Distributed::Distributed(const Graph& graph)
    : exchange(graph),
      sums(static_cast<std::size_t>(graph.locals()), 0),
      values(static_cast<std::size_t>(graph.locals()), 0),
      changed(graph.locals()) {}

template <class Real>
DegreeSplitPageRank<Real>::DegreeSplitPageRank(const Graph& graph)
    : Variant(graph), rows_(this->team_, graph), sum_rows_(pagerank_sum_rows<Real>(chosen_isa())) {
  this->number(std::move(rows_.local_of), rows_.positions);
  for (int t = 0; t < this->team_.size(); ++t) pushed_.emplace_back(rows_.hubs);
  if (this->world_.size() > 1) distributed_.emplace(graph);
}

template <class Real>
void DegreeSplitPageRank<Real>::tail_rows(const Step& step, const DegreeSplitCsr::Chunk& chunk, int thread) {
  const Real* const x = this->sent_.data();
  Real* const pushed = pushed_[thread].data();
  const Local* tail = rows_.tail_from_tail.ids.data() + chunk.tail_from;
  const DegreeSplitCsr::HubId* hub = rows_.tail_from_hub.ids.data() + chunk.hub_from;
  const bool directed = this->graph_.directed();
  const DegreeSplitCsr::HubId* to = directed ? rows_.tail_to_hub.ids.data() + chunk.hub_to : nullptr;
  double change = 0;
  for (std::size_t v = chunk.begin; v < chunk.end; ++v) {
    const std::size_t row = v - rows_.hubs;
    const Real own = x[v];
    Real even = 0, odd = 0;
    for (const Local* const end = tail + rows_.tail_from_tail.count[row]; tail != end; ++tail) {
      __builtin_prefetch(x + tail[kAhead]);
      even += x[*tail];
    }
    const DegreeSplitCsr::HubId* const end = hub + rows_.tail_from_hub.count[row];
    if (directed) {
      for (; hub != end; ++hub) even += x[*hub];
      for (const DegreeSplitCsr::HubId* const last = to + rows_.tail_to_hub.count[row]; to != last; ++to)
        pushed[*to] += own;
    } else {
      if ((end - hub) % 2) {
        even += x[*hub];
        pushed[*hub++] += own;
      }
      for (; hub != end; hub += 2) {
        even += x[hub[0]];
        pushed[hub[0]] += own;
        odd += x[hub[1]];
        pushed[hub[1]] += own;
      }
    }
    change += this->finish(step, v, even + odd);
  }
  this->add_change(thread, change);
}

template <class Real>
void DegreeSplitPageRank<Real>::hub_rows(const Step& step, const DegreeSplitCsr::Chunk& chunk, int thread) {
  Real* const sums = this->next_.data() + chunk.begin;
  sum_rows_(this->sent_.data(), rows_.hub_from_hub.ids.data() + chunk.hub_from,
            rows_.hub_from_hub.count.data() + chunk.begin, chunk.end - chunk.begin, sums);
  for (std::size_t v = chunk.begin; v < chunk.end; ++v) {
    for (const Array<Real>& pushed : pushed_) sums[v - chunk.begin] += pushed[v];
    if (distributed_) sums[v - chunk.begin] += distributed_->sums[v];  // an own hub's position is its local number
  }
  this->finish(step, thread, chunk.begin, chunk.end, sums);
}

// Reduces what this rank's tail has pushed to mirrors of hubs to their masters.
template <class Real>
void DegreeSplitPageRank<Real>::reduce_pushed() {
  auto& [exchange, sums, values, changed] = *distributed_;
  std::fill(sums.begin(), sums.begin() + rows_.own_hubs, Real(0));
  changed.clear();
  for (const DegreeSplitCsr::Group& g : rows_.groups)
    for (std::size_t k = 0; k < g.hubs; ++k) {
      Real sum = 0;
      for (const Array<Real>& pushed : pushed_) sum += pushed[g.hubs_at + k];
      const Local mirror = g.local + static_cast<Local>(k);
      sums[mirror] = sum;
      if (sum != 0) changed.set_unsynchronized(mirror);
    }
  exchange.reduce({sums.data(), sums.size()}, changed);
}

template <class Real>
void DegreeSplitPageRank<Real>::update_mirrors() {
  if (!distributed_) return;
  Array<Real>& x = this->sent_;
  auto& values = distributed_->values;
  this->team_.for_range(rows_.rows, Variant::kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v)
      if (const Local local = this->local_of_[v]; local >= 0) values[local] = x[v];
  });
  distributed_->exchange.broadcast_all({values.data(), values.size()});
  for (const DegreeSplitCsr::Group& g : rows_.groups) {
    const Real* const from = values.data() + g.local;
    std::copy(from, from + g.hubs, x.begin() + g.hubs_at);
    std::copy(from + g.hubs, from + g.hubs + g.tail, x.begin() + g.tail_at);
  }
}

template <class Real>
void DegreeSplitPageRank<Real>::sweep(const Step& step) {
  Team& team = this->team_;
  team.for_range(pushed_.size(), 1,
                 [&](int, std::size_t t, std::size_t) { std::fill(pushed_[t].begin(), pushed_[t].end(), Real(0)); });
  team.for_range(rows_.tail_chunks.size(), 1,
                 [&](int thread, std::size_t c, std::size_t) { tail_rows(step, rows_.tail_chunks[c], thread); });
  if (distributed_) reduce_pushed();
  team.for_range(rows_.hub_chunks.size(), 1,
                 [&](int thread, std::size_t c, std::size_t) { hub_rows(step, rows_.hub_chunks[c], thread); });
}

template <class Real>
std::size_t DegreeSplitPageRank<Real>::memory_bytes() const {
  std::size_t bytes = Variant::memory_bytes() + rows_.memory_bytes() + pushed_.size() * rows_.hubs * sizeof(Real);
  if (distributed_)
    bytes += distributed_->exchange.memory_bytes() +
             (distributed_->sums.size() + distributed_->values.size()) * sizeof(Real);
  return bytes;
}

template SumRows<float> pagerank_sum_rows(Isa);
template SumRows<double> pagerank_sum_rows(Isa);
template class DegreeSplitPageRank<float>;
template class DegreeSplitPageRank<double>;

}  // namespace atl
