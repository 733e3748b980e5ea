// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/plugin_file.hpp>
#include <atoll/topology/formats/formats.hpp>

/// The readers of XML and YAML: a plug-in, as they need pugixml and yaml-cpp, which the rest does not.
///
///     Domain tree = xml_yaml_plugin(file).read_simgrid(file);
namespace atl {

/// The exports of the plug-in; `abi` is checked before anything else is used.
struct XmlYamlPlugin {
  std::uint32_t abi;  ///< kPluginAbi
  Domain (*read_topology_yaml)(const TopologyFile& file);
  Domain (*read_simgrid)(const TopologyFile& file);
  Domain (*read_hwloc_xml)(const TopologyFile& file);
  /// The one cluster of a platform that is a torus, a fat tree or a dragonfly, if there is nothing else.
  std::optional<Network> (*simgrid_network)(const TopologyFile& file);
};
inline constexpr const char* kXmlYamlPluginEntry = "atoll_xml_yaml_plugin";

/// Opens it to read `file`. Throws InputError if there is no plug-in or it does not load.
const XmlYamlPlugin& xml_yaml_plugin(const TopologyFile& file);

/// Whether the plug-in loads.
PluginStatus xml_yaml_plugin_status();

}  // namespace atl
