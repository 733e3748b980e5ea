// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/json.hpp>
#include <atoll/topology/draw.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <atoll/transport/plugin.hpp>
#include <cli/cli11.hpp>

#include "cli/mapping/measured_machine.hpp"
#include "prompt/knobs.hpp"
#include "verbs.hpp"

namespace atl::cli {
int verb_info(const Words& words) {
  Command command(
      "info",
      "The job's ranks and hierarchy, and every knob of communication. What --domains says is drawn without "
      "ranks, unless --ranks or --calibrate asks for them.");
  std::string costs_file;
  CLI::Option* calibrated =
      command.app()
          .add_option("--calibrate", costs_file,
                      "measure latency and bandwidth at each level, and what records cost a rank; write them to this "
                      "JSON file, which --platform takes")
          ->expected(0, 1);
  bool knobs = false;
  command.app().add_flag("--knobs", knobs, "say what each knob does, and nothing else");
  if (const auto code = command.parse(words)) return *code;
  if (knobs)
    return command.run_alone([&] {
      Outcome outcome;
      outcome.result["plan"] = command.plan().to_json();
      outcome.text =
          "knobs, for --plan FILE as JSON, or as environment variables ATOLL_<FIELD>; with their values here\n\n" +
          explain_knobs(command.plan());
      return outcome;
    });
  const auto shown = [&](const Hierarchy& hierarchy, const std::optional<Machine>& machine) {
    Outcome outcome;
    outcome.result["hierarchy"] = hierarchy.to_json();
    outcome.text = draw(hierarchy);
    if (machine) {
      outcome.result["costs"] = machine->cost.to_json();
      outcome.result["records"] = machine->records.to_json();
      outcome.text += costs_text(*machine, hierarchy);
    }
    outcome.text += "\nplan (each is also an environment variable ATOLL_<FIELD>; --knobs says what they do)\n";
    std::vector<std::pair<std::string, std::string>> rows;
    const nlohmann::json fields = command.plan().to_json();
    for (const auto& [name, value] : fields.items()) rows.emplace_back("  " + name, dump_json(value));
    outcome.text += table_of(rows);
    return outcome;
  };
  // --domains can be drawn without starting ranks: it may describe a machine of thousands.
  const auto by = launcher();
  const std::string& domains = command.plan().domains;
  if (!domains.empty() && command.ranks() == 0 && calibrated->count() == 0 && !(by && by->ranks > 1))
    return command.run_alone([&] { return shown(read_domains(domains, 0, command.log()), std::nullopt); });
  return command.run([&](World& world) {
    if (calibrated->count() == 0) return shown(world.hierarchy(), std::nullopt);
    const Machine machine = measured_machine(world, world.hierarchy(), 9);
    world.collective_try([&] {
      if (world.rank() != 0 || costs_file.empty()) return;
      put_file(costs_file, dump_json(machine.to_json(), 2) + "\n");
    });
    return shown(world.hierarchy(), machine);
  });
}

}  // namespace atl::cli
