// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <atoll/topology/draw.hpp>
#include <span>

namespace atl {
namespace {

enum class Names { shown, hidden };  // hidden in a line that stands for several domains

// Equal for domains that differ only in names and in rank numbers.
std::string shape(const Domain& d) {
  std::string text = fmt::format("{} {}", d.kind, d.ranks.size());
  for (const Domain& c : d.children) text += fmt::format("({})", shape(c));
  return text;
}

std::string ranges(std::vector<Rank> ranks) {
  std::sort(ranks.begin(), ranks.end());
  std::string text;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : " ", ranks[i]);
    if (last > i) text += fmt::format("-{}", ranks[last]);
    i = last + 1;
  }
  return text;
}

std::string label(std::span<const Domain> same, Names names) {
  const Domain &first = same.front(), &last = same.back();
  std::string text = first.kind;
  if (names == Names::shown && !first.name.empty()) {
    text += " " + first.name;
    if (same.size() > 1 && last.name != first.name) text += " .. " + last.name;
  }
  if (same.size() > 1) text += fmt::format(" x {}", same.size());
  const std::size_t each = first.ranks.size();
  if (each == 0) return text;
  const char* const noun = each == 1 ? "rank" : "ranks";
  if (names == Names::hidden) return text + fmt::format(": {} {}{}", each, noun, same.size() > 1 ? " each" : "");
  std::vector<Rank> ranks;
  for (const Domain& d : same) ranks.insert(ranks.end(), d.ranks.begin(), d.ranks.end());
  text += fmt::format(": {} {}", ranks.size() == 1 ? "rank" : "ranks", ranges(ranks));
  if (same.size() > 1) text += fmt::format(", {} each", each);
  return text;
}

void draw_children(const Domain& d, const std::string& indent, Names names, std::string& text) {
  std::vector<std::string> shapes;
  for (const Domain& c : d.children) shapes.push_back(shape(c));
  const std::size_t least = names == Names::shown ? 3 : 2;
  for (std::size_t i = 0; i < d.children.size();) {
    std::size_t end = i + 1;
    while (end < d.children.size() && shapes[end] == shapes[i]) ++end;
    if (end - i < least) end = i + 1;
    const bool last = end == d.children.size();
    const std::span<const Domain> same(d.children.data() + i, end - i);
    text += indent + (last ? "└── " : "├── ") + label(same, names) + "\n";
    draw_children(same.front(), indent + (last ? "    " : "│   "), same.size() > 1 ? Names::hidden : names, text);
    i = end;
  }
}

}  // namespace

std::string draw(const Hierarchy& h) {
  std::string text = label(std::span(&h.root(), 1), Names::shown) + "\n";
  draw_children(h.root(), "", Names::shown, text);
  return text;
}

}  // namespace atl
