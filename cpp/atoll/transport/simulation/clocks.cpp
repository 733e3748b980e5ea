// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/base/plugin_file.hpp>
#include <atoll/transport/flows_plugin.hpp>
#include <atoll/transport/simulation/levels.hpp>

namespace atl {
namespace {

PluginFile open_plugin() {
  return open_plugin_file({.name = "flows",
                           .entry = kFlowsPluginEntry,
                           .library = "SimGrid",
                           .package = "libsimgrid3.32",
                           .build_package = "libsimgrid-dev"});
}

}  // namespace

std::unique_ptr<VirtualClock> make_flows(ClockOptions options) {
  const PluginFile file = open_plugin();
  if (!file.plugin) throw TransportError("no plug-in for SimGrid, which the clock flows needs: " + file.why);
  return static_cast<const FlowsPlugin*>(file.plugin)->make(std::move(options));
}

PluginStatus flows_plugin_status() {
  const PluginFile file = open_plugin();
  return {"flows", file.path, file.plugin != nullptr,
          file.plugin ? static_cast<const FlowsPlugin*>(file.plugin)->library() + ": clock flows" : file.why};
}

std::unique_ptr<VirtualClock> make_clock(const std::string& name, ClockOptions options) {
  if (name == "levels") return std::make_unique<Levels>(std::move(options));
  check(name == "flows", "clock '{}' is unknown (there are levels and flows). Choose one.", name);
  check(options.noise.is_none(),
        "clock flows with jitter or slow links (only levels has them). Choose levels, or a platform without.");
  for (const LevelCost& c : options.costs) {
    check(c.cards == 1,
          "clock flows with {} cards a domain (only levels has them). Choose levels, or a platform without.", c.cards);
    check(c.messages_per_second == 0,
          "clock flows with {} messages per second (only levels has such a limit). Choose levels, or a platform "
          "without.",
          c.messages_per_second);
  }
  return make_flows(std::move(options));
}

}  // namespace atl
