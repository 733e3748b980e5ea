// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atoll/base/error.hpp>
#include <atoll/model/apsp_machine.hpp>
#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace atl {
namespace {

constexpr std::array<std::pair<std::string_view, BroadcastSteps>, 3> kSteps{
    {{"tree", BroadcastSteps::tree}, {"ring", BroadcastSteps::ring}, {"two_rings", BroadcastSteps::two_rings}}};

std::string_view name_of(BroadcastSteps steps) {
  return std::find_if(kSteps.begin(), kSteps.end(), [&](const auto& s) { return s.second == steps; })->first;
}

BroadcastSteps steps_named(std::string_view name) {
  const auto at = std::find_if(kSteps.begin(), kSteps.end(), [&](const auto& s) { return s.first == name; });
  check(at != kSteps.end(), "steps '{}' of a broadcast are unknown (there are tree, ring, two_rings). Choose one.",
        name);
  return at->second;
}

// JSON has no infinity.
nlohmann::json finite_or_null(double x) { return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(); }
double number_or_infinity(const nlohmann::json& j, const char* key) {
  if (!j.contains(key) || j.at(key).is_null()) return std::numeric_limits<double>::infinity();
  return j.at(key).get<double>();
}

}  // namespace

int steps_among(BroadcastSteps steps, int ranks) {
  if (ranks <= 1) return 0;
  switch (steps) {
    case BroadcastSteps::tree:
      return std::bit_width(static_cast<unsigned>(ranks - 1));
    case BroadcastSteps::two_rings:
      return ranks <= 3 ? ranks - 1 : ranks / 2 + 1;
    case BroadcastSteps::ring:
      break;
  }
  return ranks - 1;
}

const BroadcastModel& ApspMachine::broadcast(std::string_view wanted) const {
  for (const BroadcastModel& b : broadcasts)
    if (b.name == wanted) return b;
  std::vector<std::string> names;
  for (const BroadcastModel& b : broadcasts) names.push_back(b.name);
  throw InputError(
      fmt::format("broadcast '{}' has no bandwidth among the parameters '{}' (they have {}). Choose one of "
                  "those, or measure it with `atoll model fit`.",
                  wanted, name, fmt::join(names, ", ")));
}

void ApspMachine::validate() const {
  for (const Hyperbola& h : {rate_of_block, rate_of_size})
    check(h.a > 0 && h.d >= 0,
          "parameters '{}': a rate's a = {}, d = {} (a is more than 0, d is 0 or more). Correct it.", name, h.a, h.d);
  check(
      element_bytes > 0 && diagonal_rate > 0 && latency_s >= 0 && ranks_per_node > 0 && ranks_per_device > 0 &&
          ranks_per_node % ranks_per_device == 0 && memory_per_node > 0 && copies >= 1,
      "parameters '{}': element of {} bytes, diagonal rate {}, latency {} s, {} ranks a node, {} a device, {} bytes a "
      "node, {} copies (all are more than 0, the latency may be 0, a node has whole devices). Correct them.",
      name, element_bytes, diagonal_rate, latency_s, ranks_per_node, ranks_per_device, memory_per_node, copies);
}

ApspMachine ApspMachine::frontier() {
  ApspMachine m;
  m.name = "frontier";
  m.provenance =
      "COAST (SC22): rates, bandwidths and their d from Table V; 8 GCDs of 64 GB a node, two ranks each. Table II's "
      "memory is 8 bytes an entry: two copies. Not printed there: the latency, which the measured bandwidths have in "
      "them, and the rate on a diagonal block, which is set so that 768 is the best block of 4.1 million vertices on "
      "9,216 nodes.";
  m.rate_of_block = {15.56e12, 70};
  m.rate_of_size = {15e12, 4e6};
  m.diagonal_rate = 1.5e11;
  // Figure 5a: per node, against the matrix's size on a node; there the curves cross under about 20 MB, as these do.
  m.broadcasts = {{"tree", BroadcastSteps::tree, {8.7e9, 0.018e9}}, {"ring", BroadcastSteps::ring, {17.7e9, 0.06e9}}};
  m.ranks_per_node = 16;
  m.ranks_per_device = 2;
  m.memory_per_node = 8 * 64e9;
  m.copies = 2;
  return m;
}

nlohmann::json ApspMachine::to_json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const BroadcastModel& b : broadcasts)
    list.push_back({{"name", b.name}, {"steps", name_of(b.steps)}, {"bytes_per_second", b.bytes_per_second.to_json()}});
  return {{"name", name},
          {"provenance", provenance},
          {"element", element},
          {"element_bytes", element_bytes},
          {"rate_of_block", rate_of_block.to_json()},
          {"rate_of_size", rate_of_size.to_json()},
          {"diagonal_rate", finite_or_null(diagonal_rate)},
          {"broadcasts", list},
          {"latency_s", latency_s},
          {"ranks_per_node", ranks_per_node},
          {"ranks_per_device", ranks_per_device},
          {"memory_per_node", finite_or_null(memory_per_node)},
          {"copies", copies}};
}

ApspMachine ApspMachine::from_json(const nlohmann::json& j) {
  ApspMachine m;
  try {
    m.name = j.value("name", "");
    m.provenance = j.value("provenance", "");
    m.element = j.value("element", m.element);
    m.element_bytes = j.value("element_bytes", m.element_bytes);
    m.rate_of_block = Hyperbola::from_json(j.at("rate_of_block"));
    m.rate_of_size = Hyperbola::from_json(j.at("rate_of_size"));
    m.diagonal_rate = number_or_infinity(j, "diagonal_rate");
    for (const auto& b : j.value("broadcasts", nlohmann::json::array()))
      m.broadcasts.push_back({b.at("name").get<std::string>(), steps_named(b.at("steps").get<std::string>()),
                              Hyperbola::from_json(b.at("bytes_per_second"))});
    m.latency_s = j.value("latency_s", m.latency_s);
    m.ranks_per_node = j.value("ranks_per_node", m.ranks_per_node);
    m.ranks_per_device = j.value("ranks_per_device", m.ranks_per_device);
    m.memory_per_node = number_or_infinity(j, "memory_per_node");
    m.copies = j.value("copies", m.copies);
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("parameters of the model: {} (`atoll model fit --json FILE` writes such an object). "
                    "Correct it.",
                    e.what()));
  }
  m.validate();
  return m;
}

}  // namespace atl
