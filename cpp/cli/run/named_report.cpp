// SPDX-License-Identifier: Apache-2.0
#include "named_report.hpp"

#include <algorithm>
#include <atoll/graph/id_order.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

namespace atl::cli {
namespace {

constexpr std::size_t kTop = 10;

enum class Top { none, greatest, least };

Top top_of(std::string_view column) {
  if (column == "depth" || column == "distance") return Top::least;
  return meaning_of(column) == Meaning::vertices ? Top::none : Top::greatest;
}

struct Ranked {
  double value;
  Vertex id;
};

// Replaces the id of " from ID" in a line of the report; false if the line has none.
bool name_line(std::string& line, Vertex id, std::string_view name) {
  const std::string phrase = fmt::format(" from {}", id);
  const std::size_t at = line.find(phrase);
  if (at == std::string::npos) return false;
  const std::size_t behind = at + phrase.size();
  if (behind != line.size() && line[behind] != ',') return false;
  line.replace(at, phrase.size(), fmt::format(" from {}", name));
  return true;
}

}  // namespace

std::string text_of(Vertex id, const Dictionary* names) {
  return names ? std::string(names->name(id)) : std::to_string(id);
}

Meaning meaning_of(std::string_view column) {
  const bool vertices = column == "parent" || column == "component" || column == "label";
  return vertices ? Meaning::vertices : Meaning::numbers;
}

void name_sources(const Dictionary& names, const catalog::Runs& runs, catalog::Report& report) {
  const auto replace = [&](nlohmann::json& object) {
    if (object.contains("source")) object["source"] = names.name(object["source"].get<Vertex>());
  };
  replace(report.result);
  if (report.result.contains("per_source"))
    for (nlohmann::json& row : report.result["per_source"]) replace(row);
  for (auto& [label, line] : report.lines)
    for (const catalog::TimedRun& run : runs.timed)
      if (run.source && name_line(line, *run.source, names.name(*run.source))) break;  // a name may look like an id
}

template <class T>
void report_top(const Graph& graph, const Dictionary& names, std::string_view column, const Array<T>& natural,
                catalog::Report& report) {
  const Top kind = top_of(column);
  if (kind == Top::none) return;
  const auto before = [&](const Ranked& a, const Ranked& b) {
    if (a.value != b.value) return kind == Top::least ? a.value < b.value : a.value > b.value;
    return a.id < b.id;
  };
  const auto cut = [&](std::vector<Ranked>& all) {
    const auto middle = all.begin() + static_cast<std::ptrdiff_t>(std::min(kTop, all.size()));
    std::partial_sort(all.begin(), middle, all.end(), before);
    all.erase(middle, all.end());
  };
  std::vector<Ranked> mine;
  for (std::size_t k = 0; k < natural.size(); ++k) {
    const auto value = static_cast<double>(natural[k]);
    const bool reached = std::isfinite(value) && value < static_cast<double>(kUnreachable);
    if (reached) mine.push_back({value, graph.ids().id_of(static_cast<Vertex>(k))});
  }
  cut(mine);
  std::vector<Ranked> all = graph.world().all_gather_varying(std::span<const Ranked>(mine));
  cut(all);
  nlohmann::json top = nlohmann::json::array();
  for (const Ranked& ranked : all) {
    const std::string name(names.name(ranked.id));
    const bool whole = std::is_integral_v<T>;
    top.push_back({{"name", name}});
    if (whole) {
      top.back()["value"] = static_cast<std::int64_t>(ranked.value);
    } else {
      top.back()["value"] = ranked.value;
    }
    report.lines_after_time.emplace_back(
        top.size() > 1 ? "" : fmt::format("{} {}", kind == Top::least ? "least" : "greatest", column),
        whole ? fmt::format("{} {}", static_cast<std::int64_t>(ranked.value), name)
              : fmt::format("{:.6g} {}", ranked.value, name));
  }
  report.result["top"] = std::move(top);
}
template void report_top(const Graph&, const Dictionary&, std::string_view, const Array<Vertex>&, catalog::Report&);
template void report_top(const Graph&, const Dictionary&, std::string_view, const Array<float>&, catalog::Report&);
template void report_top(const Graph&, const Dictionary&, std::string_view, const Array<double>&, catalog::Report&);

template <class T>
void write_by_name(const Graph& graph, const Dictionary& names, const std::string& path, std::string_view column,
                   const Array<T>& natural) {
  World& world = graph.world();
  const IdOrder order(world, graph.ids());
  std::vector<Vertex> ids(static_cast<std::size_t>(order.size()));
  for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = order.id_at(static_cast<Vertex>(k));
  const std::vector<T> sorted = order.arrange(std::span<const T>(natural.data(), natural.size()));
  if constexpr (std::is_same_v<T, Vertex>) {
    write_named_result(world, path, names, ids, sorted, meaning_of(column));
  } else {
    const std::vector<double> values(sorted.begin(), sorted.end());
    write_named_result(world, path, names, ids, values);
  }
}
template void write_by_name(const Graph&, const Dictionary&, const std::string&, std::string_view,
                            const Array<Vertex>&);
template void write_by_name(const Graph&, const Dictionary&, const std::string&, std::string_view, const Array<float>&);
template void write_by_name(const Graph&, const Dictionary&, const std::string&, std::string_view,
                            const Array<double>&);

}  // namespace atl::cli
