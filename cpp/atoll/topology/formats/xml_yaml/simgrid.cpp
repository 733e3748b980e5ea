// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/topology/formats/xml_yaml/readers.hpp>
#include <atoll/topology/formats/xml_yaml/xml.hpp>
#include <charconv>

// A SimGrid platform: nested zones, with hosts, cabinets (hosts of a zone with cluster routing) and clusters, each of
// which is a domain. A cluster that is a torus, a fat tree or a dragonfly contains that family's domains. Zones with
// only routers are not domains.

namespace atl {
namespace {

// Host names from the radical, such as "1-29,58", with prefix and suffix.
std::vector<std::string> hosts_of(const TopologyFile& file, pugi::xml_node cluster) {
  const std::string radical = cluster.attribute("radical").as_string();
  check(!radical.empty(), "{}: {} '{}' without a radical (the numbers of its hosts). Add it.", line_of(file, cluster),
        cluster.name(), cluster.attribute("id").as_string());
  std::vector<std::string> names;
  for (const std::string& number : expand_hosts("[" + radical + "]", line_of(file, cluster)))
    names.push_back(cluster.attribute("prefix").as_string() + number + cluster.attribute("suffix").as_string());
  return names;
}

bool has_family(pugi::xml_node cluster) {
  const std::string_view topology = cluster.attribute("topology").as_string();
  return !topology.empty() && topology != "FLAT";
}

// Parses a number with its unit, into seconds or bytes per second.
double quantity(const TopologyFile& file, pugi::xml_node node, const char* attribute, double without) {
  const std::string_view text = node.attribute(attribute).as_string();
  if (text.empty()) return without;
  double value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string_view unit = text.substr(static_cast<std::size_t>(stop - text.data()));
  static const std::map<std::string_view, double> kUnits{
      {"", 1},       {"s", 1},       {"ms", 1e-3},    {"us", 1e-6},    {"ns", 1e-9},
      {"Bps", 1},    {"kBps", 1e3},  {"MBps", 1e6},   {"GBps", 1e9},   {"TBps", 1e12},
      {"bps", .125}, {"kbps", 125.}, {"Mbps", 125e3}, {"Gbps", 125e6}, {"Tbps", 125e9}};
  const auto known = kUnits.find(unit);
  check(error == std::errc() && known != kUnits.end() && value >= 0,
        "{}: {}='{}' (a number and its unit, as 125MBps or 50us). Correct it.", line_of(file, node), attribute, text);
  return value * known->second;
}

Network family(const TopologyFile& file, pugi::xml_node cluster) {
  const std::string topology = cluster.attribute("topology").as_string();
  std::string parameters = cluster.attribute("topo_parameters").as_string(), name;
  if (topology == "TORUS") {
    // SimGrid's first dimension varies fastest.
    std::string sizes;
    for (std::size_t end = parameters.size(); end != std::string::npos;) {
      const std::size_t comma = end == 0 ? std::string::npos : parameters.rfind(',', end - 1);
      const std::size_t begin = comma == std::string::npos ? 0 : comma + 1;
      if (!sizes.empty()) sizes += 'x';
      sizes.append(parameters, begin, end - begin);
      end = comma;
    }
    name = "torus:" + sizes;
  } else if (topology == "FAT_TREE") {
    name = "fat-tree:" + parameters;
  } else {
    check(topology == "DRAGONFLY", "{}: topology '{}' (FLAT, TORUS, FAT_TREE and DRAGONFLY are known). Correct it.",
          line_of(file, cluster), topology);
    name = "dragonfly:" + parameters;
  }
  try {
    Network plain = Network::parse(name);
    const std::size_t hosts = hosts_of(file, cluster).size();
    check(hosts == static_cast<std::size_t>(plain.hosts()), "{} has {} hosts (the radical names {}). Correct one.",
          name, plain.hosts(), hosts);
    return std::move(plain).with_links(quantity(file, cluster, "lat", Link().latency_s),
                                       quantity(file, cluster, "bw", Link().bytes_per_second));
  } catch (const InputError& e) {
    throw InputError(line_of(file, cluster) + ": " + e.what());
  }
}

// Replaces the ranks of a generated network by the cluster's hosts.
void name_hosts(Domain& d, const std::vector<std::string>& names) {
  for (Domain& c : d.children) name_hosts(c, names);
  for (const Rank r : d.ranks) d.children.push_back(host(names[r]));
  d.ranks.clear();
}

Domain cluster_domain(const TopologyFile& file, pugi::xml_node cluster) {
  const std::vector<std::string> names = hosts_of(file, cluster);
  Domain d{.kind = cluster.name(), .name = cluster.attribute("id").as_string(), .children = {}, .ranks = {}};
  if (has_family(cluster)) {
    Domain inside = family(file, cluster).hierarchy().root();
    name_hosts(inside, names);
    d.children = std::move(inside.children);
  } else {
    for (const std::string& name : names) d.children.push_back(host(name));
  }
  return d;
}

Domain zone_domain(const TopologyFile& file, pugi::xml_node zone) {
  Domain d{.kind = "zone", .name = zone.attribute("id").as_string(), .children = {}, .ranks = {}};
  for (const pugi::xml_node child : zone.children()) {
    const std::string_view tag = child.name();
    if (tag == "host") {
      d.children.push_back(host(child.attribute("id").as_string()));
    } else if (tag == "cluster" || tag == "cabinet") {
      d.children.push_back(cluster_domain(file, child));
    } else if (tag == "zone" || tag == "AS") {
      if (Domain inside = zone_domain(file, child); !inside.children.empty()) d.children.push_back(std::move(inside));
    } else if (tag == "include" || tag == "peer") {
      throw InputError(fmt::format("{}: <{}> is not read (a domain could be missed). Write out what it stands for.",
                                   line_of(file, child), tag));
    }
  }
  // A zone with a single domain separates nothing.
  if (d.children.size() == 1 && !d.children[0].children.empty()) {
    Domain only = std::move(d.children[0]);
    return only;
  }
  return d;
}

}  // namespace

Domain read_simgrid(const TopologyFile& file) {
  const pugi::xml_document document = parse_xml(file);
  Domain tree = zone_domain(file, document.child("platform"));
  check(!tree.children.empty(), "{}: a platform without hosts. Add some.", file.path);
  return tree;
}

std::optional<Network> simgrid_network(const TopologyFile& file) {
  const pugi::xml_document document = parse_xml(file);
  int holders = 0;
  pugi::xml_node cluster;
  const auto walk = [&](const auto& self, pugi::xml_node node) -> void {
    for (const pugi::xml_node child : node.children()) {
      const std::string_view tag = child.name();
      if (tag == "host" || tag == "cabinet" || tag == "cluster") ++holders;
      if (tag == "cluster" && has_family(child)) cluster = child;
      self(self, child);
    }
  };
  walk(walk, document);
  if (holders != 1 || !cluster) return std::nullopt;
  return family(file, cluster);
}

}  // namespace atl
