// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/all_pairs_report.hpp>
#include <nlohmann/json.hpp>

namespace atl {

double AllPairsReport::hidden() const {
  return broadcast_seconds > 0 ? std::clamp(1 - wait_seconds / broadcast_seconds, 0.0, 1.0) : 1;
}

nlohmann::json AllPairsReport::to_json() const {
  nlohmann::json json{{"semiring", name_of(semiring)},
                      {"method", method},
                      {"block", block},
                      {"delta", delta},
                      {"steps", steps},
                      {"operations", operations},
                      {"components", components},
                      {"peeled_vertices", peeled},
                      {"rounded_weights", rounded},
                      {"matrix_bytes", matrix_bytes},
                      {"seconds",
                       {{"peel", peel_seconds},
                        {"compute", compute_seconds},
                        {"expand", expand_seconds},
                        {"diagonal", diagonal_seconds},
                        {"panel", panel_seconds},
                        {"outer", outer_seconds},
                        {"copy", copy_seconds},
                        {"wait", wait_seconds},
                        {"broadcast", broadcast_seconds},
                        {"commit", commit_seconds}}}};
  if (!step_seconds.empty()) json["step_seconds"] = step_seconds;
  if (plan) {
    json["plan"] = plan->to_json();
    json["hidden"] = hidden();
  }
  if (from_disk)
    json["tiles"] = {{"from_step", from_disk->first},       {"memory_bytes", from_disk->memory_bytes},
                     {"bytes_read", from_disk->bytes_read}, {"bytes_written", from_disk->bytes_written},
                     {"notes", from_disk->notes},           {"note_seconds", from_disk->note_seconds}};
  if (saved) {
    const CheckpointReport& kept = saved->checkpoint;
    json["checkpoint"] = {{"from_step", saved->first},
                          {"saved", kept.saved},
                          {"bytes", kept.bytes},
                          {"save_seconds", kept.save_seconds},
                          {"seconds_each", kept.seconds_each()},
                          {"overhead_every_30_minutes", kept.overhead_every(1800)},
                          {"load_seconds", kept.load_seconds},
                          {"overhead", compute_seconds > 0 ? kept.save_seconds / compute_seconds : 0.0}};
  }
  return json;
}

}  // namespace atl
