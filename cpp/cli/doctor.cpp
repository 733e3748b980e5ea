// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/version.hpp>
#include <atoll/device/communicator.hpp>
#include <atoll/device/device_plugin.hpp>
#include <atoll/topology/formats/xml_yaml_plugin.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <atoll/transport/plugin.hpp>
#include <atoll/transport/shared_memory/shm.hpp>

#include "verbs.hpp"

namespace atl::cli {

int verb_doctor(const Words& words) {
  Command command("doctor", "What this installation can do here, and how to get what is missing.");
  if (const auto code = command.parse(words)) return *code;
  return command.run_alone([&] {
    Outcome outcome;
    const HostFacts m = host_facts();
    outcome.result = {{"version", kVersion}, {"machine", m.to_json()}, {"fabrics", nlohmann::json::array()}};
    std::vector<std::pair<std::string, std::string>> rows{
        {"atoll", std::string(kVersion)},
        {"host", m.host},
        {"processor",
         fmt::format("{}, {} of {} cores usable, kernels up to {}", m.processor, m.usable_cores, m.cores, m.isa)},
        {"memory", fmt::format("{:.1f} GB, {:.1f} free; huge pages: {}", static_cast<double>(m.memory_bytes) / 1e9,
                               static_cast<double>(m.free_memory_bytes) / 1e9, m.huge_pages)},
        {"inproc", "ready: ranks as threads of one process"}};
    outcome.result["fabrics"].push_back({{"name", "inproc"}, {"ready", true}});
    const ShmStatus shm = shm_status();
    rows.emplace_back("shm", (shm.ready ? "ready: " : "missing: ") + shm.detail);
    outcome.result["fabrics"].push_back({{"name", "shm"}, {"ready", shm.ready}, {"detail", shm.detail}});
    for (const PluginStatus& p : plugins()) {
      rows.emplace_back(p.name, (p.loads ? "ready: " : "missing: ") + p.detail);
      outcome.result["fabrics"].push_back(
          {{"name", p.name}, {"ready", p.loads}, {"path", p.path}, {"detail", p.detail}});
    }
    const PluginStatus reader = xml_yaml_plugin_status();
    rows.emplace_back(reader.name, (reader.loads ? "ready: " : "missing: ") + reader.detail);
    outcome.result["readers"] = {
        {{"name", reader.name}, {"ready", reader.loads}, {"path", reader.path}, {"detail", reader.detail}}};
    outcome.result["devices"] = nlohmann::json::array();
    for (const PluginStatus& p : {device_plugin_status(), communicator_plugin_status()}) {
      rows.emplace_back(p.name, (p.loads ? "ready: " : "missing: ") + p.detail);
      outcome.result["devices"].push_back(
          {{"name", p.name}, {"ready", p.loads}, {"path", p.path}, {"detail", p.detail}});
    }
    outcome.text = table_of(rows);
    return outcome;
  });
}

}  // namespace atl::cli
