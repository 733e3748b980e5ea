// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/topology/network/families.hpp>
#include <charconv>

namespace atl {
namespace {

constexpr const char* kSyntax =
    "cluster:8x8x4, fat-tree:8, fat-tree:2;4,4;1,2;1,2, dragonfly:4,8,4, dragonfly:3,4;4,3;5,1;2, torus:4x4x4, "
    "mesh:8x8, hyperx:8x8, hyperx:8x8:4 or random:64:4";

[[noreturn]] void refuse(std::string_view name) {
  throw InputError(fmt::format("network '{}' (networks are {}). Correct it.", name, kSyntax));
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

template <class T>
T number(std::string_view name, std::string_view text, T least) {
  T value = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stop != text.data() + text.size() || value < least) refuse(name);
  return value;
}

std::vector<int> numbers(std::string_view name, std::string_view text, char separator) {
  std::vector<int> out;
  for (const std::string_view part : split(text, separator)) out.push_back(number<int>(name, part, 1));
  return out;
}

// The same kinds as those of Hierarchy::parse.
std::string kind_of_level(std::size_t from_leaves) {
  static const char* const kKinds[] = {"node", "switch", "system"};
  return from_leaves < 3 ? kKinds[from_leaves] : "level-" + std::to_string(from_leaves);
}

Network cluster(std::string_view name, std::string_view text) {
  const std::vector<int> sizes = numbers(name, text, 'x');
  TreeShape shape;
  shape.children.assign(sizes.rbegin(), sizes.rend());
  shape.parents.assign(sizes.size(), 1);
  shape.cables.assign(sizes.size(), 1);
  for (std::size_t i = 0; i < sizes.size(); ++i) shape.kinds.push_back(kind_of_level(i));
  return tree_network(std::string(name), shape);
}

Network fat_tree(std::string_view name, std::string_view text) {
  TreeShape shape;
  const auto parts = split(text, ';');
  if (parts.size() == 1) {
    const int ports = number<int>(name, text, 2), half = ports / 2;
    check(ports % 2 == 0, "network '{}': switches of {} ports (half of them go up, so the number is even). Correct it.",
          name, ports);
    shape = {.children = {half, half, ports}, .parents = {1, half, half}, .cables = {1, 1, 1}, .kinds = {}};
  } else {
    if (parts.size() != 4) refuse(name);
    shape = {.children = numbers(name, parts[1], ','),
             .parents = numbers(name, parts[2], ','),
             .cables = numbers(name, parts[3], ','),
             .kinds = {}};
    const auto levels = static_cast<std::size_t>(number<int>(name, parts[0], 1));
    check(
        shape.children.size() == levels && shape.parents.size() == levels && shape.cables.size() == levels,
        "network '{}': {} levels, but {} children, {} parents and {} cables (each level has one of each). Correct it.",
        name, levels, shape.children.size(), shape.parents.size(), shape.cables.size());
  }
  for (std::size_t i = 0; i < shape.children.size(); ++i)
    shape.kinds.push_back(i + 1 == shape.children.size() ? "system"
                          : i == 0                       ? "switch"
                          : i == 1                       ? "pod"
                                                         : "level-" + std::to_string(i));
  return tree_network(std::string(name), shape);
}

Network dragonfly(std::string_view name, std::string_view text) {
  DragonflyShape shape;
  const auto parts = split(text, ';');
  if (parts.size() == 1) {
    const std::vector<int> n = numbers(name, text, ',');
    if (n.size() != 3 && n.size() != 4) refuse(name);
    shape.hosts = n[0];
    shape.routers = n[1];
    shape.global_links = n[2];
    const std::int64_t most = static_cast<std::int64_t>(n[1]) * n[2] + 1;
    check_size(name, static_cast<double>(most), 0, 0);
    shape.groups = n.size() == 4 ? n[3] : static_cast<int>(most);
  } else {
    if (parts.size() != 4) refuse(name);
    int* const into[][2] = {{&shape.groups, &shape.group_cables},
                            {&shape.chassis, &shape.chassis_cables},
                            {&shape.routers, &shape.router_cables}};
    for (std::size_t i = 0; i < 3; ++i) {
      const std::vector<int> n = numbers(name, parts[i], ',');
      if (n.size() != 2) refuse(name);
      *into[i][0] = n[0];
      *into[i][1] = n[1];
    }
    shape.hosts = number<int>(name, parts[3], 1);
  }
  return dragonfly_network(std::string(name), shape);
}

Network hyperx(std::string_view name, std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() > 2) refuse(name);
  return hyperx_network(std::string(name), numbers(name, parts[0], 'x'),
                        parts.size() == 2 ? number<int>(name, parts[1], 1) : 1);
}

Network random(std::string_view name, std::string_view text) {
  const auto parts = split(text, ':');
  if (parts.size() != 2 && parts.size() != 3) refuse(name);
  return random_network(std::string(name), number<int>(name, parts[0], 1), number<int>(name, parts[1], 0),
                        parts.size() == 3 ? number<std::uint64_t>(name, parts[2], 0) : 1);
}

}  // namespace

Network Network::parse(std::string_view name) {
  const std::size_t colon = std::min(name.find(':'), name.size());
  const std::string_view family = name.substr(0, colon), text = name.substr(std::min(colon + 1, name.size()));
  if (family == "cluster") return cluster(name, text);
  if (family == "fat-tree") return fat_tree(name, text);
  if (family == "dragonfly") return dragonfly(name, text);
  if (family == "torus") return torus_network(std::string(name), numbers(name, text, 'x'), Wrap::yes);
  if (family == "mesh") return torus_network(std::string(name), numbers(name, text, 'x'), Wrap::no);
  if (family == "hyperx") return hyperx(name, text);
  if (family == "random") return random(name, text);
  refuse(name);
}

Domain even_domains(const std::vector<std::pair<int, std::string>>& levels) {
  std::vector<std::pair<int, std::string>> kept;
  for (const auto& level : levels)
    if (level.first > 1) kept.push_back(level);
  if (kept.empty()) kept.emplace_back(1, levels.back().second);
  Rank next = 0;
  const auto grow = [&](const auto& self, std::size_t at) -> Domain {
    Domain d{.kind = kept[at].second, .name = {}, .children = {}, .ranks = {}};
    for (int i = 0; i < kept[at].first; ++i)
      if (at + 1 == kept.size())
        d.ranks.push_back(next++);
      else
        d.children.push_back(self(self, at + 1));
    return d;
  };
  return grow(grow, 0);
}

void check_size(std::string_view name, double hosts, double routers, double links) {
  constexpr double kMostVertices = 1 << 22, kMostLinks = 1 << 25;
  check(
      hosts + routers <= kMostVertices && links <= kMostLinks,
      "network {}: {:.0f} hosts, {:.0f} routers, {:.0f} links (at most {:.0f} of the first two together and {:.0f} of "
      "the last can be kept). Make it smaller.",
      name, hosts, routers, links, kMostVertices, kMostLinks);
}

}  // namespace atl
