// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/json.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <charconv>
#include <nlohmann/json.hpp>

namespace atl {
namespace {

int depth_of(const Domain& d) { return d.children.empty() ? 1 : 1 + depth_of(d.children.front()); }

// A short text must not allocate gigabytes; the largest machines have a tenth of this.
constexpr std::int64_t kMostRanks = 1 << 24;

void check_ranks(std::string_view text, std::int64_t ranks) {
  check(ranks <= kMostRanks, "domains '{}' (more than {} ranks). Correct --domains.", text, kMostRanks);
}

std::vector<int> sizes_of(std::string_view text, char separator) {
  std::vector<int> sizes;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(separator, at), text.size());
    int value = 0;
    const auto [stop, error] = std::from_chars(text.data() + at, text.data() + end, value);
    check(error == std::errc() && stop == text.data() + end && value > 0,
          "domains '{}' (sizes are positive numbers, as 2x4 for 2 domains of 4 ranks or 3+2 for unequal ones). "
          "Correct --domains.",
          text);
    sizes.push_back(value);
    at = end + 1;
  }
  return sizes;
}

std::string kind_of(int level_from_leaves) {
  static const char* const kKinds[] = {"node", "switch", "system"};
  return level_from_leaves < 3 ? kKinds[level_from_leaves] : "level-" + std::to_string(level_from_leaves);
}

Domain grow(const std::vector<int>& sizes, std::size_t at, Rank& next) {
  Domain d;
  d.kind = kind_of(static_cast<int>(sizes.size() - 1 - at));
  if (at + 1 == sizes.size()) {
    for (int i = 0; i < sizes[at]; ++i) d.ranks.push_back(next++);
  } else {
    for (int i = 0; i < sizes[at]; ++i) d.children.push_back(grow(sizes, at + 1, next));
  }
  return d;
}

}  // namespace

Hierarchy::Hierarchy(Domain root) : root_(std::move(root)), depth_(depth_of(root_)) {
  kinds_.resize(static_cast<std::size_t>(depth_));
  parent_.resize(static_cast<std::size_t>(depth_));
  std::vector<int> domains(static_cast<std::size_t>(depth_), 0);
  std::vector<std::pair<Rank, int>> placed;
  auto walk = [&](auto&& self, const Domain& d, int level, int up) -> void {
    const auto l = static_cast<std::size_t>(level);
    check(d.children.empty() == (level == 0) && (level == 0 || d.ranks.empty()),
          "domain '{}' of the hierarchy is {} (all leaf domains must be equally deep, and only they have ranks). "
          "Add the missing level.",
          d.name.empty() ? d.kind : d.name, d.children.empty() ? "a leaf above others" : "deeper than others");
    if (kinds_[l].empty()) kinds_[l] = d.kind;
    const int number = domains[l]++;
    parent_[l].push_back(up);
    for (Rank r : d.ranks) placed.emplace_back(r, number);
    for (const Domain& c : d.children) self(self, c, level - 1, number);
  };
  walk(walk, root_, depth_ - 1, 0);
  leaf_.assign(placed.size(), -1);
  for (auto [rank, leaf] : placed) {
    check(rank >= 0 && static_cast<std::size_t>(rank) < leaf_.size() && leaf_[rank] < 0,
          "rank {} of the hierarchy (ranks must be 0 to {}, each in one leaf domain). Correct the hierarchy.", rank,
          leaf_.size() - 1);
    leaf_[rank] = leaf;
  }
}

Hierarchy Hierarchy::flat(Rank ranks) {
  Domain d{.kind = "node", .name = {}, .children = {}, .ranks = {}};
  for (Rank r = 0; r < ranks; ++r) d.ranks.push_back(r);
  return Hierarchy(std::move(d));
}

Hierarchy Hierarchy::parse(std::string_view text) {
  if (text.find('+') == std::string_view::npos) {
    const std::vector<int> sizes = sizes_of(text, 'x');
    std::int64_t ranks = 1;
    for (const int size : sizes) check_ranks(text, ranks *= size);
    Rank next = 0;
    return Hierarchy(grow(sizes, 0, next));
  }
  Domain root{.kind = kind_of(1), .name = {}, .children = {}, .ranks = {}};
  const std::vector<int> sizes = sizes_of(text, '+');
  std::int64_t ranks = 0;
  for (const int size : sizes) check_ranks(text, ranks += size);
  Rank next = 0;
  for (const int size : sizes) root.children.push_back(grow({size}, 0, next));
  return Hierarchy(std::move(root));
}

Hierarchy Hierarchy::first(Rank ranks) const {
  ATOLL_ASSERT(ranks >= 1 && ranks <= size());
  auto keep = [ranks](auto&& self, const Domain& d) -> Domain {
    Domain kept{.kind = d.kind, .name = d.name, .children = {}, .ranks = {}};
    for (const Rank r : d.ranks)
      if (r < ranks) kept.ranks.push_back(r);
    for (const Domain& c : d.children)
      if (Domain child = self(self, c); !child.ranks.empty() || !child.children.empty())
        kept.children.push_back(std::move(child));
    return kept;
  };
  return Hierarchy(keep(keep, root_));
}

Hierarchy Hierarchy::of_places(std::span<const Rank> places) const {
  std::vector<Rank> rank_at(leaf_.size(), -1);
  for (std::size_t r = 0; r < places.size(); ++r) rank_at[places[r]] = static_cast<Rank>(r);
  ATOLL_ASSERT(places.size() == leaf_.size() && std::ranges::find(rank_at, -1) == rank_at.end());
  auto renumber = [&](auto&& self, Domain& d) -> void {
    for (Rank& r : d.ranks) r = rank_at[r];
    std::ranges::sort(d.ranks);
    for (Domain& c : d.children) self(self, c);
  };
  Domain root = root_;
  renumber(renumber, root);
  return Hierarchy(std::move(root));
}

int Hierarchy::level_between(Rank a, Rank b) const {
  int x = leaf_of(a), y = leaf_of(b), level = 0;
  while (x != y) {
    const auto& up = parent_[level++];
    x = up[x];
    y = up[y];
  }
  return level;
}

Hierarchy Hierarchy::from_json(const nlohmann::json& j) {
  auto read = [](auto&& self, const nlohmann::json& node) -> Domain {
    check(node.is_object(), "hierarchy: {} (a domain is an object with kind, and ranks or children). Correct it.",
          dump_json(node));
    Domain d;
    d.kind = node.value("kind", "domain");
    d.name = node.value("name", "");
    if (node.contains("ranks")) d.ranks = node.at("ranks").get<std::vector<Rank>>();
    if (node.contains("children"))
      for (const auto& c : node.at("children")) d.children.push_back(self(self, c));
    return d;
  };
  try {
    return Hierarchy(read(read, j));
  } catch (const nlohmann::json::exception& e) {
    throw InputError(
        fmt::format("hierarchy: {} (not the form that `atoll info --json` prints). Correct it.", e.what()));
  }
}

nlohmann::json Hierarchy::to_json() const {
  auto write = [](auto&& self, const Domain& d) -> nlohmann::json {
    nlohmann::json j{{"kind", d.kind}};
    if (!d.name.empty()) j["name"] = d.name;
    if (d.children.empty()) j["ranks"] = d.ranks;
    for (const Domain& c : d.children) j["children"].push_back(self(self, c));
    return j;
  };
  return write(write, root_);
}

}  // namespace atl
