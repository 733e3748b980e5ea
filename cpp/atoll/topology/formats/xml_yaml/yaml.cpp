// SPDX-License-Identifier: Apache-2.0
#include <yaml-cpp/yaml.h>

#include <atoll/base/error.hpp>
#include <atoll/topology/formats/xml_yaml/readers.hpp>

// Two kinds of YAML. Slurm's topology.yaml is a list of topologies, each a tree, blocks or flat; the one with
// cluster_default is used, else the first. A topograph model is a map of switches by name with child switches, and
// blocks that attach nodes to a switch.

namespace atl {
namespace {

std::string where(const TopologyFile& file, const YAML::Node& node) {
  return file.at(static_cast<std::size_t>(std::max(0, node.Mark().line)) + 1);
}

// "a[1-2],b" or a list of such texts; an empty text names no host.
std::vector<std::string> names(const TopologyFile& file, const YAML::Node& node) {
  std::vector<std::string> out;
  if (!node || node.IsNull()) return out;
  const auto add = [&](const YAML::Node& text) {
    if (text.IsNull() || (text.IsScalar() && text.Scalar().empty())) return;
    for (std::string& name : expand_hosts(text.as<std::string>(), where(file, text))) out.push_back(std::move(name));
  };
  if (node.IsScalar()) {
    add(node);
  } else {
    for (const YAML::Node& entry : node) add(entry);
  }
  return out;
}

Domain slurm_block(const TopologyFile& file, const YAML::Node& block) {
  SwitchTree blocks("block", file);
  for (const YAML::Node& b : block["blocks"])
    blocks.add(b["block"].as<std::string>(), {}, names(file, b["nodes"]), where(file, b));
  std::vector<std::int64_t> sizes;
  for (const YAML::Node& size : block["block_sizes"]) {
    sizes.push_back(size.as<std::int64_t>());
    check(sizes.back() > 0 && (sizes.size() == 1 || sizes.back() % sizes[sizes.size() - 2] == 0),
          "{}: block size {} (each is a multiple of the one before). Correct it.", where(file, size), sizes.back());
  }
  return blocks.take_in_groups(sizes);
}

Domain slurm(const TopologyFile& file, const YAML::Node& list) {
  YAML::Node chosen = list[0];
  for (const YAML::Node& t : list)
    if (t["cluster_default"] && t["cluster_default"].as<bool>()) {
      chosen = t;
      break;
    }
  if (const YAML::Node tree = chosen["tree"]) {
    SwitchTree switches("switch", file);
    for (const YAML::Node& s : tree["switches"])
      switches.add(s["switch"].as<std::string>(), names(file, s["children"]), names(file, s["nodes"]), where(file, s));
    return switches.take();
  }
  if (const YAML::Node block = chosen["block"]) return slurm_block(file, block);
  throw InputError(
      fmt::format("{}: a topology that is neither tree nor block (a flat one names no hosts). Choose "
                  "another by cluster_default.",
                  where(file, chosen)));
}

Domain topograph(const TopologyFile& file, const YAML::Node& model) {
  struct Entry {
    std::vector<std::string> switches, hosts;
    std::string where;
  };
  std::map<std::string, Entry> entries;
  std::vector<std::string> order;
  const auto entry = [&](const std::string& name, const YAML::Node& node) -> Entry& {
    const auto [found, is_new] = entries.try_emplace(name);
    if (is_new) {
      found->second.where = where(file, node);
      order.push_back(name);
    }
    return found->second;
  };
  for (const auto& s : model["switches"])
    entry(s.first.as<std::string>(), s.first).switches = names(file, s.second["switches"]);
  for (const YAML::Node& b : model["blocks"]) {
    Entry& at = entry(b["switch"].as<std::string>(), b);
    for (std::string& name : names(file, b["nodes"])) at.hosts.push_back(std::move(name));
  }
  for (std::size_t i = 0; i < order.size(); ++i)  // a switch that only its parent names has no block, so no host
    for (const std::string& child : std::vector(entries.at(order[i]).switches))
      if (entries.try_emplace(child, Entry{{}, {}, entries.at(order[i]).where}).second) order.push_back(child);
  SwitchTree tree("switch", file);
  for (const std::string& name : order) {
    Entry& e = entries.at(name);
    tree.add(name, std::move(e.switches), e.hosts, e.where);
  }
  return tree.take();
}

}  // namespace

Domain read_topology_yaml(const TopologyFile& file) {
  try {
    const YAML::Node root = YAML::Load(file.text);
    if (root.IsSequence() && root.size() > 0 && root[0].IsMap()) return slurm(file, root);
    check(
        root.IsMap() && root["switches"] && root["blocks"],
        "{}: not a topology (Slurm's topology.yaml is a list with tree or block, a topograph model a map with switches "
        "and blocks). Correct it.",
        file.path);
    return topograph(file, root);
  } catch (const YAML::Exception& e) {
    throw InputError(fmt::format("{}: {} (not as topology.yaml has it). Correct it.",
                                 file.at(static_cast<std::size_t>(std::max(0, e.mark.line)) + 1), e.msg));
  }
}

}  // namespace atl
