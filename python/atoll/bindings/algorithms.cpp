// SPDX-License-Identifier: Apache-2.0
// The algorithms of the catalog, by their names there.
#include <algorithm>
#include <atoll/algorithms/biconnected_components/biconnected_components.hpp>
#include <atoll/base/id_rule.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/catalog/unreached.hpp>
#include <atoll/graph/partition/placement_names.hpp>
#include <atoll/verify/communities/modularity.hpp>

#include "bindings.hpp"

namespace atl::python {
namespace {

template <class T>
using Column = nb::ndarray<const T, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

// The array itself, without a copy: `options` keeps it until the run ends.
template <class T>
std::span<const T> span_of(nb::handle value, std::string_view name) {
  Column<T> column;
  if (!nb::try_cast<Column<T>>(value, column, false))
    throw UsageError(
        fmt::format("{} is no array in one piece of {} (it is not converted). Use numpy.ascontiguousarray.", name,
                    std::is_same_v<T, double> ? "float64" : "int64"));
  return {column.data(), column.size()};
}

catalog::Value value_of(const catalog::Option& option, nb::handle value) {
  switch (option.kind) {
    case catalog::Kind::whole:
    case catalog::Kind::vertex:
      return nb::cast<std::int64_t>(value);
    case catalog::Kind::real:
      return nb::cast<double>(value);
    case catalog::Kind::word:
      return nb::cast<std::string>(value);
    case catalog::Kind::flag:
      return nb::cast<bool>(value);
    case catalog::Kind::vertices:
      return span_of<Vertex>(value, option.name);
    case catalog::Kind::reals:
      return span_of<double>(value, option.name);
  }
  return {};
}

catalog::Arguments arguments_of(const catalog::Algorithm& row, const nb::dict& options) {
  catalog::Arguments arguments(row.options);
  for (const auto& [key, value] : options) {
    auto name = nb::cast<std::string>(key);
    if (value.is_none()) continue;
    std::replace(name.begin(), name.end(), '_', '-');  // max_iter is --max-iter of the command
    const auto option = std::find_if(row.options.begin(), row.options.end(),
                                     [&](const catalog::Option& one) { return one.name == name; });
    arguments.set(name, option == row.options.end() ? catalog::Value() : value_of(*option, value));
  }
  return arguments;
}

// The kept form, or a new one where the options differ, or where any rank has lost its own by an error. Collective; the
// flag says whether it was made.
std::pair<catalog::Prepared*, bool> prepared_of(SharedGraph& g, const catalog::Algorithm& row,
                                                const catalog::Arguments& arguments) {
  const std::string text = arguments.prepare_text();
  const auto kept = g.prepared.find(row.name);
  const bool here = kept != g.prepared.end() && kept->second.arguments == text;
  if (!g.graph.world().any(!here)) return {kept->second.prepared.get(), false};
  g.prepared.erase(row.name);
  auto made = row.prepare(g.graph, arguments);
  return {(g.prepared[row.name] = {text, std::move(made)}).prepared.get(), true};
}

nb::dict run(SharedGraph& g, const std::string& name, const nb::dict& options, const nb::object& on_progress) {
  const catalog::Algorithm& row = catalog::algorithm_named(name);
  const catalog::Arguments arguments = arguments_of(row, options);
  const Progress progress = progress_of(on_progress);
  catalog::Answer answer;
  double prepare_seconds = 0, seconds = 0;
  g.world->call([&](World&) {
    Timer timer;
    const auto [prepared, made] = prepared_of(g, row, arguments);
    const double before = timer.lap();
    if (made) prepare_seconds = before;
    try {
      prepared->run(arguments, answer, progress);
    } catch (...) {
      g.prepared.erase(row.name);  // left in the midst
      throw;
    }
    seconds = timer.lap();
    for (auto& [column, values] : answer.columns())
      if (column == "depth") catalog::depths_to_result(std::get<Array<Vertex>>(values));
  });
  nb::dict out;
  for (auto& [column, values] : answer.columns())
    out[column.c_str()] = std::visit([](auto& array) { return nb::cast(to_numpy(std::move(array))); }, values);
  for (const auto& [scalar, value] : answer.scalars())
    out[scalar.c_str()] = std::visit([](const auto& v) { return nb::cast(v); }, value);
  out["prepare_seconds"] = prepare_seconds;
  out["seconds"] = seconds;
  return out;
}

double modularity(SharedGraph& g, const Column<Vertex>& labels, double resolution, bool weighted) {
  double q = 0;
  g.world->call([&](World&) {
    const CommunityWeightTable table(g.graph, {labels.data(), labels.size()},
                                     weighted ? EdgeWeighting::of_edges : EdgeWeighting::ones);
    q = table.modularity(resolution);
  });
  return q;
}

// Aligned with edges() of this rank. Collective.
Numpy<Vertex> edge_blocks_of(SharedGraph& g, const Column<Vertex>& block, const Column<Vertex>& head) {
  Array<Vertex> labels;
  g.world->call(
      [&](World&) { labels = edge_blocks(g.graph, {block.data(), block.size()}, {head.data(), head.size()}); });
  return to_numpy(std::move(labels));
}

}  // namespace

Progress progress_of(const nb::object& function) {
  if (function.is_none()) return {};
  return [&function](std::int64_t done, std::int64_t all) {
    const nb::gil_scoped_acquire hold;
    function(done, all);
  };
}

std::size_t SharedGraph::memory_bytes() const {
  std::size_t bytes = graph.memory_bytes();
  for (const auto& [name, kept] : prepared) bytes += kept.prepared->memory_bytes();
  for (const auto& search : path_searches) bytes += search ? search->memory_bytes() : 0;
  for (const auto& paths : pair_paths) bytes += paths ? paths->memory_bytes() : 0;
  bytes += pair_similarity ? pair_similarity->memory_bytes() : 0;
  bytes += similarity_search ? similarity_search->memory_bytes() : 0;
  EdgeDrawing::for_each(edge_drawing, [&](const auto& one) { bytes += one ? one->memory_bytes() : 0; });
  return bytes;
}

void bind_algorithms(nb::module_& m) {
  using namespace nb::literals;
  m.attr("MAX_ID") = kMaxVertex;
  m.attr("ID_RULE") = kIdRule;
  m.attr("NO_VERTEX") = kNoVertex;
  m.attr("UNREACHABLE") = catalog::kUnreachableInResults;
  m.def("run", &run, "graph"_a, "name"_a, "options"_a, "progress"_a.none());
  m.def("edge_blocks", &edge_blocks_of, "graph"_a, "block"_a.noconvert(), "head"_a.noconvert());
  m.def("modularity", &modularity, "graph"_a, "labels"_a.noconvert(), "resolution"_a, "weighted"_a);
  m.def(
      "release_layouts",
      [](SharedGraph& g) {
        g.world->call([&](World&) {
          g.prepared.clear();
          for (auto& search : g.path_searches) search.reset();
          for (auto& paths : g.pair_paths) paths.reset();
          g.pair_similarity.reset();
          g.similarity_search.reset();
          EdgeDrawing::for_each(g.edge_drawing, [](auto& one) { one.reset(); });
        });
      },
      "graph"_a);
}

}  // namespace atl::python
