// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/log.hpp>
#include <atoll/topology/formats/read_topology.hpp>
#include <atoll/topology/network/network.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// The readers behind read_hierarchy; those of XML and YAML are a plug-in (xml_yaml_plugin.hpp). Each makes a tree whose leaves are hosts: domains without children and, until
/// number_hosts(), without ranks.
///
///     Domain tree = read_slurm_conf({"topology.conf", text});
///     number_hosts(tree, /*ranks_per_host=*/4);
///     Hierarchy h(level_out(std::move(tree)));
///
namespace atl {

struct TopologyFile {
  std::string path;
  std::string text;
  Log log = {};  ///< gets warnings about what is legal but unused
  /// "path:line"
  std::string at(std::size_t line) const { return path + ":" + std::to_string(line); }
};

Domain read_slurm_conf(const TopologyFile& file);
struct Infiniband {
  Domain tree;
  Network network;  ///< hosts in the order of the tree
};
Infiniband read_infiniband(const TopologyFile& file);

/// Lists of links: see link_list.hpp.
bool is_link_list(const TopologyFile& file);
Network read_link_list(const TopologyFile& file);

/// Expands a Slurm host list such as "node[001-128,130],gpu[1-2]", in order. Error messages begin with `where`.
std::vector<std::string> expand_hosts(std::string_view text, const std::string& where);

Domain host(std::string name);

/// Builds a tree of switches that are added by name in any order.
class SwitchTree {
 public:
  SwitchTree(std::string kind, const TopologyFile& file) : kind_(std::move(kind)), path_(file.path), log_(file.log) {}
  /// `where` as in expand_hosts. Adding a switch twice is an error. A host or switch named by several parents belongs
  /// to the first of them.
  void add(const std::string& name, std::vector<std::string> switches, const std::vector<std::string>& hosts,
           const std::string& where);
  bool empty() const { return order_.empty(); }
  /// One root, named "system" if there would be several; switches without hosts are left out. Throws for a child that
  /// was never added, for a cycle, and if there are no hosts at all.
  Domain take();
  /// The same for blocks, grouped by sizes: sizes[1] / sizes[0] blocks in a group, then groups of groups likewise. A
  /// block without hosts keeps its place in its group.
  Domain take_in_groups(const std::vector<std::int64_t>& sizes);

 private:
  struct Switch {
    std::vector<std::string> switches;
    std::vector<Domain> hosts;
    std::string where;
    bool placed = false;
  };
  std::vector<Domain> roots();
  Domain grow(const std::string& name);

  std::string kind_, path_;
  Log log_;
  std::vector<std::string> order_;
  std::map<std::string, Switch> switches_;
  std::map<std::string, std::string> host_at_;  // host -> where it was added
  std::string named_again_;                     // the first host that is named again, and where
  std::size_t again_ = 0;                       // how many hosts are named again
  std::vector<std::string> empty_;              // switches without hosts
};

std::int64_t count_hosts(const Domain& tree);

/// Gives each leaf its ranks, in tree order.
void number_hosts(Domain& tree, int ranks_per_host);

/// Makes all leaves equally deep, by inserting domains with one child above those that are less deep than their
/// siblings.
Domain level_out(Domain tree);

/// The tree whose leaves are the domains that contain hosts; each has the ranks of its hosts.
Domain without_hosts(Domain tree);

}  // namespace atl
