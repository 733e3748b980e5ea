// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>
#include <vector>

/// Opening of one plug-in; what plugin.hpp and ofi_fabric.hpp are made of.
namespace atl {

struct PluginName {
  std::string name;           ///< of libatoll_<name>.so
  const char* entry;          ///< extern "C", gives a struct that begins with kPluginAbi
  std::string library;        ///< what it is made of, for people
  std::string package;        ///< Debian's, Ubuntu's, to run it
  std::string build_package;  ///< and to build it
};

struct PluginFile {
  const void* plugin = nullptr;  ///< what the entry gave, its abi checked
  std::string path;              ///< empty: nowhere
  std::string why;               ///< it is not open, and what to do
};
PluginFile open_plugin_file(const PluginName& name);

/// ATOLL_PLUGINS, then where libatoll lies.
std::vector<std::filesystem::path> plugin_folders();

}  // namespace atl
