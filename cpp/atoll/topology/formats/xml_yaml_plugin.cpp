// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/topology/formats/xml_yaml_plugin.hpp>

namespace atl {
namespace {

PluginFile open_plugin() {
  return open_plugin_file({.name = "xml_yaml",
                           .entry = kXmlYamlPluginEntry,
                           .library = "pugixml and yaml-cpp",
                           .package = "libpugixml1v5 libyaml-cpp0.7",
                           .build_package = "libpugixml-dev libyaml-cpp-dev"});
}

}  // namespace

const XmlYamlPlugin& xml_yaml_plugin(const TopologyFile& file) {
  const PluginFile opened = open_plugin();
  check(opened.plugin != nullptr, "{}: there is no plug-in that reads XML and YAML: {}", file.path, opened.why);
  return *static_cast<const XmlYamlPlugin*>(opened.plugin);
}

PluginStatus xml_yaml_plugin_status() {
  const PluginFile file = open_plugin();
  return {"xml_yaml", file.path, file.plugin != nullptr,
          file.plugin ? "topologies as SimGrid's and hwloc's XML and as YAML" : file.why};
}

}  // namespace atl
