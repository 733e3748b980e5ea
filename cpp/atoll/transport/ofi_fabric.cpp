// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/base/plugin_file.hpp>
#include <atoll/transport/ofi_fabric.hpp>
#include <atoll/transport/plugin.hpp>

namespace atl {

OfiFabric::~OfiFabric() = default;

namespace {

PluginFile open_plugin() {
  return open_plugin_file({.name = "ofi",
                           .entry = kOfiPluginEntry,
                           .library = "libfabric",
                           .package = "libfabric1",
                           .build_package = "libfabric-dev"});
}

}  // namespace

std::unique_ptr<OfiFabric> join_ofi(const OfiOptions& options, std::shared_ptr<Bootstrap> bootstrap) {
  const PluginFile file = open_plugin();
  if (!file.plugin) throw TransportError("no plug-in for libfabric, which transport ofi needs: " + file.why);
  return static_cast<const OfiPlugin*>(file.plugin)->join(options, std::move(bootstrap));
}

PluginStatus ofi_plugin_status() {
  const PluginFile file = open_plugin();
  return {"ofi", file.path, file.plugin != nullptr,
          file.plugin ? static_cast<const OfiPlugin*>(file.plugin)->library() : file.why};
}

}  // namespace atl
