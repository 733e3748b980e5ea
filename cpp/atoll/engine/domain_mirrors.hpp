// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <span>
#include <vector>

/// The mirrors of masters in other domains: a master tells a domain once, and the rank where that lands hands it out.
///
///     const DomainMirrors domains(world, route, known, places);          // collective
///     for (const auto& d : domains.domains()) ...                        // tell d.lands: entry d.first + k changed, where
///                                                                        // d.masters[k] has
///     for (const auto& copy : domains.copies(entry)) ...                 // there: who mirrors it, and where
///
/// Memory: 8 bytes for each mirror of a domain's vertices in another, on the rank of the other where they land, and 4 for
/// each master and domain on either side. Where each exchange chooses its route all ranks count as near, and nothing is handed
/// out: what a route costs is modelled without it.
namespace atl {

class DomainMirrors {
 public:
  /// Of a route that gathers, over the highest wall. known[r]: the own masters that rank r mirrors, in the order
  /// of their mirrors there; those begin at places[r].
  DomainMirrors(World& world, const Route& route, const std::vector<std::vector<Local>>& known,
                const std::vector<Local>& places);

  /// Another domain.
  struct Domain {
    Rank lands;                  ///< where what crosses the wall from here comes to
    Local first = 0;             ///< the entry of masters[0] there
    std::vector<Local> masters;  ///< that it mirrors
  };
  const std::vector<Domain>& domains() const { return domains_; }
  const Route& route() const { return route_; }
  bool is_near(Rank rank) const { return near_[static_cast<std::size_t>(rank)] != 0; }

  struct Copy {
    Rank rank;
    Local place;
  };
  std::size_t entries() const { return first_.size() - 1; }
  std::span<const Copy> copies(std::size_t entry) const {
    return std::span(copies_).subspan(first_[entry], first_[entry + 1] - first_[entry]);
  }
  std::size_t memory_bytes() const;

 private:
  const Route& route_;
  std::vector<char> near_;  // [rank] of this domain
  std::vector<Domain> domains_;
  std::vector<std::uint32_t> first_{0};  // [entry] of copies_
  std::vector<Copy> copies_;
};

}  // namespace atl
