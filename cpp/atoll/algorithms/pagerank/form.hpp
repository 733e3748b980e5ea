// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/pagerank/pagerank.hpp>
#include <vector>

/// What every form of PageRank does alike: options, the loop over iterations, the mass that dangles, the end.
///
///   in the paper            here               meaning
///   R                       rank_              x
///   R(u) / N_u              sent_              what each leaving edge of u carries
///   c                       Step::damping
///   E                       personal_
///
/// A form numbers the masters that have edges as it likes (their positions) and does the sums. Vertices without edges
/// all have x = c p for one c: they cost nothing.
namespace atl {

template <class Real>
class PageRankForm {
 public:
  virtual ~PageRankForm() = default;
  PageRankForm(const PageRankForm&) = delete;
  PageRankForm& operator=(const PageRankForm&) = delete;

  /// As PageRank::run().
  void run(const PageRankOptions& options, PageRankResult<Real>& result);
  virtual std::size_t memory_bytes() const;

 protected:
  static constexpr std::size_t kGrain = 4096;
  struct Step {
    Real damping;
    Real base;      // of all vertices, without a personalisation
    Real teleport;  // times personal_, with one
  };
  explicit PageRankForm(const Graph& graph);
  /// Before anything else. local_of[position], -1 where none of the masters is; `sent` places of sent_ and next_, those
  /// of local_of and the mirrors'.
  void number(Array<Local> local_of, std::size_t sent);

  /// sent_ holds the masters' values: tells the mirrors.
  virtual void tell() = 0;
  /// One iteration: from sent_, the mirrors' too, makes the masters' rank_ and next_ through finish().
  virtual void sweep(const Step& step) = 0;
  /// The new x from the sum over entering edges; `sums` may be next_ itself, from `begin` on.
  void finish(const Step& step, int thread, std::size_t begin, std::size_t end, const Real* sums);
  double finish(const Step& step, std::size_t v, Real sum) {
    const Real x = step.damping * sum + (personal_.empty() ? step.base : step.teleport * personal_[v]);
    const Real change = std::abs(x - rank_[v]);
    rank_[v] = x;
    next_[v] = x * inverse_[v];
    return static_cast<double>(change);
  }
  void add_change(int thread, double change) { threads_[static_cast<std::size_t>(thread)].change += change; }

  const Graph& graph_;
  World& world_;
  Team& team_;
  Array<Local> local_of_;    // [position]
  Array<Real> sent_, next_;  // [position, then mirrors] x / outdegree, now and after the iteration

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

  Array<Local> position_of_;     // [natural] -1: without edges
  std::vector<Local> dangling_;  // positions without a leaving edge
  Array<Real> rank_;             // [position] x
  Array<Real> inverse_;          // [position] 1 / outdegree, or 0
  Array<Real> personal_;         // [position] share of the personalisation; empty: 1/n
  std::vector<Thread> threads_;
  double total_ = 0;        // of the personalisation as given
  double apart_share_ = 0;  // of p, that of this rank's vertices without edges
  double apart_ = 1;        // their x is this times p
};

}  // namespace atl
