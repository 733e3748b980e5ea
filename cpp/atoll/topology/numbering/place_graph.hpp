// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/network/network.hpp>
#include <cstdint>
#include <span>
#include <vector>

/// The places for ranks on a network's hosts, and how far apart they are.
///
///     const PlaceGraph places(network, 2);          // two places a host: 2h and 2h + 1 on host h
///     places.hops(0, 7);                            // links between the routers of hosts 0 and 3
///     for (int s : places.neighbours_of(places.site_of(0))) ...
///
/// Hosts that have the same routers are one site: they are no link apart. Where each router has one host, as in
/// Hamorder's networks, a site is a node of the topology T.
///
/// Without a network, distances are those measured between the places of a job: measured_places().
namespace atl {

class PlaceGraph {
 public:
  /// Searches breadth-first from 64 sites at a time: O(sites * (sites + diameter * links / 64)) time and 2 bytes for
  /// each pair of sites, 200 MB at 10,000 sites. Throws InputError for a network of more than 20,000 sites or
  /// places_per_host < 1.
  explicit PlaceGraph(const Network& network, int places_per_host = 1);

  int places() const { return static_cast<int>(host_.size()); }
  int hosts() const { return host_.back() + 1; }
  /// Places of each host of a network; of measured hosts, the most that one has.
  int places_per_host() const { return per_host_; }
  int host_of(int place) const { return host_[place]; }
  /// Which of its host's places it is, from 0 on.
  int slot_of(int place) const { return slot_[place]; }
  int sites() const { return static_cast<int>(first_.size()) - 1; }
  int site_of(int place) const { return site_[place]; }
  /// The places of a site, ascending.
  std::span<const int> places_of(int site) const {
    const auto s = static_cast<std::size_t>(site);
    return {places_.data() + first_[s], places_.data() + first_[s + 1]};
  }
  /// The other sites that are at most one link away, ascending. Of measured places: some at each distance.
  std::span<const int> neighbours_of(int site) const {
    const auto s = static_cast<std::size_t>(site);
    return {neighbours_.data() + neighbours_begin_[s], neighbours_.data() + neighbours_begin_[s + 1]};
  }

  /// Links on a shortest path between the routers of two sites; the hosts' own links do not count.
  int site_hops(int a, int b) const { return hops_from(a)[b]; }
  int hops(int a, int b) const { return site_hops(site_of(a), site_of(b)); }
  /// [site]
  std::span<const std::uint16_t> hops_from(int site) const {
    const auto n = static_cast<std::size_t>(sites());
    return {hops_.data() + static_cast<std::size_t>(site) * n, n};
  }

  /// The cost of a hop, in the unit of measured costs; 1 in a network.
  double hop_cost() const { return hop_cost_; }

  friend PlaceGraph measured_places(std::vector<int> host_of_place, std::span<const double> cost);

 private:
  PlaceGraph() = default;
  void add_place(int host, int site);

  int per_host_ = 0;
  std::vector<int> host_, slot_, site_;             // [place]
  std::vector<int> first_, places_;                 // [site]
  std::vector<int> neighbours_begin_, neighbours_;  // [site]
  std::vector<std::uint16_t> hops_;                 // [site * sites + site]
  double hop_cost_ = 1;
};

/// Places of a job, each a site of its own, and the measured cost of a message between them: [a * places + b],
/// symmetric, finite; the diagonal is ignored. `host_of_place` ascends from 0, one by one. A hop is an eighth of the least
/// cost, or so much more that the greatest cost has 65,535. Beside a site are the 16 nearest of each doubling of the
/// distance, for the searches of swap.hpp; the tours of numbering.hpp want links. Throws InputError if that does not
/// hold, or for more than 20,000 places.
PlaceGraph measured_places(std::vector<int> host_of_place, std::span<const double> cost);

/// The orders of sites (each once) and of places: those of a site stay together, ascending.
std::vector<int> places_in_order(const PlaceGraph& places, std::span<const int> sites);

}  // namespace atl
