// SPDX-License-Identifier: Apache-2.0
#include "named_report.hpp"

#include <algorithm>
#include <atoll/catalog/unreached.hpp>
#include <atoll/graph/id_order.hpp>
#include <nlohmann/json.hpp>

namespace atl::cli {
namespace {

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
  constexpr std::string_view kVertices[] = {"parent", "component", "community", "label", "block", "head", "mate"};
  return std::ranges::find(kVertices, column) != std::end(kVertices) ? Meaning::vertices : Meaning::numbers;
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
void write_by_name(const Graph& graph, const Dictionary& names, const std::string& path, std::string_view column,
                   const Array<T>& by_owned_index) {
  World& world = graph.world();
  const IdOrder order(world, graph.ids());
  std::vector<Vertex> ids(static_cast<std::size_t>(order.size()));
  for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = order.id_at(static_cast<Vertex>(k));
  std::vector<T> sorted = order.arrange(std::span<const T>(by_owned_index.data(), by_owned_index.size()));
  if constexpr (std::is_same_v<T, Vertex>) {
    catalog::depths_to_result(sorted);
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
