// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/components/distributed_union_find.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <optional>

namespace atl {
namespace {

struct TreeNeighbours {
  std::optional<Rank> parent;
  std::vector<Rank> children;
};

TreeNeighbours neighbours_in_tree(World& world) {
  TreeNeighbours tree;
  const Rank me = world.rank();
  if (const Route& route = world.route(); !route.is_direct()) {
    for (int level = 0; level < route.depth(); ++level) {
      if (const Rank leader = route.leader(level, me); leader != me) {
        tree.parent = leader;
        break;
      }
      for (const Rank r : route.led(level, me)) tree.children.push_back(r);
    }
    return tree;
  }
  for (Rank bit = 1; bit < world.size(); bit <<= 1) {
    if (me & bit) {
      tree.parent = me - bit;
      break;
    }
    if (me + bit < world.size()) tree.children.push_back(me + bit);
  }
  return tree;
}

}  // namespace

DistributedUnionFind::Label DistributedUnionFind::top(Label name) {
  Label root = name;
  for (auto at = parent_.find(root); at != parent_.end(); at = parent_.find(root)) root = at->second;
  while (name != root) name = std::exchange(parent_[name], root);
  return root;
}

void DistributedUnionFind::join(Label a, Label b) {
  a = top(a);
  b = top(b);
  if (a != b) parent_[std::max(a, b)] = std::min(a, b);
}

// The sets, in an order that depends on their labels only.
std::vector<DistributedUnionFind::Group> DistributedUnionFind::groups() {
  std::vector<std::pair<Label, Label>> pairs;
  for (const auto& [name, parent] : parent_) pairs.emplace_back(parent, name);
  for (auto& [parent, name] : pairs) parent = top(name);
  std::sort(pairs.begin(), pairs.end());
  std::vector<Group> groups;
  for (const auto& [parent, name] : pairs) {
    if (groups.empty() || groups.back().top != parent) groups.push_back({parent, {}});
    groups.back().others.push_back(name);
  }
  return groups;
}

void DistributedUnionFind::unite(World& world, Label common) {
  const std::uint64_t length_tag = world.next_tag(), up = world.next_tag(), down = world.next_tag();
  const TreeNeighbours tree = neighbours_in_tree(world);
  // A message to the parent has, for each set, its size and its labels, the least one first.
  std::vector<std::vector<Label>> roots_of_child;
  std::vector<Label> message;
  for (const Rank r : tree.children) {
    std::uint64_t length = 0;
    world.receive(r, length_tag, std::as_writable_bytes(std::span(&length, 1)));
    message.resize(length);
    world.receive(r, up, std::as_writable_bytes(std::span(message)));
    auto& roots = roots_of_child.emplace_back();
    for (std::size_t at = 0; at < message.size(); at += 1 + message[at]) {
      roots.push_back(message[at + 1]);
      for (std::size_t k = 2; k <= message[at]; ++k) join(message[at + 1], message[at + k]);
    }
  }
  if (tree.parent) {
    const std::vector<Group> own_groups = groups();
    message.clear();
    for (const Group& group : own_groups) {
      message.push_back(group.others.size() + 1);
      message.push_back(group.top);
      message.insert(message.end(), group.others.begin(), group.others.end());
    }
    const std::uint64_t length = message.size();
    world.send(*tree.parent, length_tag, std::as_bytes(std::span(&length, 1)));
    world.send(*tree.parent, up, std::as_bytes(std::span(message)));
    message.resize(static_cast<std::size_t>(common) + own_groups.size());
    world.receive(*tree.parent, down, std::as_writable_bytes(std::span(message)));
    const auto set_root = [&](Label name, Label least) {
      if (least != name) parent_[name] = least;
    };
    for (Label name = 0; name < common; ++name) set_root(name, message[name]);
    for (std::size_t g = 0; g < own_groups.size(); ++g)
      set_root(own_groups[g].top, message[static_cast<std::size_t>(common) + g]);
  }
  for (std::size_t b = 0; b < tree.children.size(); ++b) {
    message.clear();
    for (Label name = 0; name < common; ++name) message.push_back(top(name));
    for (const Label name : roots_of_child[b]) message.push_back(top(name));
    world.send(tree.children[b], down, std::as_bytes(std::span(message)));
  }
}

}  // namespace atl
