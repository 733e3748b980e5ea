// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/formats/formats.hpp>
#include <charconv>

namespace atl {
namespace {

// A short text must not allocate gigabytes; the largest machines have a fifth of this.
constexpr std::size_t kMostHosts = 1 << 20;

[[noreturn]] void refuse(std::string_view text, const std::string& where) {
  throw InputError(fmt::format(
      "{}: host list '{}' (names with ranges of numbers, as node[001-128,130], divided by commas). Correct it.", where,
      text.substr(0, 200)));
}

struct Range {
  std::uint64_t first, last;
  std::size_t width;  // digits, if the numbers have leading zeros
};

std::vector<Range> ranges_of(std::string_view inside, std::string_view text, const std::string& where) {
  std::vector<Range> ranges;
  for (std::size_t at = 0; at <= inside.size();) {
    const std::size_t end = std::min(inside.find(',', at), inside.size());
    const std::string_view part = inside.substr(at, end - at);
    const std::size_t dash = std::min(part.find('-'), part.size());
    const std::string_view first = part.substr(0, dash), last = dash < part.size() ? part.substr(dash + 1) : first;
    Range r{0, 0, first.size()};
    const auto number = [](std::string_view digits, std::uint64_t& into) {
      const auto [stop, error] = std::from_chars(digits.data(), digits.data() + digits.size(), into);
      return error == std::errc() && stop == digits.data() + digits.size();
    };
    if (!number(first, r.first) || !number(last, r.last) || r.last < r.first || r.last - r.first >= kMostHosts ||
        r.width > 20)
      refuse(text, where);
    ranges.push_back(r);
    at = end + 1;
  }
  return ranges;
}

// Expands one name with any number of brackets; the last one varies fastest.
void expand_one(std::string_view name, std::string_view text, const std::string& where, const std::string& before,
                std::vector<std::string>& out) {
  const std::size_t open = name.find('[');
  if (open == std::string_view::npos) {
    if (name.find(']') != std::string_view::npos || before.size() + name.size() == 0 || out.size() >= kMostHosts)
      refuse(text, where);
    out.push_back(before + std::string(name));
    return;
  }
  const std::size_t close = name.find(']', open);
  if (close == std::string_view::npos) refuse(text, where);
  for (const Range& r : ranges_of(name.substr(open + 1, close - open - 1), text, where))
    for (std::uint64_t n = r.first; n <= r.last; ++n)
      expand_one(name.substr(close + 1), text, where,
                 before + std::string(name.substr(0, open)) + fmt::format("{:0{}}", n, r.width), out);
}

int depth_of(const Domain& d) {
  int deepest = 0;
  for (const Domain& c : d.children) deepest = std::max(deepest, depth_of(c));
  return deepest + 1;
}

// Joins the roots that have hosts under one root.
Domain joined(std::vector<Domain> roots) {
  std::erase_if(roots, [](const Domain& d) { return d.children.empty(); });
  if (roots.size() == 1) return std::move(roots.front());
  return {.kind = "system", .name = {}, .children = std::move(roots), .ranks = {}};
}

// Inserts domains with one child above children of d that are less than depth - 1 deep; the kinds come from the level.
void fill_in(Domain& d, int depth, const std::vector<std::string>& kinds) {
  for (Domain& c : d.children) {
    const int has = depth_of(c);
    fill_in(c, has, kinds);
    for (int level = has; level < depth - 1; ++level) {
      Domain above{.kind = kinds[level], .name = {}, .children = {}, .ranks = {}};
      above.children.push_back(std::move(c));
      c = std::move(above);
    }
  }
}

}  // namespace

std::vector<std::string> expand_hosts(std::string_view text, const std::string& where) {
  std::vector<std::string> out;
  std::size_t at = 0;
  int inside = 0;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && text[i] == '[') ++inside;
    if (i < text.size() && text[i] == ']') --inside;
    if (i < text.size() && (text[i] != ',' || inside > 0)) continue;
    expand_one(text.substr(at, i - at), text, where, "", out);
    at = i + 1;
  }
  return out;
}

Domain host(std::string name) { return {.kind = "node", .name = std::move(name), .children = {}, .ranks = {}}; }

void SwitchTree::add(const std::string& name, std::vector<std::string> switches, const std::vector<std::string>& hosts,
                     const std::string& where) {
  const auto [entry, is_new] = switches_.try_emplace(name);
  check(is_new, "{}: {} '{}' (also in {}). Give each its own name.", where, kind_, name, entry->second.where);
  order_.push_back(name);
  entry->second.switches = std::move(switches);
  entry->second.where = where;
  for (const std::string& h : hosts) {
    const auto [before, first] = host_at_.try_emplace(h, where);
    if (first) {
      entry->second.hosts.push_back(host(h));
    } else if (again_++ == 0) {
      named_again_ = fmt::format("{}: host '{}' (also in {})", where, h, before->second);
    }
  }
}

Domain SwitchTree::grow(const std::string& name) {
  Switch& s = switches_.at(name);
  s.placed = true;
  Domain d{.kind = kind_, .name = name, .children = std::move(s.hosts), .ranks = {}};
  for (const std::string& child : s.switches) {
    const auto found = switches_.find(child);
    check(found != switches_.end(), "{}: {} '{}' (nothing says what is under it). Add it, or correct the name.",
          s.where, kind_, child);
    if (found->second.placed) continue;  // a switch with several parents belongs to the first one
    Domain c = grow(child);
    if (!c.children.empty()) d.children.push_back(std::move(c));
  }
  if (d.children.empty()) empty_.push_back(name);
  return d;
}

std::vector<Domain> SwitchTree::roots() {
  std::map<std::string, bool> is_child;
  for (const auto& [name, s] : switches_)
    for (const std::string& child : s.switches) is_child[child] = true;
  std::vector<Domain> roots;
  for (const std::string& name : order_)
    if (!is_child.contains(name)) roots.push_back(grow(name));
  for (const std::string& name : order_)
    check(switches_.at(name).placed, "{}: {} '{}' (it is its own ancestor). Break the cycle.", switches_.at(name).where,
          kind_, name);
  check(!host_at_.empty(), "{}: no {} has a host (ranks are placed on hosts). Name some.", path_, kind_);
  if (again_ > 0)
    log_(LogLevel::warn, "{}; {} hosts are named more than once, and are in the first {} that names them", named_again_,
         again_, kind_);
  if (!empty_.empty())
    log_(LogLevel::info, "{}: {} '{}' has no host; {} such are left out", switches_.at(empty_.front()).where, kind_,
         empty_.front(), empty_.size());
  return roots;
}

Domain SwitchTree::take() { return joined(roots()); }

Domain SwitchTree::take_in_groups(const std::vector<std::int64_t>& sizes) {
  std::vector<Domain> blocks = roots();
  for (std::size_t s = 1; s < sizes.size() && blocks.size() > 1; ++s) {
    const auto in_group = static_cast<std::size_t>(sizes[s] / sizes[s - 1]);
    std::vector<Domain> groups;
    for (std::size_t b = 0; b < blocks.size(); ++b) {
      if (b % in_group == 0) groups.push_back({.kind = "group", .name = {}, .children = {}, .ranks = {}});
      if (!blocks[b].children.empty()) groups.back().children.push_back(std::move(blocks[b]));
    }
    blocks = std::move(groups);
  }
  return joined(std::move(blocks));
}

std::int64_t count_hosts(const Domain& tree) {
  if (tree.children.empty()) return 1;
  std::int64_t hosts = 0;
  for (const Domain& c : tree.children) hosts += count_hosts(c);
  return hosts;
}

void number_hosts(Domain& tree, int ranks_per_host) {
  Rank next = 0;
  const auto walk = [&](const auto& self, Domain& d) -> void {
    if (d.children.empty())
      for (int i = 0; i < ranks_per_host; ++i) d.ranks.push_back(next++);
    for (Domain& c : d.children) self(self, c);
  };
  walk(walk, tree);
}

Domain level_out(Domain tree) {
  std::vector<std::string> kinds;  // [level], along the deepest branch
  for (const Domain* d = &tree; d;) {
    kinds.insert(kinds.begin(), d->kind);
    const Domain* deepest = nullptr;
    for (const Domain& c : d->children)
      if (!deepest || depth_of(c) > depth_of(*deepest)) deepest = &c;
    d = deepest;
  }
  fill_in(tree, depth_of(tree), kinds);
  return tree;
}

}  // namespace atl
