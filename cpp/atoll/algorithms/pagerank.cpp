// SPDX-License-Identifier: Apache-2.0
// PageRank [1] over ranks: each iteration tells the mirrors what their masters have, and every master adds up its
// entering edges (pull). Where records travel over several hops it is the other way round: every master adds its part to
// its targets, mirrors included, and the mirrors' sums go to their masters, added up on the way (push, reduce).
//
//   in the paper            here               meaning
//   R                       rank_              x, by local number of the masters that have edges
//   R(u) / N_u              share_             what each leaving edge of u carries; by local number, mirrors included
//   c                       damping
//   E                       personal_
//
// Deviations: sums over ranks are rounded in another order than on one; vertices without edges all have x = c p for one
// c, and cost nothing.
//
// [1] S. Brin, L. Page. "The anatomy of a large-scale hypertextual Web search engine." WWW 1998.
#include <atoll/algorithms/pagerank.hpp>
#include <atoll/algorithms/pagerank_cut.hpp>
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

double total_personalisation(const Graph& graph, const PageRankOptions& options) {
  World& world = graph.world();
  world.together([&] { check_options(options, graph.owned(), graph.name()); });
  const auto& p = options.personalisation;
  double total = 0;
  for (const double share : p) total += share;
  total = world.sum(total);
  const bool on_all = world.all(!p.empty() || graph.owned() == 0);
  const bool on_any = world.any(!p.empty());
  check(on_all == on_any,
        "pagerank: some ranks have a personalisation, others none (it is a number for each vertex). Give it on all.");
  check(!on_any || (total > 0 && std::isfinite(total)),
        "pagerank: the personalisation sums to {} (some vertex must have a share). Give one a number above 0.", total);
  return on_any ? total : static_cast<double>(graph.vertices());
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
class PageRank<Real>::Across final : public Iteration {
 public:
  explicit Across(const Graph& graph) : cut_(graph) {}
  void run(const PageRankOptions& options, PageRankResult<Real>& result) override { cut_.run(options, result); }
  std::size_t memory_bytes() const override { return cut_.memory_bytes(); }

 private:
  PageRankCut<Real> cut_;
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
        active_(static_cast<std::size_t>(graph.active())),
        locals_(static_cast<std::size_t>(graph.locals())),
        inverse_(active_),
        rank_(active_),
        share_(locals_),
        next_(locals_),
        changed_(graph.locals()),
        threads_(static_cast<std::size_t>(team_.size())) {
    for (std::size_t v = 0; v < active_; ++v) {
      const Edge degree = graph.out().degree(static_cast<Local>(v));
      inverse_[v] = degree > 0 ? Real(1) / static_cast<Real>(degree) : Real(0);
      if (degree == 0) dangling_.push_back(static_cast<Local>(v));
    }
  }

  void run(const PageRankOptions& options, PageRankResult<Real>& result) override {
    start(options);
    result.iterations = 0;
    result.converged = false;
    result.change = 0;
    Totals all = together();
    while (result.iterations < options.max_iterations && !result.converged) {
      const double spread = options.dangling == Dangling::spread ? all.dangling : 0;
      const double teleport = 1 - options.damping + options.damping * spread;
      const Step step{.damping = static_cast<Real>(options.damping),
                      .base = static_cast<Real>(teleport / static_cast<double>(graph_.vertices())),
                      .teleport = static_cast<Real>(teleport)};
      if (pulls_) {
        pull(step);
      } else {
        push(step);
      }
      share_.swap(next_);
      threads_[0].totals.change += apart_share_ * std::abs(teleport - apart_);
      apart_ = teleport;
      all = together();
      result.change = all.change;
      ++result.iterations;
      result.converged = options.tolerance && result.change < *options.tolerance;
    }
    write(options, result.score);
  }

  std::size_t memory_bytes() const override {
    return (inverse_.size() + rank_.size() + share_.size() + next_.size() + personal_.size()) * sizeof(Real) +
           dangling_.size() * sizeof(Local) + exchange_.memory_bytes();
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
  struct Step {
    Real damping;
    Real base;      // of all vertices, without a personalisation
    Real teleport;  // times personal_, with one
  };
  static constexpr std::size_t kGrain = 2048;
  // Entries of the lists whose values are fetched ahead of their use.
  static constexpr std::size_t kAhead = 32;

  void start(const PageRankOptions& options) {
    const auto& p = options.personalisation;
    total_ = total_personalisation(graph_, options);
    const auto n = static_cast<double>(graph_.vertices());
    personal_ = Array<Real>(p.empty() ? 0 : active_);
    apart_share_ = static_cast<double>(graph_.owned() - graph_.active()) / n;
    if (!p.empty()) {
      apart_share_ = 0;
      for (std::size_t v = 0; v < p.size(); ++v) {
        const auto local = static_cast<std::size_t>(graph_.local_of(static_cast<Vertex>(v)));
        if (local < active_) {
          personal_[local] = static_cast<Real>(p[v] / total_);
        } else {
          apart_share_ += p[v] / total_;
        }
      }
    }
    apart_ = 1;
    team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        rank_[v] = p.empty() ? static_cast<Real>(1 / n) : personal_[v];
        share_[v] = rank_[v] * inverse_[v];
      }
    });
    for (Thread& t : threads_) t.totals = {};
  }

  // What the threads have added up since, and the mass that dangles; over all ranks.
  Totals together() {
    Totals mine{.change = 0, .dangling = apart_ * apart_share_};
    for (Thread& t : threads_) mine += std::exchange(t.totals, {});
    for (const Local v : dangling_) mine.dangling += static_cast<double>(rank_[static_cast<std::size_t>(v)]);
    return world_.fold(mine, [](Totals a, const Totals& b) { return a += b; });
  }

  // The new rank from the sum over entering edges; returns how much it has changed.
  double finish(const Step& step, std::size_t v, Real sum) {
    const Real x = step.damping * sum + (personal_.empty() ? step.base : step.teleport * personal_[v]);
    const Real change = std::abs(x - rank_[v]);
    rank_[v] = x;
    next_[v] = x * inverse_[v];
    return static_cast<double>(change);
  }

  void pull(const Step& step) {
    exchange_.broadcast_all({share_.data(), locals_});
    const Csr& in = graph_.in();
    const Local* const targets = in.targets.data();
    const auto entries = static_cast<std::size_t>(in.size());
    team_.for_range(active_, kGrain, [&](int thread, std::size_t a, std::size_t b) {
      const Real* const x = share_.data();
      double change = 0;
      auto e = static_cast<std::size_t>(in.offsets[a]);
      for (std::size_t v = a; v < b; ++v) {
        Real even = 0, odd = 0;
        const auto end = static_cast<std::size_t>(in.offsets[v + 1]);
        const std::size_t ahead = std::min(end, entries > kAhead ? entries - kAhead : 0);
        for (; e + 1 < ahead; e += 2) {
          __builtin_prefetch(x + targets[e + kAhead]);
          __builtin_prefetch(x + targets[e + kAhead + 1]);
          even += x[targets[e]];
          odd += x[targets[e + 1]];
        }
        for (; e < end; ++e) even += x[targets[e]];
        change += finish(step, v, even + odd);
      }
      threads_[static_cast<std::size_t>(thread)].totals.change += change;
    });
  }

  void push(const Step& step) {
    std::fill(next_.begin(), next_.end(), Real(0));
    const bool alone = team_.size() == 1;
    team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v)
        for (const Local u : graph_.out().neighbours(static_cast<Local>(v))) {
          if (alone) {
            next_[static_cast<std::size_t>(u)] += share_[v];
          } else {
            combine_atomically(next_[static_cast<std::size_t>(u)], share_[v], SumOf{});
          }
        }
    });
    changed_.set_all();
    exchange_.reduce({next_.data(), locals_}, changed_);
    team_.for_range(active_, kGrain, [&](int thread, std::size_t a, std::size_t b) {
      double change = 0;
      for (std::size_t v = a; v < b; ++v) change += finish(step, v, next_[v]);
      threads_[static_cast<std::size_t>(thread)].totals.change += change;
    });
  }

  void write(const PageRankOptions& options, Array<Real>& score) {
    const auto owned = static_cast<std::size_t>(graph_.owned());
    if (score.size() != owned) score = Array<Real>(owned);
    team_.for_range(owned, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        const auto local = static_cast<std::size_t>(graph_.local_of(static_cast<Vertex>(v)));
        const double share = options.personalisation.empty() ? 1 : options.personalisation[v];
        score[v] = local < active_ ? rank_[local] : static_cast<Real>(apart_ * share / total_);
      }
    });
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  MirrorExchange<Real, SumOf> exchange_;
  const bool pulls_;
  const std::size_t active_, locals_;
  std::vector<Local> dangling_;  // masters with edges, none of which leaves
  Array<Real> inverse_;          // [local master] 1 / outdegree, or 0
  Array<Real> rank_;             // [local master]
  Array<Real> personal_;         // [local master] share of the personalisation; empty: 1/n
  Array<Real> share_, next_;     // [local] rank / outdegree, now and after the iteration; pushing: sums
  VertexBits changed_;
  std::vector<Thread> threads_;
  double total_ = 0;        // of the personalisation
  double apart_share_ = 0;  // of it, what masters without edges have here
  double apart_ = 1;        // their rank is this times their share
};

template <class Real>
PageRank<Real>::PageRank(const Graph& graph) {
  if (graph.world().size() == 1) {
    iteration_ = std::make_unique<Alone>(graph);
  } else if (graph.cut().cut() != Cut::edge) {
    iteration_ = std::make_unique<Across>(graph);
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
