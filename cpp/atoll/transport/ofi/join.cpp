// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atoll/transport/ofi/rdm_fabric.hpp>
#include <atoll/transport/plugin.hpp>
#include <fstream>
#include <map>

namespace atl::ofi {
namespace {

// Ranks on one host with the same kernel share memory; containers have their own host names.
std::string node_name() {
  std::array<char, 256> host{};
  gethostname(host.data(), host.size() - 1);
  std::string boot;
  std::ifstream("/proc/sys/kernel/random/boot_id") >> boot;
  return fmt::format("{:.64}/{}", host.data(), boot);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    if (end > begin) parts.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

std::string joined(const std::vector<std::string>& parts, const char* between) {
  std::string text;
  for (const std::string& p : parts) text += (text.empty() ? "" : between) + p;
  return text;
}

std::string library() {
  const std::uint32_t version = fi_version();
  const auto here = providers_here(/*one_node=*/true);
  return fmt::format("libfabric {}.{}: {}", FI_MAJOR(version), FI_MINOR(version),
                     here.empty() ? "no provider that serves" : joined(here, ", "));
}

std::unique_ptr<OfiFabric> join(const OfiOptions& options, std::shared_ptr<Bootstrap> bootstrap) {
  refuse_bad_provider(options.provider);
  const bool automatic = options.provider == "auto";
  std::vector<std::string> mine = providers_here(/*one_node=*/true);
  if (!automatic) mine.clear();
  if (!automatic && find_provider(options.provider, /*one_node=*/true, 0)) mine = {options.provider};

  std::vector<int> nodes;
  std::map<std::string, int> numbers;
  std::vector<std::vector<std::string>> theirs;
  for (const std::string& text : bootstrap->gather(node_name() + " " + joined(mine, ","))) {
    const std::size_t space = text.find(' ');
    nodes.push_back(numbers.try_emplace(text.substr(0, space), static_cast<int>(numbers.size())).first->second);
    theirs.push_back(split(space < text.size() ? text.substr(space + 1) : "", ','));
  }
  const bool one_node = numbers.size() == 1;
  if (!automatic && options.provider == "shm" && !one_node)
    throw TransportError(
        fmt::format("provider 'shm' for ranks on {} nodes (it joins those of one node). Use "
                    "tcp;ofi_rxm, or auto.",
                    numbers.size()));

  for (const std::string& name : automatic ? providers_here(one_node) : mine) {
    const bool everywhere = std::all_of(theirs.begin(), theirs.end(), [&](const auto& of_rank) {
      return std::find(of_rank.begin(), of_rank.end(), name) != of_rank.end();
    });
    if (everywhere)
      return make_rdm_fabric(options, std::move(bootstrap), find_provider(name, one_node, options.message_bytes),
                             std::move(nodes));
  }
  // If one rank gets here, all do.
  for (std::size_t r = 0; r < theirs.size(); ++r)
    if (automatic || theirs[r].empty())
      throw TransportError(
          fmt::format("rank {} has {} (libfabric's provider {} is needed on all ranks). `fi_info -l` lists what there "
                      "is; choose by --provider.",
                      r, theirs[r].empty() ? "none that serves" : joined(theirs[r], ", "),
                      automatic ? "of one kind" : "'" + options.provider + "'"));
  throw TransportError("ranks have no provider in common (libfabric). Choose one by --provider.");
}

}  // namespace
}  // namespace atl::ofi

extern "C" __attribute__((visibility("default"))) const atl::OfiPlugin* atoll_ofi_plugin() {
  static const atl::OfiPlugin plugin{atl::kPluginAbi, atl::ofi::library, atl::ofi::join};
  return &plugin;
}
