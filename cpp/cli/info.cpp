// SPDX-License-Identifier: Apache-2.0
#include <atoll/topology/draw.hpp>

#include "verbs.hpp"

namespace atl::cli {
int verb_info(const Words& words) {
  Command command("info", "The job's ranks and hierarchy, and every knob of communication.");
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    Outcome outcome;
    outcome.result["hierarchy"] = world.hierarchy().to_json();
    outcome.text = draw(world.hierarchy());
    outcome.text += "\nplan (each is also an environment variable ATOLL_<FIELD>)\n";
    std::vector<std::pair<std::string, std::string>> rows;
    const nlohmann::json fields = command.plan().to_json();
    for (const auto& [name, value] : fields.items()) rows.emplace_back("  " + name, value.dump());
    outcome.text += table_of(rows);
    return outcome;
  });
}

}  // namespace atl::cli
