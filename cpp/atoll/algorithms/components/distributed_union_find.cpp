// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/components/distributed_union_find.hpp>
#include <optional>

namespace atl {
namespace {

struct Place {
  std::optional<Rank> above;
  std::vector<Rank> below;
};

Place place_in_tree(World& world) {
  Place place;
  const Rank me = world.rank();
  if (const Route& route = world.route(); !route.is_direct()) {
    for (int level = 0; level < route.depth(); ++level) {
      if (const Rank leader = route.leader(level, me); leader != me) {
        place.above = leader;
        break;
      }
      for (const Rank r : route.led(level, me)) place.below.push_back(r);
    }
    return place;
  }
  for (Rank bit = 1; bit < world.size(); bit <<= 1) {
    if (me & bit) {
      place.above = me - bit;
      break;
    }
    if (me + bit < world.size()) place.below.push_back(me + bit);
  }
  return place;
}

}  // namespace

DistributedUnionFind::Name DistributedUnionFind::top(Name name) {
  Name root = name;
  for (auto at = above_.find(root); at != above_.end(); at = above_.find(root)) root = at->second;
  while (name != root) name = std::exchange(above_[name], root);
  return root;
}

void DistributedUnionFind::join(Name one, Name other) {
  one = top(one);
  other = top(other);
  if (one != other) above_[std::max(one, other)] = std::min(one, other);
}

// In an order that is the same whenever the names are.
std::vector<DistributedUnionFind::Group> DistributedUnionFind::groups() {
  std::vector<std::pair<Name, Name>> pairs;
  for (const auto& [name, above] : above_) pairs.emplace_back(above, name);
  for (auto& [above, name] : pairs) above = top(name);
  std::sort(pairs.begin(), pairs.end());
  std::vector<Group> groups;
  for (const auto& [above, name] : pairs) {
    if (groups.empty() || groups.back().top != above) groups.push_back({above, {}});
    groups.back().others.push_back(name);
  }
  return groups;
}

void DistributedUnionFind::unite(World& world, Name common) {
  const std::uint64_t length_tag = world.next_tag(), up = world.next_tag(), down = world.next_tag();
  const Place place = place_in_tree(world);
  // What comes up is, of each group, how many names it has, and these, the least one first.
  std::vector<std::vector<Name>> tops_below;
  std::vector<Name> message;
  for (const Rank r : place.below) {
    std::uint64_t length = 0;
    world.receive(r, length_tag, std::as_writable_bytes(std::span(&length, 1)));
    message.resize(length);
    world.receive(r, up, std::as_writable_bytes(std::span(message)));
    auto& tops = tops_below.emplace_back();
    for (std::size_t at = 0; at < message.size(); at += 1 + message[at]) {
      tops.push_back(message[at + 1]);
      for (std::size_t k = 2; k <= message[at]; ++k) join(message[at + 1], message[at + k]);
    }
  }
  if (place.above) {
    const std::vector<Group> mine = groups();
    message.clear();
    for (const Group& group : mine) {
      message.push_back(group.others.size() + 1);
      message.push_back(group.top);
      message.insert(message.end(), group.others.begin(), group.others.end());
    }
    const std::uint64_t length = message.size();
    world.send(*place.above, length_tag, std::as_bytes(std::span(&length, 1)));
    world.send(*place.above, up, std::as_bytes(std::span(message)));
    message.resize(static_cast<std::size_t>(common) + mine.size());
    world.receive(*place.above, down, std::as_writable_bytes(std::span(message)));
    const auto is_now = [&](Name name, Name least) {
      if (least != name) above_[name] = least;
    };
    for (Name name = 0; name < common; ++name) is_now(name, message[name]);
    for (std::size_t g = 0; g < mine.size(); ++g) is_now(mine[g].top, message[static_cast<std::size_t>(common) + g]);
  }
  for (std::size_t b = 0; b < place.below.size(); ++b) {
    message.clear();
    for (Name name = 0; name < common; ++name) message.push_back(top(name));
    for (const Name name : tops_below[b]) message.push_back(top(name));
    world.send(place.below[b], down, std::as_bytes(std::span(message)));
  }
}

}  // namespace atl
