// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/runtime/routes/route.hpp>

namespace atl {
namespace {

constexpr std::string_view kNames[] = {"direct", "aml",        "aml-levels", "row",
                                       "mst",    "mst-levels", "domain"};  // in the order of Kind

constexpr std::string_view kByLeaf = "domain:leaf", kByRank = "domain:rank";

constexpr std::string_view kMonitors[] = {"spread", "one", "single", "router", "heavy"};  // in the order of Monitors

}  // namespace

Monitors monitors_named(std::string_view name) {
  const auto* found = std::find(std::begin(kMonitors), std::end(kMonitors), name);
  check(found != std::end(kMonitors), "monitors is '{}' (spread, one, single, router or heavy). Correct it.", name);
  return static_cast<Monitors>(found - std::begin(kMonitors));
}

std::vector<std::string> monitor_names() { return {std::begin(kMonitors), std::end(kMonitors)}; }

std::vector<std::string> Route::names() { return {std::begin(kNames), std::end(kNames)}; }

std::string_view Route::name() const { return name_; }

std::vector<std::string> Route::all_names() {
  std::vector<std::string> all = names();
  all.insert(all.end(), {std::string(kByLeaf), std::string(kByRank)});
  return all;
}

Route::Route(std::string_view name, const Hierarchy& hierarchy, Monitors monitors,
             std::span<const std::int64_t> weights)
    : monitors_(monitors), depth_(hierarchy.depth()) {
  const bool by_leaf = name == kByLeaf, by_rank = name == kByRank;
  const auto* found = std::find(std::begin(kNames), std::end(kNames), by_leaf || by_rank ? "domain" : name);
  check(
      found != std::end(kNames),
      "route is '{}' (direct, aml, aml-levels, row, mst, mst-levels, domain, domain:leaf or domain:rank). Correct it.",
      name);
  if (depth_ == 1 || found == std::begin(kNames)) return;
  kind_ = static_cast<Kind>(found - std::begin(kNames));
  name_ = by_leaf ? kByLeaf : by_rank ? kByRank : *found;
  block_level_ = by_leaf ? 0 : by_rank ? kRankBlocks : depth_ - 1;

  const auto levels = static_cast<std::size_t>(depth_), ranks = static_cast<std::size_t>(hierarchy.size());
  number_.assign(levels, std::vector<int>(ranks));
  ranges_.resize(levels);
  position_.resize(ranks);
  const auto walk = [&](auto&& self, const Domain& domain, int level) -> void {
    const auto begin = static_cast<Rank>(at_.size());
    for (const Rank r : domain.ranks) {
      position_[r] = static_cast<Rank>(at_.size());
      at_.push_back(r);
    }
    for (const Domain& child : domain.children) self(self, child, level - 1);
    auto& ranges = ranges_[level];
    for (auto p = static_cast<std::size_t>(begin); p < at_.size(); ++p)
      number_[level][at_[p]] = static_cast<int>(ranges.size());
    ranges.push_back({begin, static_cast<Rank>(at_.size())});
  };
  walk(walk, hierarchy.root(), depth_ - 1);
  if (monitors == Monitors::heavy && !weights.empty()) {
    heaviest_.assign(levels, at_);
    for (std::size_t level = 0; level < levels; ++level)
      for (const Range range : ranges_[level])
        std::stable_sort(heaviest_[level].begin() + range.begin, heaviest_[level].begin() + range.end,
                         [&](Rank a, Rank b) { return weights[a] > weights[b]; });
  }
}

int Route::level_between(Rank a, Rank b) const {
  int level = 0;
  while (number_of(level, a) != number_of(level, b)) ++level;
  return level;
}

Route::Sibling Route::sibling(int level, Rank rank) const {
  const Range around = range_of(level + 1, rank);
  const int first = number_of(level, at_[around.begin]), last = number_of(level, at_[around.end - 1]);
  return {number_of(level, rank) - first, last - first + 1};
}

Route::Sibling Route::block(int level, Rank rank) const {
  if (block_level_ >= level) return {0, 1};
  const Range range = range_of(level, rank);
  if (block_level_ == kRankBlocks) return {position(rank) - range.begin, range.size()};
  const int first = number_of(block_level_, at_[range.begin]), last = number_of(block_level_, at_[range.end - 1]);
  return {number_of(block_level_, rank) - first, last - first + 1};
}

// The candidate for a monitor in rank's domain at `level` for a block of another domain.
Rank Route::candidate(int level, Rank rank, Sibling other, Sibling block) const {
  const Range range = range_of(level, rank);
  if (block.count > 1) {
    // This domain has an equal part for each block, in which other domains have equal distances.
    const auto part = [&](int index) { return static_cast<Rank>(std::int64_t{index} * range.size() / block.count); };
    const Rank first = part(block.index), width = std::max(1, part(block.index + 1) - first);
    return at_[range.begin + first + other.index * width / other.count];
  }
  if (!heaviest_.empty()) return heaviest_[level][range.begin + other.index % range.size()];
  if (monitors_ == Monitors::router) return member(range_of(0, at_[range.begin]), other.index);
  if (kind_ == Kind::mst_levels || monitors_ == Monitors::single) return member(range, other.index);
  const auto apart = static_cast<std::int64_t>(other.index) * range.size() / other.count;
  return at_[range.begin + static_cast<Rank>(apart)];
}

// The monitor of rank's domain at `level` for `target`, if the boundary lies above the domains of level `top`. Chosen
// from the top down: a domain that contains the monitor of an enclosing domain takes the same rank, which saves a hop.
Rank Route::gather(Rank rank, int level, int top, Rank target) const {
  Sibling other = sibling(top, target);
  if (kind_ == Kind::mst_levels) other.index = top + 1;
  if (monitors_ == Monitors::single && kind_ != Kind::mst_levels) other.index = 0;
  const Sibling of_target = block(top, target);
  for (int l = top; l > level; --l)
    if (const Rank m = candidate(l, rank, other, of_target); number_of(level, m) == number_of(level, rank)) return m;
  return candidate(level, rank, other, of_target);
}

// The rank of target's domain at `level` that receives what crosses that domain's boundary from `source`.
Rank Route::entry(int level, Rank source, Rank target) const {
  if (block_level_ >= level) return gather(target, level, level, source);
  if (block_level_ == kRankBlocks) return target;
  const Sibling other = sibling(level, source);
  const Range range = range_of(block_level_, target);
  return at_[range.begin + other.index * range.size() / other.count];
}

int Route::round_of(Phase phase, Phase arrival, int level) const {
  switch (kind_) {
    case Kind::direct:
      return 0;
    case Kind::aml:
    case Kind::mst:
      return level > 0 ? 0 : 1;
    case Kind::aml_levels:
      return depth_ - 1 - level;
    case Kind::row:
      return arrival == Phase::up ? 0 : 1;
    case Kind::mst_levels:
    case Kind::domain:
      break;
  }
  // Records inside a leaf wait for those that are handed out there, and share their packets.
  if (phase == Phase::up && (level > 0 || arrival == Phase::up)) return level;
  return 2 * (depth_ - 1) - level;
}

bool Route::begins_in(int round) const { return !gathers() || round < depth_ || round + 1 == rounds(); }

int Route::level_of(int round) const {
  const int top = depth_ - 1;
  switch (kind_) {
    case Kind::direct:
      return top;
    case Kind::aml:
    case Kind::mst:
      return round == 0 ? top : 0;
    case Kind::aml_levels:
      return top - round;
    case Kind::row:
      return round == 0 ? top - 1 : top;
    case Kind::mst_levels:
    case Kind::domain:
      break;
  }
  return round <= top ? round : 2 * top - round;
}

int Route::rounds() const {
  switch (kind_) {
    case Kind::direct:
      return 1;
    case Kind::aml_levels:
      return depth_;
    case Kind::aml:
    case Kind::mst:
    case Kind::row:
      return 2;
    case Kind::mst_levels:
    case Kind::domain:
      break;
  }
  return 2 * depth_ - 1;
}

std::vector<Rank> Route::led(int level, Rank rank) const {
  std::vector<Rank> some;
  for (const Rank r : domain(level, rank).subspan(1))
    if (level == 0 || (leader(level - 1, r) == r && leader(level - 1, rank) != r)) some.push_back(r);
  return some;
}

Rank Route::monitor(Rank rank, int level, Rank target) const {
  return is_direct() ? rank : gather(rank, level, level, target);
}

bool Route::receives_across(int level, Rank rank) const {
  const int inner = level - 1;
  for (const Rank source : domain(level, rank))
    if (number_of(inner, source) != number_of(inner, rank) && entry(inner, source, rank) == rank) return true;
  return false;
}

Route::Hop Route::next(Rank here, Rank to, Phase phase) const {
  if (is_direct() || here == to) return {to, Phase::down};
  const int h = level_between(here, to);
  if (h == 0) return {to, Phase::down};
  const int inner = h - 1;  // A and B are domains of this level
  switch (kind_) {
    case Kind::aml:
      return {member(range_of(0, to), position(here) - range_of(0, here).begin), Phase::down};
    case Kind::mst:
      return {member(range_of(0, to), h), Phase::down};
    case Kind::aml_levels:
      return {member(range_of(inner, to), position(here) - range_of(inner, here).begin), Phase::down};
    case Kind::row: {
      const Rank corner = member(range_of(inner, here), position(to) - range_of(inner, to).begin);
      if (phase == Phase::down || corner == here) return {to, Phase::down};
      return {corner, Phase::up};
    }
    case Kind::mst_levels:
    case Kind::domain:
      break;
    case Kind::direct:
      return {to, Phase::down};
  }
  if (phase == Phase::up) {
    int gathered = inner;  // the largest of here's domains for which it is the monitor
    while (gathered >= 0 && gather(here, gathered, inner, to) != here) --gathered;
    if (gathered < inner) return {gather(here, gathered + 1, inner, to), Phase::up};
  }
  return {entry(inner, here, to), Phase::down};
}

}  // namespace atl
