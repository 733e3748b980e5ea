// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/formats/formats.hpp>

namespace atl {

Domain read_topology_yaml(const TopologyFile& file);
Domain read_simgrid(const TopologyFile& file);
Domain read_hwloc_xml(const TopologyFile& file);
std::optional<Network> simgrid_network(const TopologyFile& file);

}  // namespace atl
