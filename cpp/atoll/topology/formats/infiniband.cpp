// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/formats/formats.hpp>
#include <charconv>
#include <numeric>
#include <set>

// The output of ibnetdiscover, and the net files of ibsim, which have the same form. A record begins with a switch or
// an adapter, `Switch 65 "S-2c5e"  # "leaf 1" ..`, followed by a line for each connected port, `[7] "H-e09d"[1](e09d) #
// "node7 mlx5_0" lid 9 4xNDR`. A link is listed at both of its ends.
//
// If a description consists of two words, host and device, adapters with the same host name form one host; any other
// adapter is a host of its own. Aggregation nodes sit inside switches and are not hosts. Domains: the hosts of a switch
// form a leaf domain, as do the hosts of several switches that are joined by hosts with an adapter at each of them (the
// rails of a unit). Higher domains follow the distance of switches from the hosts: links among the nearest switches
// form a domain, those with the next tier the domain above it.

namespace atl {
namespace {

struct Port {
  std::string id;
  int number = 0;
  bool operator<(const Port& other) const { return std::tie(id, number) < std::tie(other.id, other.number); }
};
struct Device {
  bool is_switch = false;
  std::string description;
  std::size_t line = 0;
};
struct Cable {
  Port a, b;
  double bytes_per_second;
};
struct Fabric {
  std::map<std::string, Device> devices;
  std::vector<std::string> order;
  std::vector<Cable> cables;
};

// The next "quoted" text from `at` on; `at` moves past it.
std::string_view quoted(std::string_view line, std::size_t& at) {
  const std::size_t open = line.find('"', at), close = open == line.npos ? line.npos : line.find('"', open + 1);
  if (close == line.npos) return {};
  at = close + 1;
  return line.substr(open + 1, close - open - 1);
}

int number_in(std::string_view line, std::size_t at) {  // of "[7]" at `at`; -1 if there is none
  int value = -1;
  if (at >= line.size() || line[at] != '[') return -1;
  const auto [stop, error] = std::from_chars(line.data() + at + 1, line.data() + line.size(), value);
  return error == std::errc() && stop != line.data() + line.size() && *stop == ']' ? value : -1;
}

// "4xNDR" as the last word: number of lanes and the data rate of one, in gigabits per second without encoding overhead.
double bandwidth_of(std::string_view line) {
  static const std::map<std::string_view, double> kLane{{"SDR", 2},    {"DDR", 4},     {"QDR", 8},
                                                        {"FDR10", 10}, {"FDR", 13.64}, {"EDR", 25},
                                                        {"HDR", 50},   {"NDR", 100},   {"XDR", 200}};
  const std::size_t end = line.find_last_not_of(" \t\r");
  const std::size_t space = end == line.npos ? line.npos : line.find_last_of(" \t", end);
  if (space == line.npos) return Link().bytes_per_second;
  const std::string_view word = line.substr(space + 1, end - space);
  int lanes = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), lanes);
  if (error != std::errc() || stop == word.data() + word.size() || *stop != 'x') return Link().bytes_per_second;
  const auto lane = kLane.find(word.substr(static_cast<std::size_t>(stop - word.data()) + 1));
  return lane == kLane.end() ? Link().bytes_per_second : lanes * lane->second * 1e9 / 8;
}

Fabric parse(const TopologyFile& file) {
  Fabric fabric;
  std::string device;  // whose ports are being read
  std::set<std::pair<Port, Port>> once;
  std::size_t number = 0;
  for (std::size_t at = 0; at < file.text.size();) {
    const std::size_t end = std::min(file.text.find('\n', at), file.text.size());
    const std::string_view line(file.text.data() + at, end - at);
    at = end + 1;
    ++number;
    std::size_t behind = 0;
    if (line.starts_with("Switch") || line.starts_with("Ca") || line.starts_with("Hca") || line.starts_with("Rt")) {
      device = quoted(line, behind);
      check(!device.empty(), "{}: '{}' (a device has an id in quotes). Correct it.", file.at(number),
            line.substr(0, 100));
      Device d{!line.starts_with("Ca") && !line.starts_with("Hca"), std::string(quoted(line, behind)), number};
      const auto [before, first] = fabric.devices.emplace(device, std::move(d));
      check(first, "{}: device '{}' (also in line {}). Remove one.", file.at(number), device, before->second.line);
      fabric.order.push_back(device);
    } else if (line.starts_with("[")) {
      Port here{device, number_in(line, 0)}, there;
      there.id = quoted(line, behind);
      there.number = number_in(line, behind);
      check(!device.empty() && here.number >= 0 && !there.id.empty() && there.number >= 0,
            "{}: '{}' (a port is [number] \"device\"[number], below its device). Correct it.", file.at(number),
            line.substr(0, 100));
      if (there < here) std::swap(here, there);
      if (once.emplace(here, there).second) fabric.cables.push_back({here, there, bandwidth_of(line)});
    }
  }
  return fabric;
}

// The host's name in a description; empty if there is none.
std::string host_in(const std::string& description) {
  const std::size_t space = description.find(' ');
  if (space == std::string::npos || description.find(' ', space + 1) != std::string::npos) return {};
  const std::string name = description.substr(0, space);
  return name == "localhost" ? std::string() : name;
}

struct Graph {
  std::vector<std::string> hosts, switches;
  std::vector<Link> links;  // hosts first, as in a Network
};

Graph graph_of(const TopologyFile& file, const Fabric& fabric) {
  Graph g;
  std::map<std::string, int> host_by_name, host_of, switch_of;  // the last two by device
  for (const std::string& id : fabric.order) {
    const Device& d = fabric.devices.at(id);
    if (d.is_switch) {
      switch_of[id] = static_cast<int>(g.switches.size());
      g.switches.push_back(d.description.empty() ? id : d.description);
    } else if (d.description.find("Aggregation Node") == std::string::npos) {
      const std::string named = host_in(d.description), name = named.empty() ? id : named;
      const auto [found, is_new] = host_by_name.try_emplace(name, static_cast<int>(g.hosts.size()));
      if (is_new) g.hosts.push_back(name);
      host_of[id] = found->second;
    }
  }
  const auto vertex = [&](const Port& p) -> std::optional<int> {
    check(fabric.devices.contains(p.id), "{}: device '{}' (a port is connected to it, but it has no record). Add it.",
          file.path, p.id);
    if (const auto s = switch_of.find(p.id); s != switch_of.end()) return static_cast<int>(g.hosts.size()) + s->second;
    if (const auto h = host_of.find(p.id); h != host_of.end()) return h->second;
    return std::nullopt;
  };
  for (const Cable& c : fabric.cables)
    if (const auto a = vertex(c.a), b = vertex(c.b); a && b)
      g.links.push_back({.a = *a, .b = *b, .bytes_per_second = c.bytes_per_second});
  check(!g.hosts.empty(), "{}: no hosts (adapters, Ca or Hca, are missing). Write it again with ibnetdiscover.",
        file.path);
  return g;
}

// [switch]: number of links to the nearest host, minus one.
std::vector<int> tiers_of(const Graph& g) {
  const auto hosts = static_cast<int>(g.hosts.size());
  std::vector<int> tier(g.hosts.size() + g.switches.size(), 1 << 20);
  std::fill_n(tier.begin(), hosts, -1);
  for (bool changed = true; changed;) {
    changed = false;
    for (const Link& l : g.links)
      for (const auto& [from, to] : {std::pair(l.a, l.b), std::pair(l.b, l.a)}) {
        int& there = tier[to];
        if (tier[from] + 1 >= there) continue;
        there = tier[from] + 1;
        changed = true;
      }
  }
  return tier;
}

Domain domains_of(const Graph& g) {
  const auto hosts = static_cast<int>(g.hosts.size());
  const std::vector<int> tier = tiers_of(g);
  std::vector<std::size_t> up(tier.size());
  std::iota(up.begin(), up.end(), std::size_t{0});
  const auto group = [&](std::size_t v) {
    while (up[v] != v) v = up[v] = up[up[v]];
    return v;
  };
  std::vector<Domain> domains;                      // of the level below
  std::vector<std::size_t> member(g.hosts.size());  // [domain] one of its hosts
  std::iota(member.begin(), member.end(), std::size_t{0});
  for (std::size_t h = 0; h < g.hosts.size(); ++h) {
    domains.push_back(host(g.hosts[h]));
    domains.back().ranks = {static_cast<Rank>(h)};
  }
  for (int t = 0; t <= static_cast<int>(g.switches.size()) && (domains.size() > 1 || t == 0); ++t) {
    for (const Link& l : g.links) {
      const auto a = static_cast<std::size_t>(l.a), b = static_cast<std::size_t>(l.b);
      if (l.a >= hosts && l.b >= hosts && std::max(tier[a], tier[b]) >= t) continue;
      const std::size_t x = group(a), y = group(b);
      up[std::max(x, y)] = std::min(x, y);
    }
    std::map<std::size_t, std::size_t> place;
    std::vector<Domain> joined;
    std::vector<std::size_t> members;
    for (std::size_t d = 0; d < domains.size(); ++d) {
      const auto [found, is_new] = place.try_emplace(group(member[d]), joined.size());
      if (is_new) {
        joined.push_back({.kind = t == 0 ? "switch" : "group", .name = {}, .children = {}, .ranks = {}});
        members.push_back(member[d]);
      }
      joined[found->second].children.push_back(std::move(domains[d]));
    }
    if (t > 0 && joined.size() == domains.size()) {  // no domains were joined: not a level
      for (std::size_t d = 0; d < joined.size(); ++d) domains[d] = std::move(joined[d].children.front());
      continue;
    }
    if (t == 0) {
      std::vector<int> switches(joined.size(), 0);
      for (std::size_t s = 0; s < g.switches.size(); ++s) {
        const std::size_t v = g.hosts.size() + s;
        const auto found = tier[v] == 0 ? place.find(group(v)) : place.end();
        if (found == place.end()) continue;
        Domain& d = joined[found->second];
        d.name = ++switches[found->second] == 1 ? g.switches[s] : "";
        if (d.name.empty()) d.kind = "unit";
      }
    }
    domains = std::move(joined);
    member = std::move(members);
  }
  if (domains.size() == 1) return std::move(domains.front());
  return {.kind = "system", .name = {}, .children = std::move(domains), .ranks = {}};
}

}  // namespace

Infiniband read_infiniband(const TopologyFile& file) {
  Graph g = graph_of(file, parse(file));
  Domain tree = domains_of(g);
  // Number the hosts in tree order, so that ranks and the network's hosts agree.
  std::vector<int> number(g.hosts.size());
  int next = 0;
  const auto walk = [&](const auto& self, Domain& d) -> void {
    if (!d.ranks.empty()) number[d.ranks[0]] = next++;
    d.ranks.clear();
    for (Domain& c : d.children) self(self, c);
  };
  walk(walk, tree);
  const auto renumber = [&](int& v) {
    if (v < next) v = number[v];
  };
  for (Link& l : g.links) {
    renumber(l.a);
    renumber(l.b);
  }
  Domain groups = tree;
  number_hosts(groups, 1);
  return {std::move(tree), Network({.name = file.path,
                                    .hosts = static_cast<int>(g.hosts.size()),
                                    .routers = static_cast<int>(g.switches.size()),
                                    .links = std::move(g.links),
                                    .groups = without_hosts(std::move(groups)),
                                    .path = {},
                                    .bisection = std::nullopt})};
}

}  // namespace atl
