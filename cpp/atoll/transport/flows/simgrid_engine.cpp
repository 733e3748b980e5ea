// SPDX-License-Identifier: Apache-2.0
#include <xbt/log.h>

#include <atoll/base/error.hpp>
#include <atoll/base/saved_signal_handlers.hpp>
#include <atoll/transport/flows/simgrid_engine.hpp>

namespace atl::flows {
namespace {

namespace s4u = simgrid::s4u;

constexpr const char* kRoot = "atoll";

void begin(void (*on_completion)(const s4u::Comm& comm)) {
  const SavedSignalHandlers ours;                 // SimGrid replaces some signal handlers when it begins
  s4u::Engine::get_instance();                    // lives until the process ends
  xbt_log_control_set("root.thres:warning");      // else it logs each setting
  s4u::Engine::set_config("network/model:CM02");  // latency and max-min sharing, without the factors of TCP
  s4u::Engine::set_config("network/crosstraffic", false);
  s4u::Engine::set_config("surf/precision", 1e-15);  // messages take nanoseconds
  s4u::Engine::set_config("maxmin/precision", 1e-9);
  s4u::Engine::set_config("contexts/stack-size", 1024);  // KiB, as for our fibers
  s4u::create_empty_zone(kRoot);                         // initialises the models
  s4u::Comm::on_completion_cb(
      [on_completion](const auto& activity) { on_completion(static_cast<const s4u::Comm&>(activity)); });
}

}  // namespace

s4u::Engine& simgrid_engine(void (*on_completion)(const s4u::Comm& comm)) {
  if (!s4u::Engine::is_initialized()) begin(on_completion);
  s4u::Engine& engine = *s4u::Engine::get_instance();
  const s4u::NetZone* root = engine.get_netzone_root();
  if (!root || root->get_name() != kRoot)
    throw TransportError(
        "SimGrid runs already in this process (it has one simulation at a time, and that is not Atoll's). Run the "
        "clock flows in a process of its own.");
  if (engine.get_actor_count() > 0)
    throw TransportError(
        "a clock flows runs already in this process (SimGrid has one simulation at a time). Let its run() end first.");
  return engine;
}

}  // namespace atl::flows
