// SPDX-License-Identifier: Apache-2.0
#include "measured_machine.hpp"

#include <atoll/runtime/calibrate.hpp>
#include <ctime>

#include "cli/command.hpp"

namespace atl::cli {
namespace {

std::string today() {
  const std::time_t now = std::time(nullptr);
  char text[16];
  std::tm parts{};
  std::strftime(text, sizeof text, "%Y-%m-%d", gmtime_r(&now, &parts));
  return text;
}

}  // namespace

Machine measured_machine(World& world, const Hierarchy& hierarchy, int rounds) {
  const Cost measured = calibrate(world, hierarchy, rounds);
  Machine machine(Cost(measured.levels(), fmt::format("{}, {}", measured.provenance(), today())));
  machine.hierarchy = hierarchy;
  return machine;
}

std::string costs_text(const Cost& cost, const Hierarchy& hierarchy) {
  std::string text = fmt::format("\ncosts, {}\n", cost.provenance());
  std::vector<std::pair<std::string, std::string>> rows;
  for (int l = 0; l < cost.depth(); ++l)
    rows.emplace_back(
        fmt::format("  inside a {}", hierarchy.kind_at(l)),
        fmt::format("{:.2f} us, {:.2f} us of processor time a message, {:.2f} GB/s", cost.at(l).latency_s * 1e6,
                    cost.at(l).overhead_s * 1e6, cost.at(l).bytes_per_second / 1e9));
  return text + table_of(rows);
}

}  // namespace atl::cli
