// SPDX-License-Identifier: Apache-2.0
// PageRank [1] without special layouts, over any ranks. On a direct route each iteration broadcasts the masters' values
// to their mirrors, and every master sums over its entering edges (pull). On a route of several hops every master adds
// its value to its targets, mirrors included, and the mirrors' sums are reduced to their masters, combined on the way
// (push, reduce). Small graphs, graphs with hubs, and vertex-cuts or weights have variants of their own (sell.hpp on one
// rank, degree_split.hpp, any_cut.hpp). Deviation: sums over ranks are rounded in another order.
//
// [1] S. Brin, L. Page. "The anatomy of a large-scale hypertextual Web search engine." WWW 1998.
#include <atoll/algorithms/pagerank/any_cut.hpp>
#include <atoll/algorithms/pagerank/degree_split.hpp>
#include <atoll/algorithms/pagerank/sell.hpp>
#include <atoll/algorithms/pagerank/target_blocks.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <optional>

namespace atl {
namespace {

// Positions are local numbers.
template <class Real>
class PageRankPlain final : public PageRankVariant<Real> {
 public:
  explicit PageRankPlain(const Graph& graph)
      : PageRankVariant<Real>(graph), exchange_(graph), changed_(graph.locals()) {
    this->number_by_local(graph.locals());
    if (this->world_.route().is_direct())
      blocks_.emplace(this->team_, graph.in(), index(graph.active()), index(graph.locals()));
  }

  std::size_t memory_bytes() const override {
    return PageRankVariant<Real>::memory_bytes() + (blocks_ ? blocks_->memory_bytes() : 0) + exchange_.memory_bytes();
  }

 private:
  using Variant = PageRankVariant<Real>;
  using Step = typename Variant::Step;

  void update_mirrors() override {
    if (blocks_) exchange_.broadcast_all({this->sent_.data(), this->sent_.size()});
  }

  void sweep(const Step& step) override {
    if (blocks_) {
      pull(step);
    } else {
      push(step);
    }
  }

  void pull(const Step& step) {
    Array<Real>& next = this->next_;
    this->team_.for_range(blocks_->blocks().size(), 1, [&](int thread, std::size_t i, std::size_t) {
      const TargetBlocks::Block& block = blocks_->blocks()[i];
      std::fill(next.begin() + block.begin, next.begin() + block.end, Real(0));
      blocks_->add(block, this->sent_.data(), next.data() + block.begin);
      this->finish(step, thread, block.begin, block.end, next.data() + block.begin);
    });
  }

  void push(const Step& step) {
    Array<Real>& next = this->next_;
    const Array<Real>& sent = this->sent_;
    const std::size_t active = this->local_of_.size();
    std::fill(next.begin(), next.end(), Real(0));
    const bool alone = this->team_.size() == 1;
    this->team_.for_range(active, Variant::kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v)
        for (const Local u : this->graph_.out().neighbours(static_cast<Local>(v))) {
          if (alone) {
            next[u] += sent[v];
          } else {
            combine_atomically(next[u], sent[v], SumOf{});
          }
        }
    });
    changed_.set_all();
    exchange_.reduce({next.data(), next.size()}, changed_);
    this->team_.for_range(active, Variant::kGrain, [&](int thread, std::size_t a, std::size_t b) {
      this->finish(step, thread, a, b, next.data() + a);
    });
  }

  MirrorExchange<Real, SumOf> exchange_;
  std::optional<TargetBlocks> blocks_;  // if it pulls
  VertexBits changed_;
};

// Whether the values that a pull gathers stay in a core's cache on every rank. Then rows are summed as they stand: a sum
// in a register is quicker than one in memory for each edge. Twenty iterations over two ranks, in blocks and so, ms:
// rgg_n_2_15_s0 3.4, 1.7, uniform:15 12.3, 6.9, but uniform:17 53, 57.
template <class Real>
bool reads_cached_values(const Graph& graph) {
  constexpr std::size_t kCached = std::size_t{1} << 19;  // bytes
  World& world = graph.world();
  return world.route().is_direct() && world.all(index(graph.locals()) * sizeof(Real) <= kCached);
}

}  // namespace

template <class Real>
PageRank<Real>::PageRank(const Graph& graph, Transition transition) {
  if (graph.cut().cut() != Cut::edge || transition == Transition::by_weight) {
    variant_ = std::make_unique<AnyCutPageRank<Real>>(graph, transition);
  } else if (SellPageRank<Real>::suits(graph)) {
    variant_ = std::make_unique<SellPageRank<Real>>(graph);
  } else if (DegreeSplitPageRank<Real>::suits(graph)) {
    variant_ = std::make_unique<DegreeSplitPageRank<Real>>(graph);
  } else if (reads_cached_values<Real>(graph)) {
    variant_ = std::make_unique<AnyCutPageRank<Real>>(graph, transition);
  } else {
    variant_ = std::make_unique<PageRankPlain<Real>>(graph);
  }
}

template <class Real>
PageRank<Real>::~PageRank() = default;

template <class Real>
void PageRank<Real>::run(const PageRankOptions& options, PageRankResult<Real>& result) {
  variant_->run(options, result);
}

template <class Real>
std::size_t PageRank<Real>::memory_bytes() const {
  return variant_->memory_bytes();
}

template class PageRank<float>;
template class PageRank<double>;

}  // namespace atl
