// SPDX-License-Identifier: Apache-2.0
// What a command prints and writes: its outcome, its JSON object, its error.
#include <fmt/format.h>

#include <algorithm>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/base/json.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <atoll/tune/store.hpp>
#include <memory>

#include "command.hpp"
#include "prompt/phase_line.hpp"

namespace atl::cli {

int Command::print(const Outcome& outcome) const {
  const bool failed = outcome.verified.has_value() && !*outcome.verified;
  if (json()) {
    nlohmann::json object{{"schema", 1},
                          {"command", name_},
                          {"input", outcome.input},
                          {"world", world_},
                          {"plan", plan_.to_json()},
                          {"provenance", provenance()},
                          {"result", outcome.result},
                          {"seconds", outcome.seconds},
                          {"counters", outcome.counters},
                          {"verified", outcome.verified ? nlohmann::json(*outcome.verified) : nlohmann::json()}};
    object.update(outcome.extra);
    if (failed) object["error"] = {{"kind", "verification"}, {"message", outcome.failure}};
    put_json(object);
    if (json_ != "-") print_result(outcome.text);
  } else {
    print_result(outcome.text);
  }
  if (failed) say("atoll: error: {}\n", outcome.failure);
  return failed ? 1 : 0;
}

nlohmann::json Command::provenance() const {
  nlohmann::json from = tune::provenance();
  from["host"] = host_facts().host;
  from["command"] = command_line();
  return from;
}

void Command::put_json(const nlohmann::json& object) const {
  const std::string text = dump_json_replacing(object, 2) + "\n";
  if (json_ == "-") {
    print_result(text);
    return;
  }
  put_file(json_, text);
}

int Command::fail() const {
  const Failure failure = current_failure();
  if (failure.message.empty()) return failure.exit_code;
  say("atoll: error: {}\n", failure.message);
  if (json()) {
    try {
      check_json_path(json_);
    } catch (const Error&) {
      return failure.exit_code;  // said already, or of no use beside the failure
    }
    try {
      put_json({{"schema", 1}, {"command", name_}, {"error", {{"kind", failure.kind}, {"message", failure.message}}}});
    } catch (const std::exception& e) {
      if (e.what() != failure.message) say("atoll: error: {}\n", e.what());
    }
  }
  return failure.exit_code;
}

void check_json_path(const std::string& path) {
  if (!path.empty() && path != "-") check_output_path(path);
}

void put_file(const std::string& path, std::string_view text) {
  if (path == result_path()) return print_result(text);
  write_file(path, text);
}

namespace {

// nlohmann's JSON 3.11 reads a null pointer as it takes an object apart that it had no memory for. So more than ours
// takes is asked for before, where a lack can be thrown; less than the allocator would give back at once.
void ask_for_room_of_json() {
  constexpr std::size_t kBytes = 96 << 10;
  const std::unique_ptr<std::byte[]> room(new std::byte[kBytes]);
  asm volatile("" ::"r"(room.get()) : "memory");  // else the compiler leaves both out
}

}  // namespace

nlohmann::json total_counters(World& world, const Counters& mine) {
  Counters all = mine;
  for (LevelCount& level : all.levels) {
    level.messages = world.sum(level.messages);
    level.bytes = world.sum(level.bytes);
    level.merged_bytes = world.sum(level.merged_bytes);
  }
  all.records = world.sum(mine.records);
  for (auto& retries : all.retries) retries = world.sum(retries);
  all.memory_bytes = world.max(mine.memory_bytes);
  all.wait_seconds = world.max(mine.wait_seconds);
  all.time = world.fold(mine.time, [](TimeSpent a, const TimeSpent& b) { return a += b; });
  std::vector<std::string> kinds;
  for (int l = 0; l < world.hierarchy().depth(); ++l) kinds.emplace_back(world.hierarchy().kind_at(l));
  ask_for_room_of_json();
  nlohmann::json j = all.to_json(kinds);
  j["memory_least_bytes"] = world.min(mine.memory_bytes);  // of the rank that needs least; memory_bytes is the most
  // Larger jobs are shown by their leaf domains, or not at all.
  constexpr Rank kDrawn = 64;
  if (world.size() <= kDrawn && world.size() > 1)
    j["traffic"] = {{"between", "ranks"}, {"bytes", world.all_gather_varying(std::span(std::as_const(mine.bytes_to)))}};
  return j;
}

std::string table_of(const std::vector<std::pair<std::string, std::string>>& rows) {
  std::size_t width = 0;
  for (const auto& [name, value] : rows) width = std::max(width, name.size());
  std::string text;
  for (const auto& [name, value] : rows) text += fmt::format("{:<{}}  {}\n", name, width, value);
  return text;
}

}  // namespace atl::cli
