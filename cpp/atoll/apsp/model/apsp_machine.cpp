// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <atoll/apsp/model/apsp_machine.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

namespace atl {
namespace {

constexpr std::array<std::pair<std::string_view, BroadcastShape>, 3> kSteps{
    {{"tree", BroadcastShape::tree}, {"ring", BroadcastShape::ring}, {"two_rings", BroadcastShape::ring2m}}};

std::string_view word_of(BroadcastShape steps) {
  return std::find_if(kSteps.begin(), kSteps.end(), [&](const auto& s) { return s.second == steps; })->first;
}

BroadcastShape steps_named(std::string_view name) {
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
  check(cards > 0 && rank_bytes_per_second > 0 && overlap >= 0 && overlap <= 1,
        "parameters '{}': {} cards a node, {} bytes/s of a rank, overlap {} (the first two are more than 0, the "
        "overlap is "
        "from 0 to 1). Correct them.",
        name, cards, rank_bytes_per_second, overlap);
  for (const BroadcastModel& b : broadcasts)
    check(b.sends >= 0, "parameters '{}': the root's node sends {} times in broadcast '{}' (0 or more). Correct it.",
          name, b.sends, b.name);
}

void ApspMachine::take_links(const Machine& machine, int node_ranks) {
  check(machine.cost.depth() >= 2,
        "a machine of {} level (all pairs need the links inside a node and those between nodes). Give one of two.",
        machine.cost.depth());
  const LevelCost& network = machine.cost.at(1);
  broadcasts.clear();
  for (const auto shape : {BroadcastShape::tree, BroadcastShape::ring, BroadcastShape::ring2m})
    broadcasts.push_back({std::string(name_of(shape)), shape, {network.bytes_per_second, 0}, /*sends=*/1});
  rank_bytes_per_second = machine.cost.at(0).bytes_per_second;
  cards = network.cards;
  latency_s = network.latency_s + network.overhead_s;
  ranks_per_node = node_ranks;
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
  m.diagonal_rate = 2e11;
  // Figure 5a: per node, against the matrix's size on a node; there the curves cross under about 20 MB, as these do.
  m.broadcasts = {{"tree", BroadcastShape::tree, {8.7e9, 0.018e9}}, {"ring", BroadcastShape::ring, {17.7e9, 0.06e9}}};
  m.ranks_per_node = 16;
  m.ranks_per_device = 2;
  m.memory_per_node = 8 * 64e9;
  m.copies = 2;
  return m;
}

nlohmann::json ApspMachine::to_json() const {
  nlohmann::json list = nlohmann::json::array();
  for (const BroadcastModel& b : broadcasts)
    list.push_back({{"name", b.name},
                    {"steps", word_of(b.steps)},
                    {"bytes_per_second", b.bytes_per_second.to_json()},
                    {"sends", b.sends}});
  return {{"name", name},
          {"provenance", provenance},
          {"element", element},
          {"element_bytes", element_bytes},
          {"rate_of_block", rate_of_block.to_json()},
          {"rate_of_size", rate_of_size.to_json()},
          {"diagonal_rate", finite_or_null(diagonal_rate)},
          {"broadcasts", list},
          {"latency_s", latency_s},
          {"rank_bytes_per_second", finite_or_null(rank_bytes_per_second)},
          {"overlap", overlap},
          {"ranks_per_node", ranks_per_node},
          {"ranks_per_device", ranks_per_device},
          {"cards", cards},
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
                              Hyperbola::from_json(b.at("bytes_per_second")), b.value("sends", 0.0)});
    m.latency_s = j.value("latency_s", m.latency_s);
    m.rank_bytes_per_second = number_or_infinity(j, "rank_bytes_per_second");
    m.overlap = j.value("overlap", m.overlap);
    m.ranks_per_node = j.value("ranks_per_node", m.ranks_per_node);
    m.ranks_per_device = j.value("ranks_per_device", m.ranks_per_device);
    m.cards = j.value("cards", m.cards);
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
