// SPDX-License-Identifier: Apache-2.0
#include <atoll/transport/flows/route_zone.hpp>

namespace atl::flows {

namespace s4u = simgrid::s4u;

// Beside the root zone instead of inside it: SimGrid seals the root for good when it first runs, and each clock needs a
// platform of its own.
RouteZone::Owner RouteZone::make(const s4u::Engine& engine) {
  int number = 0;
  const auto name = [&] { return "clock" + std::to_string(number); };
  while (engine.netpoint_by_name_or_null(name()) != nullptr) ++number;
  Owner zone(new RouteZone(name()));
  const auto* root = engine.get_netzone_root()->get_impl();
  zone->set_network_model(root->get_network_model());
  zone->set_cpu_pm_model(root->get_cpu_pm_model());
  zone->set_cpu_vm_model(root->get_cpu_vm_model());
  zone->set_disk_model(root->get_disk_model());
  zone->set_host_model(root->get_host_model());
  return zone;
}

s4u::Host* RouteZone::add_host() {
  return create_host(get_name() + "-host" + std::to_string(hosts_made_++), std::vector<double>{1e9});
}

std::size_t RouteZone::add_link(double bytes_per_second) {
  const std::string name = get_name() + "-link" + std::to_string(links_made_.size());
  links_made_.push_back(create_link(name, std::vector<double>{bytes_per_second})->get_impl());
  return links_made_.size() - 1;
}

s4u::CommPtr RouteZone::send(s4u::Host* from, s4u::Host* to, std::uint64_t bytes, const std::vector<std::size_t>& links,
                             void* data) {
  route_ = &links;
  const s4u::CommPtr comm = s4u::Comm::sendto_init();
  comm->set_payload_size(bytes);
  comm->set_data(data);
  comm->set_source(from);
  comm->set_destination(to);  // with both it starts, and queries its route
  return comm;
}

// Latency is added by the clock: where links have one, SimGrid shares them in inverse proportion to it, as TCP does.
void RouteZone::get_local_route(const simgrid::kernel::routing::NetPoint*, const simgrid::kernel::routing::NetPoint*,
                                simgrid::kernel::routing::Route* into, double*) {
  for (const std::size_t link : *route_) into->link_list_.push_back(links_made_[link]);
}

}  // namespace atl::flows
