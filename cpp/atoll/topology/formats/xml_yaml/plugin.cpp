// SPDX-License-Identifier: Apache-2.0
#include <atoll/topology/formats/xml_yaml/readers.hpp>
#include <atoll/topology/formats/xml_yaml_plugin.hpp>

extern "C" __attribute__((visibility("default"))) const atl::XmlYamlPlugin* atoll_xml_yaml_plugin() {
  static const atl::XmlYamlPlugin plugin{atl::kPluginAbi, atl::read_topology_yaml, atl::read_simgrid,
                                         atl::read_hwloc_xml, atl::simgrid_network};
  return &plugin;
}
