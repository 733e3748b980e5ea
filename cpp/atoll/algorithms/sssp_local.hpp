// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/sssp.hpp>
#include <atomic>
#include <limits>
#include <vector>

/// Shortest paths from one source on one rank: what class Sssp does there. Memory beside the graph: 8 (double: 16) bytes
/// for each entry of a list, and about 25 (double: 45) a vertex.
namespace atl {

template <class Real>
class SsspLocal {
 public:
  /// InputError, before any work, if the graph has no weights or some that Real would round, if one is negative, infinite
  /// or not a number, if delta is not above 0, or if the graph is spread over several ranks.
  explicit SsspLocal(const Graph& graph, const SsspOptions& options = {});
  SsspLocal(const SsspLocal&) = delete;
  SsspLocal& operator=(const SsspLocal&) = delete;

  /// InputError if no vertex has the id `source`.
  void run(Vertex source, SsspResult<Real>& result);
  double delta() const { return delta_; }
  /// Whether lists are sorted by weight and the far vertices pull: on graphs with hubs.
  bool pulls() const { return skewed_; }
  std::size_t memory_bytes() const;

 private:
  static constexpr Real kFar = std::numeric_limits<Real>::infinity();
  struct Entry {
    Local vertex;
    Real weight;
  };
  /// Who gave a vertex the distance `reached`, and was closer itself.
  struct alignas(2 * sizeof(Real)) Giver {
    Local vertex;
    Real reached;
  };
  struct alignas(128) Thread {
    std::vector<std::vector<Local>> buckets;
    std::vector<Local> fused;
    std::vector<Local> kept;
    Vertex reached = 0;
    std::vector<Vertex> flat;  // natural numbers of vertices whose tight edges all come from their own distance
  };

  Array<Entry> entries_of(const Csr& lists) const;
  void choose_steps(const SsspOptions& options);
  std::span<const Entry> list(const Csr& lists, const Array<Entry>& entries, Local v) const {
    return {entries.data() + lists.offsets[static_cast<std::size_t>(v)], static_cast<std::size_t>(lists.degree(v))};
  }
  std::span<const Entry> out(Local v) const { return list(graph_.out(), out_, v); }
  std::span<const Entry> in(Local v) const { return list(graph_.in(), graph_.directed() ? in_ : out_, v); }
  Real load(Local v) { return std::atomic_ref(distance_[static_cast<std::size_t>(v)]).load(std::memory_order_relaxed); }
  std::size_t bucket_of(Real distance) const;

  void push(Local source);
  void settle_bucket(Thread& thread);
  void settle(Thread& thread, Local u);
  void pull();
  bool relax(Real distance, Local u, const Entry& e);
  bool pull_one(Local v, Real lower);
  void collect_kept();
  template <class F>
  void for_frontier(F&& f);
  void write(Local source, SsspResult<Real>& result);
  Local parent_of(Local v) const;
  void hang_flat(SsspResult<Real>& result);

  const Graph& graph_;
  Team& team_;
  bool skewed_ = false;
  double delta_ = 0, buckets_per_unit_ = 1;  // the latter 1 / delta
  double reach_ = 0;                         // of the horizon beyond the first hub
  Array<Entry> out_, in_;                    // in_: directed graphs only
  Array<Real> distance_, settled_;           // [local] best known; that with which edges were last followed
  Array<Giver> giver_;                       // [local] the last that was noted; right if `reached` is the distance
  Array<Local> frontier_;
  std::size_t frontier_size_ = 0, bucket_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<Real> horizon_{kFar};
  Real lower_ = 0;  // what is closer has followed all its edges
  std::vector<Thread> threads_;
};

}  // namespace atl
