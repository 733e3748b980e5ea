// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/halo/halo_rows.hpp>
#include <atoll/runtime/world.hpp>
#include <span>
#include <vector>

/// The mirrors of masters in other domains. A master sends one record to a domain; the rank that receives it there
/// sends a copy to each mirror in the domain.
///
///     const DomainMirrors domains(world, route, known, positions);          // collective
///     for (const auto& d : domains.domains()) ...                        // send entry d.first + k to d.receiver if
///                                                                        // the k-th of d.masters has changed
///     for (const auto& copy : domains.copies(entry)) ...                 // at the receiver: the mirrors of the entry
///
/// Memory: 8 bytes for each mirror in another domain than its master, on the rank that receives its records, and 4 for
/// each pair of master and domain at both ends. If routes are chosen per exchange, all ranks count as near and nothing
/// is distributed by domain: the model of a route's cost does not include it.
namespace atl {

class DomainMirrors {
 public:
  /// For a route that gathers; its domains are those that the highest (slowest) level separates. known[r]: the own
  /// masters that rank r mirrors, in the order of their mirrors there, which begin at row positions[r].
  DomainMirrors(World& world, const Route& route, const std::vector<HaloRows>& known,
                const std::vector<Edge>& positions);

  /// Another domain.
  struct Domain {
    Rank receiver;     ///< the rank there that receives this rank's records
    Local first = 0;   ///< the entry of masters[0] on that rank
    HaloRows masters;  ///< own masters that the domain mirrors
  };
  const std::vector<Domain>& domains() const { return domains_; }
  const Route& route() const { return route_; }
  bool is_near(Rank rank) const { return near_[rank] != 0; }

  struct Copy {
    Rank rank;
    Local position;
  };
  std::size_t entries() const { return first_.size() - 1; }
  std::span<const Copy> copies(std::size_t entry) const {
    return std::span(copies_).subspan(first_[entry], first_[entry + 1] - first_[entry]);
  }
  std::size_t memory_bytes() const;

 private:
  const Route& route_;
  std::vector<char> near_;  // [rank] is in this rank's domain
  std::vector<Domain> domains_;
  std::vector<std::uint32_t> first_{0};  // [entry] offset into copies_
  std::vector<Copy> copies_;
};

}  // namespace atl
