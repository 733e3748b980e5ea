// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

/// Parts that need a library which a machine may lack are plug-ins. They lie beside libatoll (or in the folders of
/// ATOLL_PLUGINS), are opened on first use and never closed.
///
///     const PluginFile file = open_plugin_file({"flows", kFlowsPluginEntry, "SimGrid", "libsimgrid3.32", "libsimgrid-dev"});
///     if (!file.plugin) throw TransportError("no plug-in for SimGrid: " + file.why);
///     static_cast<const FlowsPlugin*>(file.plugin)->make(options);
namespace atl {

/// Increase it whenever a header changes that libatoll and a plug-in share.
inline constexpr std::uint32_t kPluginAbi = 7;

struct PluginName {
  std::string name;           ///< of libatoll_<name>.so
  const char* entry;          ///< extern "C" function that returns a struct beginning with kPluginAbi
  std::string library;        ///< the library it needs, for messages
  std::string package;        ///< Debian's and Ubuntu's package to run it
  std::string build_package;  ///< and the package to build it
};

struct PluginFile {
  const void* plugin = nullptr;  ///< what the entry returned, its abi checked
  std::string path;              ///< empty: not found
  std::string why;               ///< why it is not open, and what to do
};
PluginFile open_plugin_file(const PluginName& name);

/// Whether a plug-in is there and loads.
struct PluginStatus {
  std::string name;  ///< "mpi_openmpi"
  std::string path;  ///< empty: not found
  bool loads = false;
  std::string detail;  ///< the library's version and what it is for, or why it does not load and what to do
};

/// The folders of ATOLL_PLUGINS, then the folder of libatoll.
std::vector<std::filesystem::path> plugin_folders();

}  // namespace atl
