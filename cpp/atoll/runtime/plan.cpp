// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/json.hpp>
#include <atoll/runtime/plan.hpp>
#include <atoll/runtime/routes/savings.hpp>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

extern char** environ;

namespace atl {
namespace {

// The one list of fields: JSON, environment and validation all walk it.
template <class P, class F>
void for_each_field(P& plan, F&& f) {
  f("transport", plan.transport);
  f("node_transport", plan.node_transport);
  f("mpi", plan.mpi);
  f("provider", plan.provider);
  f("route", plan.route);
  f("without", plan.without);
  f("exchange", plan.exchange);
  f("monitors", plan.monitors);
  f("domains", plan.domains);
  f("platform", plan.platform);
  f("map", plan.map);
  f("buffers", plan.buffers);
  f("lane_bytes", plan.lane_bytes);
  f("threads", plan.threads);
  f("slot_bytes", plan.slot_bytes);
  f("slots_per_peer", plan.slots_per_peer);
  f("ring_bytes", plan.ring_bytes);
  f("eager_bytes", plan.eager_bytes);
  f("packets", plan.packets);
  f("progress", plan.progress);
  f("budget_bytes", plan.budget_bytes);
  f("replicated_bytes", plan.replicated_bytes);
  f("stall_seconds", plan.stall_seconds);
  f("timeout_seconds", plan.timeout_seconds);
  f("compute_scale", plan.compute_scale);
  f("shuffle_seed", plan.shuffle_seed);
}

// Checked here, because nlohmann converts values that do not fit: 1.5 becomes 1, true 1, and -1 the largest number.
template <class T>
bool fits(const nlohmann::json& j) {
  if constexpr (std::is_same_v<T, std::string>) {
    return j.is_string();
  } else if constexpr (std::is_floating_point_v<T>) {
    return j.is_number();
  } else if constexpr (std::is_unsigned_v<T>) {
    return j.is_number_unsigned() || (j.is_number_integer() && j.get<std::int64_t>() >= 0);
  } else {
    return j.is_number_integer() && (!j.is_number_unsigned() || j.get<std::uint64_t>() <= INT64_MAX) &&
           j.get<std::int64_t>() == static_cast<T>(j.get<std::int64_t>());
  }
}

std::string variable_of(const char* field) {
  std::string name = "ATOLL_";
  for (const char* c = field; *c; ++c) name += static_cast<char>(std::toupper(static_cast<unsigned char>(*c)));
  return name;
}

// Variables that other code reads: base/isa, the tests, the launcher for its children, bootstraps, the command
// (--ranks).
constexpr const char* kOtherVariables[] = {
    "ATOLL_ISA",   "ATOLL_DATA",      "ATOLL_JOB",  "ATOLL_PLUGINS",         "ATOLL_HOSTS",
    "ATOLL_CACHE", "ATOLL_BOOTSTRAP", "ATOLL_RANK", "ATOLL_BOOTSTRAP_RANKS", "ATOLL_RANKS"};

}  // namespace

std::size_t Plan::slot_bytes_for(int ranks) const {
  if (slot_bytes > 0) return slot_bytes;
  constexpr std::size_t kLargest = 64 << 10, kSmallest = 1 << 10;
  constexpr std::size_t kRanksOfLargest = 16;
  const std::size_t fair = kLargest * kRanksOfLargest / static_cast<std::size_t>(std::max(1, ranks)) / 64 * 64;
  return std::clamp(fair, kSmallest, kLargest);
}

std::size_t Plan::ring_bytes_for(int ranks) const {
  if (ring_bytes > 0) return ring_bytes;
  constexpr std::size_t kLargest = 128 << 10, kSmallest = 4 << 10;
  constexpr std::size_t kRanksOfLargest = 16;
  return std::clamp(std::bit_floor(kLargest * kRanksOfLargest / static_cast<std::size_t>(std::max(1, ranks))),
                    kSmallest, kLargest);
}

nlohmann::json Plan::to_json() const {
  nlohmann::json j;
  for_each_field(*this, [&](const char* name, const auto& value) { j[name] = value; });
  return j;
}

Plan Plan::from_json(const nlohmann::json& j) {
  Plan plan;
  check(j.is_object(), "plan: {} (a plan is an object of fields). Correct it.", dump_json(j));
  std::size_t known = 0;
  for_each_field(plan, [&](const char* name, auto& value) {
    if (!j.contains(name)) return;
    ++known;
    check(fits<std::decay_t<decltype(value)>>(j.at(name)), "plan: {} is {} (not of the field's type). Correct it.",
          name, dump_json(j.at(name)));
    j.at(name).get_to(value);
  });
  if (known != j.size()) {
    const nlohmann::json all = plan.to_json();
    for (const auto& [key, value] : j.items())
      check(all.contains(key), "plan: field '{}' is unknown (`atoll info` lists the fields). Remove it.", key);
  }
  plan.validate();
  return plan;
}

Plan Plan::from_environment(Plan plan) {
  for_each_field(plan, [](const char* name, auto& value) {
    const std::string variable = variable_of(name);
    const char* text = std::getenv(variable.c_str());
    if (!text) return;
    using T = std::remove_reference_t<decltype(value)>;
    if constexpr (std::is_same_v<T, std::string>) {
      value = text;
    } else {
      const nlohmann::json number = try_parse_json(text);
      if (!fits<T>(number))
        throw UsageError(fmt::format("{} is '{}' (a{} number is needed). Correct or unset it.", variable, text,
                                     std::is_floating_point_v<T> ? "" : " whole"));
      number.get_to(value);
    }
  });
  try {
    plan.validate();
  } catch (const InputError& e) {
    throw UsageError(e.what());  // like any wrong option
  }
  return plan;
}

void Plan::validate() const {
  auto one_of = [](const char* field, const std::string& value, std::initializer_list<const char*> choices) {
    if (std::find(choices.begin(), choices.end(), value) == choices.end())
      throw InputError(
          fmt::format("{} '{}' is unknown (there are {}). Choose one.", field, value, fmt::join(choices, ", ")));
  };
  one_of("transport", transport,
         {"auto", "inproc", "shm", "mpi", "mpi_probe", "mpi_mprobe", "mpi_rma", "ofi", "levels", "flows"});
  one_of("node_transport", node_transport, {"auto", "shm", "none"});
  one_of("progress", progress, {"inline", "thread"});
  one_of("mpi", mpi, {"auto", "openmpi", "mpich"});
  one_of("route", route,
         {"direct", "aml", "aml-levels", "row", "mst", "mst-levels", "domain", "domain:leaf", "domain:rank", "auto"});
  Savings::without(without);
  one_of("exchange", exchange, {"auto", "mailbox", "queue"});
  one_of("monitors", monitors, {"spread", "one", "single", "router", "heavy"});
  one_of("buffers", buffers, {"dynamic", "switched", "single"});
  check(threads >= 0 && threads <= 4096, "threads is {} (0 for all cores, at most 4096). Change it.", threads);
  check(slot_bytes == 0 || (slot_bytes >= 128 && slot_bytes % 64 == 0 && slot_bytes <= (std::size_t{1} << 28)),
        "slot_bytes is {} (0, or a multiple of 64 from 128 to 2^28). Change it.", slot_bytes);
  check(lane_bytes <= (std::size_t{1} << 30), "lane_bytes is {} (at most 2^30). Change it.", lane_bytes);
  check(slots_per_peer >= 1 && slots_per_peer <= 64, "slots_per_peer is {} (1 to 64). Change it.", slots_per_peer);
  check(
      ring_bytes == 0 || (std::has_single_bit(ring_bytes) && ring_bytes >= 64 && ring_bytes <= (std::size_t{1} << 30)),
      "ring_bytes is {} (0, or a power of two from 64 to 2^30). Change it.", ring_bytes);
  check(packets >= 1 && packets <= (1 << 24), "packets is {} (1 to 2^24). Change it.", packets);
  check(stall_seconds > 0, "stall_seconds is {} (a time above 0). Change it.", stall_seconds);
  check(compute_scale >= 0 && std::isfinite(compute_scale),
        "compute_scale is {} (0 for no time, or virtual seconds a second). Change it.", compute_scale);
  check(timeout_seconds >= 0, "timeout_seconds is {} (0 for never, or a time). Change it.", timeout_seconds);
}

std::vector<std::string> unknown_environment() {
  std::vector<std::string> unknown;
  Plan plan;
  for (char** e = environ; *e; ++e) {
    const std::string entry = *e;
    if (entry.rfind("ATOLL_", 0) != 0) continue;
    const std::string name = entry.substr(0, entry.find('='));
    bool known = std::find(std::begin(kOtherVariables), std::end(kOtherVariables), name) != std::end(kOtherVariables);
    for_each_field(plan, [&](const char* field, const auto&) { known = known || variable_of(field) == name; });
    if (!known) unknown.push_back(name);
  }
  return unknown;
}

}  // namespace atl
