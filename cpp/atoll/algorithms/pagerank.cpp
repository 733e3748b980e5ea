// SPDX-License-Identifier: Apache-2.0
// PageRank [1] over ranks: each iteration tells the mirrors what their masters have, and every master adds up its
// entering edges (pull). Where records travel over several hops it is the other way round: every master adds its part to
// its targets, mirrors included, and the mirrors' sums go to their masters, added up on the way (push, reduce).
//
//   in the paper            here               meaning
//   R                       rank_              x, by local number of the masters
//   R(u) / N_u              share_             what each leaving edge of u carries; by local number, mirrors included
//   c                       damping
//   E                       personalisation
//
// Deviations: sums over ranks are rounded in another order than on one.
//
// [1] S. Brin, L. Page. "The anatomy of a large-scale hypertextual Web search engine." WWW 1998.
#include <atoll/algorithms/pagerank.hpp>
#include <atoll/algorithms/pagerank_local.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <cmath>

namespace atl {

void check_options(const PageRankOptions& options, Local owned, const std::string& name) {
  check(options.damping > 0 && options.damping < 1,
        "pagerank: damping is {} (a number between 0 and 1; 0.85 is usual). Change it.", options.damping);
  check(!options.tolerance || *options.tolerance > 0,
        "pagerank: tolerance is {} (a number above 0). Change it, or leave it out for a fixed number of iterations.",
        options.tolerance.value_or(0));
  check(options.max_iterations > 0, "pagerank: max_iterations is {} (at least 1). Change it.", options.max_iterations);
  const auto& p = options.personalisation;
  if (p.empty()) return;
  check(p.size() == static_cast<std::size_t>(owned),
        "pagerank: the personalisation has {} numbers ({} has {} vertices). Give one for each.", p.size(), name, owned);
  for (std::size_t v = 0; v < p.size(); ++v)
    check(p[v] >= 0 && std::isfinite(p[v]),
          "pagerank: personalisation {} is {} (a finite number that is not negative). Correct it.", v, p[v]);
}

template <class Real>
class PageRank<Real>::Iteration {
 public:
  virtual ~Iteration() = default;
  virtual void run(const PageRankOptions& options, PageRankResult<Real>& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

template <class Real>
class PageRank<Real>::Alone final : public Iteration {
 public:
  explicit Alone(const Graph& graph) : local_(graph) {}
  void run(const PageRankOptions& options, PageRankResult<Real>& result) override { local_.run(options, result); }
  std::size_t memory_bytes() const override { return local_.memory_bytes(); }

 private:
  PageRankLocal<Real> local_;
};

template <class Real>
class PageRank<Real>::Together final : public Iteration {
 public:
  explicit Together(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        exchange_(graph),
        pulls_(world_.route().is_direct()),
        owned_(static_cast<std::size_t>(graph.owned())),
        rank_(owned_),
        share_(static_cast<std::size_t>(graph.locals())),
        sum_(pulls_ ? owned_ : share_.size()),
        changed_(graph.locals()),
        threads_(static_cast<std::size_t>(team_.size())) {}

  void run(const PageRankOptions& options, PageRankResult<Real>& result) override {
    start(options);
    result.iterations = 0;
    result.converged = false;
    result.change = 0;
    double lost = dangling();
    while (result.iterations < options.max_iterations && !result.converged) {
      const double spread = options.dangling == Dangling::spread ? lost : 0;
      const double teleport = 1 - options.damping + options.damping * spread;
      if (pulls_) {
        pull();
      } else {
        push();
      }
      const Totals all = finish(options, teleport);
      lost = all.dangling;
      result.change = all.change;
      ++result.iterations;
      result.converged = options.tolerance && result.change < *options.tolerance;
    }
    write(result.score);
  }

  std::size_t memory_bytes() const override {
    return (rank_.size() + share_.size() + sum_.size()) * sizeof(Real) + exchange_.memory_bytes();
  }

 private:
  struct Totals {
    double change = 0, dangling = 0;
    Totals& operator+=(const Totals& other) {
      change += other.change;
      dangling += other.dangling;
      return *this;
    }
  };
  struct alignas(128) Thread {
    Totals totals;
  };
  static constexpr std::size_t kGrain = 2048;

  // Of local master v.
  double personal(const PageRankOptions& options, std::size_t v) const {
    if (options.personalisation.empty()) return 1 / static_cast<double>(graph_.vertices());
    return options.personalisation[static_cast<std::size_t>(graph_.natural_of(static_cast<Local>(v)))] / total_;
  }
  Real share_of(std::size_t v) const {
    const Edge degree = graph_.out().degree(static_cast<Local>(v));
    return degree > 0 ? rank_[v] / static_cast<Real>(degree) : Real(0);
  }

  void start(const PageRankOptions& options) {
    world_.together([&] { check_options(options, graph_.owned(), graph_.name()); });
    total_ = 0;
    for (const double share : options.personalisation) total_ += share;
    total_ = world_.sum(total_);
    const bool personal_all = world_.all(!options.personalisation.empty() || owned_ == 0);
    const bool personal_any = world_.any(!options.personalisation.empty());
    check(personal_all == personal_any,
          "pagerank: some ranks have a personalisation, others none (it is a number for each vertex). Give it on all.");
    check(!personal_any || (total_ > 0 && std::isfinite(total_)),
          "pagerank: the personalisation sums to {} (some vertex must have a share). Give one a number above 0.", total_);
    team_.for_range(owned_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        rank_[v] = static_cast<Real>(personal(options, v));
        share_[v] = share_of(v);
      }
    });
  }

  double dangling() {
    for (Thread& t : threads_) t.totals = {};
    team_.for_range(owned_, kGrain, [&](int thread, std::size_t a, std::size_t b) {
      double sum = 0;
      for (std::size_t v = a; v < b; ++v)
        if (graph_.out().degree(static_cast<Local>(v)) == 0) sum += static_cast<double>(rank_[v]);
      threads_[static_cast<std::size_t>(thread)].totals.dangling += sum;
    });
    return together().dangling;
  }

  Totals together() {
    Totals mine;
    for (const Thread& t : threads_) mine += t.totals;
    return world_.fold(mine, [](Totals a, const Totals& b) { return a += b; });
  }

  void pull() {
    changed_.set_all();
    exchange_.broadcast({share_.data(), share_.size()}, changed_);
    const Csr& in = graph_.in();
    team_.for_range(owned_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        Real sum = 0;
        for (const Local u : in.neighbours(static_cast<Local>(v))) sum += share_[static_cast<std::size_t>(u)];
        sum_[v] = sum;
      }
    });
  }

  void push() {
    std::fill(sum_.begin(), sum_.end(), Real(0));
    const bool alone = team_.size() == 1;
    team_.for_range(owned_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v)
        for (const Local u : graph_.out().neighbours(static_cast<Local>(v))) {
          if (alone) {
            sum_[static_cast<std::size_t>(u)] += share_[v];
          } else {
            combine_atomically(sum_[static_cast<std::size_t>(u)], share_[v], SumOf{});
          }
        }
    });
    changed_.set_all();
    exchange_.reduce({sum_.data(), sum_.size()}, changed_);
  }

  Totals finish(const PageRankOptions& options, double teleport) {
    for (Thread& t : threads_) t.totals = {};
    team_.for_range(owned_, kGrain, [&](int thread, std::size_t a, std::size_t b) {
      Totals totals;
      for (std::size_t v = a; v < b; ++v) {
        const Real x = static_cast<Real>(options.damping * static_cast<double>(sum_[v]) +
                                         teleport * personal(options, v));
        totals.change += std::abs(static_cast<double>(x) - static_cast<double>(rank_[v]));
        rank_[v] = x;
        share_[v] = share_of(v);
        if (graph_.out().degree(static_cast<Local>(v)) == 0) totals.dangling += static_cast<double>(x);
      }
      threads_[static_cast<std::size_t>(thread)].totals += totals;
    });
    return together();
  }

  void write(Array<Real>& score) {
    if (score.size() != owned_) score = Array<Real>(owned_);
    team_.for_range(owned_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v)
        score[v] = rank_[static_cast<std::size_t>(graph_.local_of(static_cast<Vertex>(v)))];
    });
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  MirrorExchange<Real, SumOf> exchange_;
  const bool pulls_;
  const std::size_t owned_;
  Array<Real> rank_;   // [local master]
  Array<Real> share_;  // [local]
  Array<Real> sum_;    // [local master], pushing [local]
  VertexBits changed_;
  std::vector<Thread> threads_;
  double total_ = 0;  // of the personalisation
};

template <class Real>
PageRank<Real>::PageRank(const Graph& graph) {
  if (graph.world().size() == 1) {
    iteration_ = std::make_unique<Alone>(graph);
  } else {
    iteration_ = std::make_unique<Together>(graph);
  }
}

template <class Real>
PageRank<Real>::~PageRank() = default;

template <class Real>
void PageRank<Real>::run(const PageRankOptions& options, PageRankResult<Real>& result) {
  iteration_->run(options, result);
}

template <class Real>
std::size_t PageRank<Real>::memory_bytes() const {
  return iteration_->memory_bytes();
}

template class PageRank<float>;
template class PageRank<double>;

}  // namespace atl
