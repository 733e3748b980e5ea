// SPDX-License-Identifier: Apache-2.0
#include "measured_machine.hpp"

#include <algorithm>
#include <atoll/runtime/calibrate.hpp>
#include <atoll/runtime/measure_records.hpp>
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
  machine.records = measure_record_costs(world, rounds);
  return machine;
}

std::string costs_text(const Machine& machine, const Hierarchy& hierarchy) {
  const Cost& cost = machine.cost;
  std::string text = fmt::format("\ncosts, {}\n", cost.provenance());
  std::vector<std::pair<std::string, std::string>> rows;
  for (int l = 0; l < cost.depth(); ++l)
    rows.emplace_back(
        fmt::format("  inside a {}", hierarchy.kind_at(l)),
        fmt::format("{:.2f} us, {:.2f} us of processor time a message, {:.2f} GB/s", cost.at(l).latency_s * 1e6,
                    cost.at(l).overhead_s * 1e6, cost.at(l).bytes_per_second / 1e9));
  const RecordCosts& records = machine.records;
  rows.emplace_back("  of a rank's records",
                    fmt::format("{:.1f} ns appended, {:.1f} ns merged, {:.1f} ns handled; {:.2f} GB/s copied",
                                records.appended_record_s * 1e9, records.merged_record_s * 1e9,
                                records.handled_record_s * 1e9, 1e-9 / std::max(1e-15, records.copied_byte_s)));
  return text + table_of(rows);
}

}  // namespace atl::cli
