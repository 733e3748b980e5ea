// SPDX-License-Identifier: Apache-2.0
#include <dlfcn.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/plugin_file.hpp>
#include <atoll/base/saved_signal_handlers.hpp>
#include <cstdlib>
#include <string_view>

namespace atl {

std::vector<std::filesystem::path> plugin_folders() {
  std::vector<std::filesystem::path> out;
  if (const char* list = std::getenv("ATOLL_PLUGINS")) {
    const std::string_view text = list;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find(':', at), text.size());
      if (end > at) out.emplace_back(text.substr(at, end - at));
      at = end + 1;
    }
  }
  Dl_info here;
  if (dladdr(reinterpret_cast<const void*>(&plugin_folders), &here) && here.dli_fname)
    out.push_back(std::filesystem::absolute(here.dli_fname).parent_path());
  return out;
}

// dlopen counts: the second opening of a plug-in gives the first one again, so nothing is kept here.
PluginFile open_plugin_file(const PluginName& name) {
  PluginFile out;
  const std::string file = "libatoll_" + name.name + ".so";
  std::string searched;
  for (const auto& folder : plugin_folders()) {
    const auto path = folder / file;
    std::error_code ignored;
    if (!std::filesystem::exists(path, ignored)) {
      searched += (searched.empty() ? "" : ", ") + folder.string();
      continue;
    }
    out.path = path.string();
    void* handle = [&] {
      const SavedSignalHandlers ours;
      return dlopen(out.path.c_str(), RTLD_NOW | RTLD_LOCAL);
    }();
    if (!handle) {
      out.why = fmt::format("{} (it does not load). Install {} (Debian, Ubuntu).", dlerror(), name.package);
      return out;
    }
    using Entry = const std::uint32_t* (*)();
    const auto entry = reinterpret_cast<Entry>(dlsym(handle, name.entry));
    const std::uint32_t* abi = entry ? entry() : nullptr;
    if (!abi || *abi != kPluginAbi) {
      out.why = fmt::format("{}: interface {} (this libatoll has {}). Build both from one source.", out.path,
                            abi ? std::to_string(*abi) : "unknown", kPluginAbi);
      return out;
    }
    out.plugin = abi;
    return out;
  }
  out.why = fmt::format("{} is not in {} (Atoll was built without {}). Install {} and build again.", file, searched,
                        name.library, name.build_package);
  return out;
}

}  // namespace atl
