// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/base/json.hpp>
#include <atoll/base/random.hpp>
#include <atoll/topology/machine.hpp>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>

namespace atl {
namespace {

// The maximum number of routes walked per level and domain, about a quarter of a second of work.
constexpr std::size_t kRoutes = 1 << 18;

// The links that messages from one domain to the outside cross.
struct Crossing {
  bool met = false;  // whether there are hosts at that level
  double latency_s = 0;
  double bytes_per_second = std::numeric_limits<double>::infinity();
};

class Measure {
 public:
  explicit Measure(const Network& network) : network_(network), hierarchy_(network.hierarchy()) {
    host_link_.resize(static_cast<std::size_t>(network.hosts()));
    for (const Link& l : network.links())
      for (const int end : {l.a, l.b})
        if (end < network.hosts()) host_link_[end] += l.bytes_per_second;
  }

  const Hierarchy& hierarchy() const { return hierarchy_; }
  double host_link() const { return *std::min_element(host_link_.begin(), host_link_.end()); }

  // The crossing out of the domain of `host` below `level`; for level 0, to the hosts beside it.
  Crossing crossing(int level, int host) const {
    std::vector<int> sources, targets;
    for (int h = 0; h < network_.hosts(); ++h) {
      const int between = hierarchy_.level_between(host, h);
      if (level == 0 ? h == host : between < level) {
        sources.push_back(h);
      } else if (level > 0 || between == 0) {
        targets.push_back(h);
      }
    }
    Crossing c;
    if (targets.empty()) return c;
    double own = 0;
    for (const int s : sources) own += host_link_[s];
    thin(targets, std::max<std::size_t>(64, kRoutes / sources.size()));

    std::vector<std::int64_t> load(2 * network_.links().size());
    double latency_s = 0;
    std::int64_t pairs = 0, at_level = 0;
    for (const int to : targets) {
      const std::vector<Hop> next = network_.has_rule() ? std::vector<Hop>{} : network_.towards(to);
      for (const int from : sources) {
        ++pairs;
        double sum = 0;
        walk(next, from, to, [&](const Hop& hop) {
          const Link& link = network_.links()[hop.link];
          sum += link.latency_s;
          if (hop.from >= network_.hosts() && hop.to >= network_.hosts())
            ++load[2 * static_cast<std::size_t>(hop.link) + (hop.from == link.a ? 0 : 1)];
        });
        if (hierarchy_.level_between(from, to) != level) continue;
        latency_s += sum;
        ++at_level;
      }
    }
    c.met = at_level > 0;
    if (c.met) c.latency_s = latency_s / static_cast<double>(at_level);
    c.bytes_per_second = own;
    for (std::size_t i = 0; i < load.size(); ++i)
      if (load[i] > 0)
        c.bytes_per_second =
            std::min(c.bytes_per_second, network_.links()[i / 2].bytes_per_second * static_cast<double>(pairs) /
                                             static_cast<double>(load[i]));
    return c;
  }

 private:
  // Random sampling: taking every k-th host would often take hosts below the same parent of a tree.
  static void thin(std::vector<int>& hosts, std::size_t most) {
    if (hosts.size() <= most) return;
    Random random(1);
    std::shuffle(hosts.begin(), hosts.end(), random);
    hosts.resize(most);
  }

  template <class F>
  void walk(const std::vector<Hop>& next, int from, int to, F&& f) const {
    if (next.empty()) {
      for (const Hop& hop : network_.route(from, to)) f(hop);
      return;
    }
    for (int at = from; at != to; at = next[at].to) f(next[at]);
  }

  const Network& network_;
  const Hierarchy hierarchy_;
  std::vector<double> host_link_;
};

Machine of_network(Network network, double overhead_s) {
  auto shared = std::make_shared<const Network>(std::move(network));
  Machine machine(network_costs(*shared, overhead_s), shared);
  machine.hierarchy = shared->hierarchy();
  return machine;
}

NoiseModel noise_from_json(const nlohmann::json& j) {
  NoiseModel d;
  try {
    d.jitter = j.value("jitter", d.jitter);
    d.seed = j.value("seed", d.seed);
    if (j.contains("slow"))
      for (const auto& s : j.at("slow"))
        d.slow_links.push_back({s.at("level").get<int>(), s.at("link").get<int>(), s.at("factor").get<double>()});
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("platform: {} (jitter and seed are numbers, slow is a list of objects with level, link and "
                    "factor). Correct it.",
                    e.what()));
  }
  check(d.jitter >= 0 && d.jitter <= 1000, "jitter is {} (0 to 1000). Correct it.", d.jitter);
  return d;
}

std::optional<DeviceRates> device_from_json(const nlohmann::json& j) {
  if (!j.contains("device")) return {};
  const nlohmann::json& device = j.at("device");
  const auto rate = [&](const char* name) {
    return device.is_object() && device.contains(name) && device[name].is_number() ? device[name].get<double>() : 0;
  };
  const DeviceRates rates{rate("flops_per_second"), rate("memory_bytes_per_second")};
  check(
      rates.flops_per_second > 0 && rates.memory_bytes_per_second > 0,
      "platform: device is {} (an object with flops_per_second and memory_bytes_per_second, both above 0). Correct it.",
      dump_json(device));
  return rates;
}

}  // namespace

Cost network_costs(const Network& network, double overhead_s) {
  const Measure measure(network);
  const int depth = measure.hierarchy().depth();
  std::vector<LevelCost> costs(static_cast<std::size_t>(depth), {0, measure.host_link(), overhead_s});
  for (int level = depth - 1; level >= 0; --level) {
    LevelCost& cost = costs[level];
    double latency_s = 0, bytes_per_second = 0;
    int domains = 0;
    for (int i = 0; i < 4; ++i) {
      const int host = static_cast<int>(std::int64_t{network.hosts()} * i / 4);
      const Crossing c = measure.crossing(level, host);
      if (!c.met) continue;
      ++domains;
      latency_s += c.latency_s;
      bytes_per_second += c.bytes_per_second;
    }
    // No two hosts are this close: use the costs of the level above, so that no level looks faster than it is.
    if (domains == 0) {
      if (level + 1 < depth) cost.latency_s = costs[level + 1].latency_s;
      continue;
    }
    cost.latency_s = latency_s / domains;
    if (level > 0) cost.bytes_per_second = bytes_per_second / domains;
  }
  return Cost(std::move(costs), fmt::format("of the links of {}", network.name()));
}

Machine read_machine(const std::string& text, int depth) {
  if (text.empty()) return Cost::paper(depth);
  if (auto preset = machine_preset(text)) return *std::move(preset);
  constexpr double kOverhead_s = 0.2e-6;
  std::error_code ignored;
  if (!std::filesystem::exists(text, ignored) && text.find(':') != std::string::npos)
    return of_network(Network::parse(text), kOverhead_s);
  const std::optional<std::string> file = read_text_file(text);
  check(file.has_value(), "{}: cannot be opened (it says what levels cost). Give a JSON file, or a network.", text);
  const nlohmann::json j = try_parse_json(*file);
  check(j.is_object() && (j.contains("levels") || j.contains("network")),
        "{}: not a platform (an object with levels: a list of latency_s, bytes_per_second and overhead_s; or with "
        "network: a name). Correct it.",
        text);
  if (j.contains("levels")) {
    Machine machine = Cost::from_json(j);
    machine.noise = noise_from_json(j);
    machine.device = device_from_json(j);
    if (j.contains("records")) machine.records = RecordCosts::from_json(j.at("records"));
    if (j.contains("hierarchy")) machine.hierarchy = Hierarchy::from_json(j.at("hierarchy"));
    if (j.contains("domains") && j["domains"].is_string())
      machine.hierarchy = Hierarchy::parse(j["domains"].get<std::string>());
    return machine;
  }
  try {
    Network network = Network::parse(j.at("network").get<std::string>());
    const double latency_s = j.value("latency_s", 1e-7), bytes_per_second = j.value("bytes_per_second", 12.5e9);
    check(latency_s >= 0 && bytes_per_second > 0,
          "{}: links of {} s and {} bytes/s (at least 0, and above). Correct it.", text, latency_s, bytes_per_second);
    Machine machine =
        of_network(std::move(network).with_links(latency_s, bytes_per_second), j.value("overhead_s", kOverhead_s));
    if (j.contains("records")) machine.records = RecordCosts::from_json(j.at("records"));
    return machine;
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("{}: {} (network is a name; latency_s, bytes_per_second and overhead_s are numbers). Correct it.",
                    text, e.what()));
  }
}

nlohmann::json Machine::to_json() const {
  nlohmann::json j = cost.to_json();
  if (hierarchy) j["hierarchy"] = hierarchy->to_json();
  if (network) j["network"] = network->name();
  if (device)
    j["device"] = {{"flops_per_second", device->flops_per_second},
                   {"memory_bytes_per_second", device->memory_bytes_per_second}};
  if (!records.is_none()) j["records"] = records.to_json();
  return j;
}

}  // namespace atl
