// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <simgrid/kernel/routing/NetZoneImpl.hpp>
#include <simgrid/s4u.hpp>
#include <string>
#include <vector>

namespace atl::flows {

/// A zone of hosts and one-way links in which the caller gives the route of each flow as it starts it. So no table of
/// pairs is needed, and routes are those of topology/network/network.hpp; SimGrid's own fat trees and dragonflies would
/// choose others.
///
///     const RouteZone::Owner zone = RouteZone::make(engine);
///     Host* a = zone->add_host(), *b = zone->add_host();
///     std::size_t cable = zone->add_link(12.5e9);
///     zone->seal();
///     CommPtr comm = zone->send(a, b, bytes, std::array{cable}, data);
class RouteZone final : public simgrid::kernel::routing::NetZoneImpl {
 public:
  struct Delete {
    void operator()(RouteZone* zone) const { delete zone; }
  };
  using Owner = std::unique_ptr<RouteZone, Delete>;

  static Owner make(const simgrid::s4u::Engine& engine);

  simgrid::s4u::Host* add_host();
  std::size_t add_link(double bytes_per_second);
  /// Starts a flow of at least one byte; the Comm carries `data`.
  simgrid::s4u::CommPtr send(simgrid::s4u::Host* from, simgrid::s4u::Host* to, std::uint64_t bytes,
                             const std::vector<std::size_t>& links, void* data);

 private:
  explicit RouteZone(const std::string& name) : NetZoneImpl(name) {}
  ~RouteZone() override = default;

  void get_local_route(const simgrid::kernel::routing::NetPoint* from, const simgrid::kernel::routing::NetPoint* to,
                       simgrid::kernel::routing::Route* into, double* latency) override;

  std::size_t hosts_made_ = 0;
  std::vector<simgrid::kernel::resource::StandardLinkImpl*> links_made_;
  const std::vector<std::size_t>* route_ = nullptr;  // of the flow being started
};

}  // namespace atl::flows
