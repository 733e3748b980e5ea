// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// Opens one plug-in file; the base of plugin.hpp, ofi_fabric.hpp and flows_plugin.hpp.
namespace atl {

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

/// The folders of ATOLL_PLUGINS, then the folder of libatoll.
std::vector<std::filesystem::path> plugin_folders();

}  // namespace atl
