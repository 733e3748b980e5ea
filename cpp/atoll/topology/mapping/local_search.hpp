// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/topology/mapping/peers.hpp>
#include <atoll/topology/numbering/place_graph.hpp>
#include <span>
#include <vector>

namespace atl {

/// For each site the others that are one link away; where there are none, as at the leaves of a tree, some of the
/// nearest.
class NearSites {
 public:
  explicit NearSites(const PlaceGraph& places);
  std::span<const int> of(int site) const;

 private:
  const PlaceGraph& places_;
  std::vector<int> first_, nearest_;  // [site] into nearest_, if no link joins any two sites
};

/// Exchanges of two ranks, and moves of a rank to a free place, priced one by one in O(peers) from what they change.
///
///     LocalSearch search(places, near, peers, mapping);
///     search.anneal(random, 100, mean_bytes);
///     search.descend();
///     mapping = std::move(search).take();
class LocalSearch {
 public:
  LocalSearch(const PlaceGraph& places, const NearSites& near, const Peers& peers, std::vector<int> mapping);

  /// Metropolis' rule: a move that loses is made with probability exp(-loss / temperature), which falls from
  /// `hottest` (bytes * hops) to a twentieth of it. A sweep tries as many moves as there are ranks.
  void anneal(Random& random, int sweeps, double hottest);

  /// First-improvement descent: each rank tries the places within a link of the 16 ranks that it talks most with, until
  /// no move gains, or the terms of `most_work` sums were added up.
  void descend(double most_work = 2e9);

  std::vector<int> take() && { return std::move(at_); }

 private:
  // Which moves are tried: those that bring the rank itself nearer to its peers, or all.
  enum class Moves { nearer, all };
  bool descend_from_all(Moves moves);
  bool improve(int rank, Moves moves);
  bool try_site(int rank, int site, Moves moves);
  double saving(int rank, int from, int to) const;
  struct Exchange {
    double saved, size;  // bytes * hops, and how large the terms are that it is the difference of
  };
  Exchange exchange(int rank, int to, double saved_by_rank) const;
  void move(int rank, int to);
  int place_of(int rank) const { return at_[rank]; }
  int site_of_rank(int rank) const { return site_[rank]; }

  const PlaceGraph& places_;
  const NearSites& near_;
  const Peers& peers_;
  std::vector<int> at_, site_;  // [rank] its place, and the site of that
  std::vector<int> who_;        // [place] the rank there, or -1
  double work_left_ = 0;
};

}  // namespace atl
