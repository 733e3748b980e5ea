// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/runtime/counters.hpp>
#include <atoll/transport/fabric.hpp>
#include <nlohmann/json.hpp>

namespace atl {

Counters& Counters::operator+=(const Counters& other) {
  levels.resize(std::max(levels.size(), other.levels.size()));
  for (std::size_t i = 0; i < other.levels.size(); ++i) {
    levels[i].messages += other.levels[i].messages;
    levels[i].bytes += other.levels[i].bytes;
    levels[i].merged_bytes += other.levels[i].merged_bytes;
  }
  records += other.records;
  for (int i = 0; i < kBusyReasons; ++i) retries[i] += other.retries[i];
  memory_bytes = std::max(memory_bytes, other.memory_bytes);
  wait_seconds += other.wait_seconds;
  time += other.time;
  for (const auto& [name, count] : other.routes) {
    RouteCount& mine = routes[name];
    mine.exchanges += count.exchanges;
    mine.predicted_seconds += count.predicted_seconds;
    mine.seconds += count.seconds;
  }
  bytes_to.resize(std::max(bytes_to.size(), other.bytes_to.size()));
  for (std::size_t r = 0; r < other.bytes_to.size(); ++r) bytes_to[r] += other.bytes_to[r];
  return *this;
}

Counters Counters::since(const Counters& before) const {
  Counters d = *this;
  for (std::size_t i = 0; i < before.levels.size(); ++i) {
    d.levels[i].messages -= before.levels[i].messages;
    d.levels[i].bytes -= before.levels[i].bytes;
    d.levels[i].merged_bytes -= before.levels[i].merged_bytes;
  }
  d.records -= before.records;
  for (int i = 0; i < kBusyReasons; ++i) d.retries[i] -= before.retries[i];
  d.wait_seconds -= before.wait_seconds;
  d.time = time - before.time;
  for (const auto& [name, count] : before.routes) {
    RouteCount& mine = d.routes[name];
    mine.exchanges -= count.exchanges;
    mine.predicted_seconds -= count.predicted_seconds;
    mine.seconds -= count.seconds;
  }
  for (std::size_t r = 0; r < before.bytes_to.size(); ++r) d.bytes_to[r] -= before.bytes_to[r];
  return d;
}

nlohmann::json Counters::to_json(const std::vector<std::string>& kinds) const {
  nlohmann::json j;
  for (std::size_t i = 0; i < levels.size(); ++i)
    j["levels"].push_back({{"level", i},
                           {"kind", i < kinds.size() ? kinds[i] : std::string()},
                           {"messages", levels[i].messages},
                           {"bytes", levels[i].bytes},
                           {"merged_bytes", levels[i].merged_bytes}});
  j["records"] = records;
  for (int i = 1; i < kBusyReasons; ++i) {
    std::string reason(name_of(static_cast<Busy>(i)));
    std::replace(reason.begin(), reason.end(), ' ', '_');
    j["retries"][reason] = retries[i];
  }
  j["memory_bytes"] = memory_bytes;
  j["wait_seconds"] = wait_seconds;
  for (const auto& [name, count] : routes)
    if (count.exchanges > 0)
      j["routes"].push_back({{"route", name},
                             {"exchanges", count.exchanges},
                             {"predicted_seconds", count.predicted_seconds},
                             {"seconds", count.seconds}});
  j["breakdown"] = time.to_json();
  return j;
}

}  // namespace atl
