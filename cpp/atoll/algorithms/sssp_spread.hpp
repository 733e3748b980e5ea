// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/sssp.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <array>
#include <atomic>
#include <limits>
#include <vector>

/// Shortest paths from one source over several ranks: what class Sssp does there. Memory beside the graph: 16 bytes
/// (double: 32; half of it on graphs without hubs) for each entry of a list, about 16 (double: 32) a local vertex, and, on
/// graphs with hubs, 40 (double: 80) a master.
namespace atl {

template <class Real>
class SsspSpread {
 public:
  /// Collective; the graph's weights are Real, finite and not negative.
  explicit SsspSpread(const Graph& graph, const SsspOptions& options = {});
  SsspSpread(const SsspSpread&) = delete;
  SsspSpread& operator=(const SsspSpread&) = delete;

  /// Collective. InputError, the same on all ranks, if no vertex has the id `source`.
  void run(Vertex source, SsspResult<Real>& result);
  /// Exchanges of the last run.
  int rounds() const { return rounds_; }
  std::size_t memory_bytes() const;

 private:
  static constexpr Real kFar = std::numeric_limits<Real>::infinity();
  struct Entry {
    Local vertex;
    Real weight;
  };
  struct Lists {
    Array<Edge> offsets;
    Array<Entry> entries;
    std::span<const Entry> of(Local v) const {
      const auto at = static_cast<std::size_t>(v);
      return {entries.data() + offsets[at], static_cast<std::size_t>(offsets[at + 1] - offsets[at])};
    }
  };
  /// The lightest edges of a list, so that most of those who ask read one line; filled up with endless ones.
  using Head = std::array<Entry, 4>;
  /// Who gave a vertex the distance `reached`, and was closer itself.
  struct alignas(2 * sizeof(Real)) Giver {
    Local vertex;
    Real reached;
  };
  struct alignas(128) Thread {
    std::vector<std::vector<Local>> buckets;
    std::vector<Local> fused;
    std::vector<Local> kept;
    std::vector<Local> changed;  // beyond the horizon, or late below it
    Real least = kFar;           // of the distances of masters that it has changed
    Vertex reached = 0;
    std::vector<Local> flat;  // masters whose tight edges all come from their own distance
  };

  void choose_steps(const SsspOptions& options);
  void make_lists();
  void sort_by_weight(Lists& lists);

  Real load(Local v) { return std::atomic_ref(distance_[static_cast<std::size_t>(v)]).load(std::memory_order_relaxed); }
  std::size_t bucket_of(Real distance) const;
  std::size_t least_bucket(std::size_t from) const;
  void start(Local source);
  void put(Thread& thread, Local v, Real distance);
  bool beyond_horizon(std::size_t bucket) const;
  void empty_buckets(std::size_t from, std::size_t end);
  void push();
  void settle_bucket(Thread& thread);
  void settle(Thread& thread, Local u);
  bool relax(Real distance, Local u, const Entry& e);
  void pull();
  bool pull_one(Local v, Real lower);
  void look_ahead(Local v) const;
  void pull_again(Real least, Real here);
  void push_from(const std::vector<Local>& sources);
  Real take_least();
  std::vector<Local> take_changed();
  void collect_kept();
  template <class F>
  void tell(F&& f);
  void write(Local source, SsspResult<Real>& result);
  Local parent_of(Local v) const;
  void hang_flat(SsspResult<Real>& result);

  const Graph& graph_;
  World& world_;
  Team& team_;
  MirrorExchange<Real, MinOf> exchange_;
  const bool alone_;  // one thread: no other lowers a distance meanwhile
  bool skewed_ = false;
  Local landmarks_ = 0;                      // the first so many masters are hubs that set the horizon
  double delta_ = 0, buckets_per_unit_ = 1;  // the latter 1 / delta
  std::size_t window_ = 1;                   // buckets of a round
  double active_of_all_ = 0;                 // vertices with an edge, of all ranks
  double reach_ = 0;                         // of the horizon beyond the first hub
  Lists forth_;                              // [local, mirrors too] edges to masters of this rank
  Lists back_;                               // [master] entering edges, lightest first; graphs with hubs only
  Array<Head> heads_;                        // [master] of back_
  Array<Real> distance_, settled_;           // [local] best known; that with which edges were last followed
  Array<Giver> giver_;                       // [master] the last that was noted; right if `reached` is the distance
  VertexBits told_;                          // masters to tell of; mirrors just told
  Array<Local> frontier_;
  std::size_t frontier_size_ = 0, bucket_ = 0;
  std::atomic<std::size_t> next_{0};
  std::atomic<Real> horizon_{kFar};
  Real horizon_before_ = kFar;  // when the round began; the same on all ranks
  bool horizon_open_ = true;    // a hub that comes closer may still move it
  Real lower_ = 0;              // what is closer has followed all its edges
  Real first_late_ = 0;         // nothing closer has changed since the others were last told
  int rounds_ = 0;
  std::vector<Thread> threads_;
};

}  // namespace atl
