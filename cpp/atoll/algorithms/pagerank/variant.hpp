// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/pagerank/pagerank.hpp>
#include <vector>

/// The part common to all variants of PageRank: options, the iteration, dangling mass, convergence, the result.
///
///   in the paper            here               meaning
///   R                       rank_              x
///   R(u) / N_u              sent_              what u contributes along each out-edge; by weight R(u)
///   c                       Step::damping
///   E                       personal_
///
/// A variant chooses an order of the masters that have edges (their positions) and computes the sums. Vertices without
/// edges all have x = c p for the same c, so they cost nothing.
namespace atl {

template <class Real>
class PageRankVariant {
 public:
  virtual ~PageRankVariant() = default;
  PageRankVariant(const PageRankVariant&) = delete;
  PageRankVariant& operator=(const PageRankVariant&) = delete;

  /// See PageRank::run().
  void run(const PageRankOptions& options, PageRankResult<Real>& result);
  virtual std::size_t memory_bytes() const;

 protected:
  static constexpr std::size_t kGrain = 4096;
  struct Step {
    Real damping;
    Real base;      // added to every vertex, without a personalization
    Real teleport;  // factor of personal_, with one
  };
  explicit PageRankVariant(const Graph& graph, Transition transition = Transition::uniform);
  /// Called first by the variant's constructor. local_of[position]: -1 where there is no master. `sent`: length of
  /// sent_ and next_, which have the positions of local_of and then those of mirrors.
  void number(Array<Local> local_of, std::size_t sent);
  /// The same where positions are local numbers.
  void number_by_local(Local locals);

  /// Updates the mirrors' values in sent_ from those of their masters.
  virtual void update_mirrors() = 0;
  /// One iteration: computes the masters' rank_ and next_ from sent_, mirrors included, by finish().
  virtual void sweep(const Step& step) = 0;
  /// Computes the new x from the sums over entering edges; `sums` may alias next_ from `begin` on.
  void finish(const Step& step, int thread, std::size_t begin, std::size_t end, const Real* sums);
  double finish(const Step& step, std::size_t v, Real sum) {
    const Real x = step.damping * sum + (personal_.empty() ? step.base : step.teleport * personal_[v]);
    const Real change = std::abs(x - rank_[v]);
    rank_[v] = x;
    next_[v] = x * inverse_[v];
    return static_cast<double>(change);
  }
  void add_change(int thread, double change) { threads_[thread].change += change; }

  const Graph& graph_;
  World& world_;
  Team& team_;
  const Transition transition_;
  Array<Local> local_of_;    // [position]
  Array<Real> sent_, next_;  // [position, then mirrors] x inverse, before and after the iteration

 private:
  struct Totals {
    double change = 0, dangling = 0;
  };
  struct alignas(128) Thread {
    double change = 0, dangling = 0;
  };
  void start(const PageRankOptions& options);
  Totals totals();
  void write(const PageRankOptions& options, Array<Real>& score);

  Array<Local> position_of_;     // [owned index] -1: without edges
  std::vector<Local> dangling_;  // positions of vertices with w(u) = 0
  Array<Real> rank_;             // [position] x
  Array<Real> inverse_;          // [position] 1 / w(u), by weight 1; 0 where w(u) = 0
  Array<Real> personal_;         // [position] p; empty: 1/n
  std::vector<Thread> threads_;
  double total_ = 0;           // sum of the personalization as given
  double isolated_share_ = 0;  // sum of p over this rank's vertices without edges
  double isolated_scale_ = 1;  // x of vertices without edges is this times p
};

}  // namespace atl
