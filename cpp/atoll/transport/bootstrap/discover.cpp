// SPDX-License-Identifier: Apache-2.0
#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/isa/isa.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/topology/formats/read_topology.hpp>
#include <atoll/topology/network/network.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

namespace atl {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
};
struct Free {
  void operator()(hwloc_bitmap_t b) const { hwloc_bitmap_free(b); }
};
using Topology = std::unique_ptr<hwloc_topology, Destroy>;
using Bitmap = std::unique_ptr<hwloc_bitmap_s, Free>;

Topology load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) return nullptr;
  Topology topology(raw);
  // Cores outside our binding still count: a rank must know which part of the machine it has.
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  if (hwloc_topology_load(raw) != 0) return nullptr;
  return topology;
}

// The number of the object of this type that contains the whole set; -1 if none does.
int holder(hwloc_topology_t topology, hwloc_obj_type_t type, hwloc_const_cpuset_t set) {
  const int n = hwloc_get_nbobjs_by_type(topology, type);
  for (int i = 0; i < n; ++i) {
    const hwloc_obj_t object = hwloc_get_obj_by_type(topology, type, static_cast<unsigned>(i));
    if (object && object->cpuset && hwloc_bitmap_isincluded(set, object->cpuset)) return i;
  }
  return -1;
}

std::string host_name() {
  char text[256] = "";
  return gethostname(text, sizeof text - 1) == 0 ? text : "localhost";
}

// ---- from placements to domains ----

struct Level {
  const char* kind;  // of the domains it forms
  int Placement::*number;
};
constexpr Level kInside[] = {
    {"package", &Placement::package}, {"numa", &Placement::numa}, {"l3", &Placement::l3}, {"core", &Placement::core}};

using Group = std::vector<Rank>;

std::vector<Group> split(const Group& ranks, std::span<const Placement> at, int Placement::*number) {
  std::map<int, Group> parts;
  for (const Rank r : ranks) parts[at[r].*number].push_back(r);
  std::vector<Group> out;
  for (auto& [n, part] : parts) out.push_back(std::move(part));
  // In the order of their first ranks, so that the tree shows ranks in the order of the job.
  std::sort(out.begin(), out.end(), [](const Group& a, const Group& b) { return a.front() < b.front(); });
  return out;
}

Domain grow(const Group& ranks, std::string kind, std::span<const Placement> at, std::span<const Level> levels) {
  Domain d{.kind = std::move(kind), .name = {}, .children = {}, .ranks = {}};
  if (levels.empty()) {
    d.ranks = ranks;
    return d;
  }
  for (const Group& part : split(ranks, at, levels[0].number))
    d.children.push_back(grow(part, levels[0].kind, at, levels.subspan(1)));
  return d;
}

// ---- reading the machine ----

std::size_t memory_line(const char* name) {
  std::ifstream file("/proc/meminfo");
  for (std::string key, unit, rest; file >> key;) {
    std::size_t kilobytes = 0;
    file >> kilobytes;
    std::getline(file, rest);
    if (key == name) return kilobytes << 10;
  }
  return 0;
}

std::size_t cache_bytes(hwloc_topology_t topology, hwloc_obj_type_t type) {
  const hwloc_obj_t cache = hwloc_get_obj_by_type(topology, type, 0);
  return cache ? static_cast<std::size_t>(cache->attr->cache.size) : 0;
}

}  // namespace

Placement placement() {
  Placement p;
  p.host = host_name();
  if (usable_cores() >= sysconf(_SC_NPROCESSORS_ONLN)) return p;  // unbound: on all of the machine
  const Topology topology = load();
  const Bitmap set(hwloc_bitmap_alloc());
  if (!topology || !set || hwloc_get_cpubind(topology.get(), set.get(), HWLOC_CPUBIND_PROCESS) != 0) return p;
  p.package = holder(topology.get(), HWLOC_OBJ_PACKAGE, set.get());
  p.numa = holder(topology.get(), HWLOC_OBJ_NUMANODE, set.get());
  p.l3 = holder(topology.get(), HWLOC_OBJ_L3CACHE, set.get());
  p.core = holder(topology.get(), HWLOC_OBJ_CORE, set.get());
  return p;
}

Hierarchy hierarchy_of(std::span<const Placement> at) {
  Group all;
  for (std::size_t r = 0; r < at.size(); ++r) all.push_back(static_cast<Rank>(r));
  const std::vector<Group> nodes = split(all, at, &Placement::node);

  std::vector<Level> kept;
  std::vector<Group> groups = nodes;
  for (const Level& level : kInside) {
    bool known = true, separates = false, joins = false;
    std::vector<Group> parts;
    for (const Group& g : groups) {
      for (const Rank r : g) known = known && at[r].*level.number >= 0;
      const auto of_group = split(g, at, level.number);
      separates = separates || of_group.size() > 1;
      for (const Group& part : of_group) {
        joins = joins || part.size() > 1;
        parts.push_back(part);
      }
    }
    if (!known || !separates || !joins) continue;
    kept.push_back(level);
    groups = std::move(parts);
  }

  if (nodes.size() == 1) {
    Domain root = grow(all, "node", at, kept);
    root.name = at.empty() ? "" : at[0].host;
    return Hierarchy(std::move(root));
  }
  Domain root{.kind = "system", .name = {}, .children = {}, .ranks = {}};
  for (const Group& node : nodes) {
    root.children.push_back(grow(node, "node", at, kept));
    root.children.back().name = at[node.front()].host;
  }
  return Hierarchy(std::move(root));
}

Hierarchy discover(Bootstrap& job, const Fabric& fabric) {
  const Placement mine = placement();
  std::vector<Placement> all;
  for (const std::string& text :
       job.gather(fmt::format("{} {} {} {} {}", mine.package, mine.numa, mine.l3, mine.core, mine.host))) {
    Placement p;
    char host[256] = "";
    std::sscanf(text.c_str(), "%d %d %d %d %255s", &p.package, &p.numa, &p.l3, &p.core, host);
    p.host = host;
    p.node = fabric.node_of(static_cast<Rank>(all.size()));
    all.push_back(std::move(p));
  }
  return hierarchy_of(all);
}

Hierarchy read_domains(const std::string& text, Rank ranks, const Log& log) {
  std::error_code ignored;
  if (std::filesystem::is_regular_file(text, ignored)) {
    Hierarchy h = read_hierarchy(text, 1, log);
    // A hierarchy of ranks (JSON) is taken unchanged; the caller reports a wrong size.
    return ranks > h.size() && ranks % h.size() == 0 ? read_hierarchy(text, ranks / h.size()) : h;
  }
  check(text.find_first_of("./") == std::string::npos,
        "{}: no such file (--domains takes a file of a topology, sizes as 2x4, or a network as torus:4x4). Correct "
        "--domains.",
        text);
  return text.find(':') == std::string::npos ? Hierarchy::parse(text) : Network::parse(text).hierarchy();
}

HostFacts host_facts() {
  HostFacts m;
  m.host = host_name();
  m.isa = name_of(machine_isa());
  m.usable_cores = m.cores = usable_cores();
  m.memory_bytes = memory_line("MemTotal:");
  m.free_memory_bytes = memory_line("MemAvailable:");
  std::ifstream cpu("/proc/cpuinfo");
  for (std::string line; std::getline(cpu, line);)
    if (line.rfind("model name", 0) == 0) {
      m.processor = line.substr(std::min(line.size(), line.find(':') + 2));
      break;
    }
  std::string modes;
  std::getline(std::ifstream("/sys/kernel/mm/transparent_hugepage/enabled"), modes);
  if (const auto open = modes.find('['); open != std::string::npos)
    m.huge_pages = modes.substr(open + 1, modes.find(']') - open - 1);
  if (const Topology topology = load()) {
    hwloc_topology_t t = topology.get();
    m.packages = std::max(1, hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_PACKAGE));
    m.numa_domains = std::max(1, hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_NUMANODE));
    m.cores = std::max(1, hwloc_get_nbobjs_by_type(t, HWLOC_OBJ_CORE));
    m.l1_bytes = cache_bytes(t, HWLOC_OBJ_L1CACHE);
    m.l2_bytes = cache_bytes(t, HWLOC_OBJ_L2CACHE);
    m.l3_bytes = cache_bytes(t, HWLOC_OBJ_L3CACHE);
  }
  return m;
}

nlohmann::json HostFacts::to_json() const {
  return {{"host", host},
          {"processor", processor},
          {"isa", isa},
          {"packages", packages},
          {"numa_domains", numa_domains},
          {"cores", cores},
          {"usable_cores", usable_cores},
          {"l1_bytes", l1_bytes},
          {"l2_bytes", l2_bytes},
          {"l3_bytes", l3_bytes},
          {"memory_bytes", memory_bytes},
          {"free_memory_bytes", free_memory_bytes},
          {"huge_pages", huge_pages}};
}

}  // namespace atl
