// SPDX-License-Identifier: Apache-2.0
#include "answer_summary.hpp"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "named_report.hpp"

namespace atl::cli {
namespace {

constexpr std::size_t kTop = 10, kGroups = 5, kShownDepths = 12;

enum class Summary { none, greatest, least, depths, groups };

Summary summary_of(std::string_view column) {
  if (column == "depth") return Summary::depths;
  if (column == "member") return Summary::none;
  if (column == "distance") return Summary::least;
  if (column == "component" || column == "community" || column == "label") return Summary::groups;
  return meaning_of(column) == Meaning::vertices ? Summary::none : Summary::greatest;
}

struct Ranked {
  double value;
  Vertex id;
};

// The first `count` of `all` in an order, sorted; the others go.
template <class X, class F>
void keep_first(std::vector<X>& all, std::size_t count, F&& before) {
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(std::min(count, all.size()));
  std::partial_sort(all.begin(), middle, all.end(), before);
  all.erase(middle, all.end());
}

// The first of the values on all ranks.
template <class T, class F>
std::vector<Ranked> top(const Graph& graph, const Array<T>& by_owned_index, F&& before) {
  constexpr std::size_t kMost = 4096;  // candidates at a time
  std::vector<Ranked> mine;
  for (std::size_t k = 0; k < by_owned_index.size(); ++k) {
    const auto value = static_cast<double>(by_owned_index[k]);
    if (!std::isfinite(value) || value >= static_cast<double>(kUnreachable)) continue;
    mine.push_back({value, graph.ids().id_of(static_cast<Vertex>(k))});
    if (mine.size() == kMost) keep_first(mine, kTop, before);
  }
  keep_first(mine, kTop, before);
  std::vector<Ranked> all = graph.world().all_gather_varying(std::span<const Ranked>(mine));
  keep_first(all, kTop, before);
  return all;
}

template <class T>
void add_top(const Graph& graph, const Dictionary* names, std::string_view column, const Array<T>& by_owned_index,
             bool least, catalog::Report& report) {
  nlohmann::json rows = nlohmann::json::array();
  const auto before = [least](const Ranked& a, const Ranked& b) {
    if (a.value != b.value) return least ? a.value < b.value : a.value > b.value;
    return a.id < b.id;
  };
  for (const Ranked& ranked : top(graph, by_owned_index, before)) {
    const std::string label = rows.empty() ? fmt::format("{} {}", least ? "least" : "greatest", column) : "";
    nlohmann::json row = names ? nlohmann::json{{"name", names->name(ranked.id)}} : nlohmann::json{{"id", ranked.id}};
    std::string value;
    if constexpr (std::is_integral_v<T>) {
      row["value"] = static_cast<std::int64_t>(ranked.value);
      value = std::to_string(static_cast<std::int64_t>(ranked.value));
    } else {
      row["value"] = ranked.value;
      value = fmt::format("{:.6g}", ranked.value);
    }
    rows.push_back(std::move(row));
    report.lines_after_time.emplace_back(label, value + " " + text_of(ranked.id, names));
  }
  report.result["top"] = std::move(rows);
  report.result["top_of"] = fmt::format("{} {}", least ? "least" : "greatest", column);
}

// How many vertices have a value.
struct Group {
  Vertex value, size;
};

// The sizes on all ranks of the groups whose value this rank adds up. Collective.
std::vector<Group> group_sizes(World& world, const Array<Vertex>& values) {
  std::unordered_map<Vertex, Vertex> sizes;
  for (const Vertex value : values) ++sizes[value];
  const auto ranks = static_cast<std::size_t>(world.size());
  std::vector<std::vector<Group>> parts(ranks);
  for (const auto& [value, size] : sizes) parts[static_cast<std::size_t>(value) % ranks].push_back({value, size});
  sizes.clear();
  for (const auto& part : world.exchange(std::move(parts)))
    for (const Group& group : part) sizes[group.value] += group.size;
  std::vector<Group> groups;
  for (const auto& [value, size] : sizes) groups.push_back({value, size});
  return groups;
}

// How many vertices have each depth.
void add_depths(World& world, const Array<Vertex>& depths, catalog::Report& report) {
  const std::vector<Group> mine = group_sizes(world, depths);
  std::vector<Group> all = world.all_gather_varying(std::span<const Group>(mine));
  std::erase_if(all, [](const Group& group) { return group.value == kUnreachable; });
  std::ranges::sort(all, {}, &Group::value);
  std::string text;
  std::vector<Vertex> counts;
  for (const auto& [depth, size] : all) {  // no depth is left out
    counts.push_back(size);
    if (counts.size() <= kShownDepths) text += fmt::format("{}{}: {}", text.empty() ? "" : ", ", depth, size);
  }
  if (all.size() > kShownDepths) text += fmt::format(", ... {}: {}", all.back().value, all.back().size);
  report.lines_after_time.emplace_back("depths", text + " vertices");
  report.result["vertices_by_depth"] = counts;
}

// The largest groups of vertices that have a value in common.
void add_groups(World& world, const Dictionary* names, std::string_view column, const Array<Vertex>& labels,
                catalog::Report& report) {
  const auto before = [](const Group& a, const Group& b) {
    return a.size != b.size ? a.size > b.size : a.value < b.value;
  };
  std::vector<Group> groups = group_sizes(world, labels);
  keep_first(groups, kGroups, before);
  groups = world.all_gather_varying(std::span<const Group>(groups));
  keep_first(groups, kGroups, before);
  std::string text;
  nlohmann::json rows = nlohmann::json::array();
  for (const Group& group : groups) {
    text += fmt::format("{}{} ({})", text.empty() ? "" : ", ", group.size, text_of(group.value, names));
    rows.push_back({{"vertices", group.size}});
    if (names) {
      rows.back()[std::string(column)] = names->name(group.value);
    } else {
      rows.back()[std::string(column)] = group.value;
    }
  }
  report.lines_after_time.emplace_back("largest", text + " vertices");
  report.result["largest"] = std::move(rows);
  report.result["largest_of"] = column;
}

}  // namespace

template <class T>
void summarize(const Graph& graph, const Dictionary* names, std::string_view column, const Array<T>& by_owned_index,
               catalog::Report& report) {
  const Summary kind = summary_of(column);
  if (kind == Summary::greatest || kind == Summary::least)
    return add_top(graph, names, column, by_owned_index, kind == Summary::least, report);
  if constexpr (std::is_same_v<T, Vertex>) {
    if (kind == Summary::depths) add_depths(graph.world(), by_owned_index, report);
    if (kind == Summary::groups) add_groups(graph.world(), names, column, by_owned_index, report);
  }
}
template void summarize(const Graph&, const Dictionary*, std::string_view, const Array<Vertex>&, catalog::Report&);
template void summarize(const Graph&, const Dictionary*, std::string_view, const Array<float>&, catalog::Report&);
template void summarize(const Graph&, const Dictionary*, std::string_view, const Array<double>&, catalog::Report&);

}  // namespace atl::cli
