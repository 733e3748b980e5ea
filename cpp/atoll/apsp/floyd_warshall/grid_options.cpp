// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <atoll/apsp/floyd_warshall/grid_options.hpp>
#include <nlohmann/json.hpp>

namespace atl {

std::vector<std::string> GridOptions::ablations() { return {"naive", "la", "la+r", "la+r+nt", "coast"}; }

GridOptions GridOptions::ablation(std::string_view name) {
  const std::vector<std::string> names = ablations();
  const auto at = std::find(names.begin(), names.end(), name);
  check(at != names.end(), "ablation '{}' is unknown (there are {}). Choose one.", name, fmt::join(names, ", "));
  const auto level = at - names.begin();
  GridOptions o;
  o.look_ahead = level >= 1 ? LookAhead::on : LookAhead::off;
  o.panels = level >= 4 ? BroadcastShape::ring2m : level >= 2 ? BroadcastShape::ring : BroadcastShape::tree;
  o.kernel = level >= 3 ? Kernel::tuned : Kernel::simple;
  if (level < 4) o.chunk_bytes = 0;
  return o;
}

nlohmann::json GridOptions::to_json() const {
  return {{"block", block},
          {"broadcast", name_of(panels)},
          {"chunk_bytes", chunk_bytes},
          {"look_ahead", look_ahead == LookAhead::on ? "on" : "off"},
          {"kernel", kernel == Kernel::tuned ? "tuned" : "simple"},
          {"steps", steps}};
}

GridStep& GridStep::operator+=(const GridStep& other) {
  diagonal += other.diagonal;
  panel += other.panel;
  outer += other.outer;
  copy += other.copy;
  wait += other.wait;
  return *this;
}

GridStep GridRun::sum() const {
  GridStep all;
  for (const GridStep& s : steps) all += s;
  return all;
}

nlohmann::json GridRun::to_json() const {
  const GridStep all = sum();
  return {{"seconds", seconds},
          {"steps", steps.size()},
          {"operations", operations},
          {"diagonal", all.diagonal},
          {"panel", all.panel},
          {"outer", all.outer},
          {"copy", all.copy},
          {"wait", all.wait},
          {"broadcasts",
           {{"seconds", broadcasts.seconds},
            {"started", broadcasts.started},
            {"chunks_sent", broadcasts.chunks_sent},
            {"bytes_sent", broadcasts.bytes_sent},
            {"bytes_received", broadcasts.bytes_received},
            {"bytes_in_place", broadcasts.bytes_in_place}}}};
}

}  // namespace atl
