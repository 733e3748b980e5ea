// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/base/json.hpp>
#include <atoll/gnn/graph_folder.hpp>
#include <atoll/graph/formats/lines.hpp>
#include <atoll/graph/id_order.hpp>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>

namespace atl {
namespace fs = std::filesystem;
namespace {

constexpr std::int64_t kMostClasses = 1 << 20, kMostFeatures = std::int64_t{1} << 31;
constexpr const char* kEndings[] = {"", ".zst", ".gz"};

// The file of that name, packed or not; the plain name if there is none. Collective.
std::string find_file(World& world, const std::string& folder, const char* name) {
  std::string path = folder + "/" + name;
  if (world.rank() == 0)
    for (const char* ending : kEndings) {
      std::error_code ignored;
      if (!fs::exists(folder + "/" + name + ending, ignored)) continue;
      path += ending;
      break;
    }
  broadcast_text(world, path);
  return path;
}

// Calls read(thread, first byte of the line, its line end, number of lines before it) for each line.
template <class F>
std::int64_t for_each_line(World& world, const std::string& path, F&& read) {
  return for_each_block(world, path, {.from = text_begin(world, path), .count_rows = &count_lines},
                        [&](int thread, const Block& block) {
                          std::int64_t row = block.row;
                          for (const char* p = block.begin; p < block.end; ++row) {
                            const char* const next = next_line(p, block.end);
                            read(thread, p, next - 1, row);
                            p = next;
                          }
                        });
}

using Entry = GraphFolder::Entry;
using ByThread = std::vector<std::vector<Entry>>;

std::vector<Entry> joined(ByThread&& parts) {
  std::vector<Entry> all;
  for (auto& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

// The entries of the rank's own vertices, with the owned index instead of the id. Ids are 0, 1, .. n - 1. Collective.
std::vector<Entry> to_owners(const Graph& graph, std::span<const Entry> entries) {
  World& world = graph.world();
  const IdOrder order(world, graph.ids());
  const auto send = [&](std::span<const Entry> from, auto&& rank_of) {
    std::vector<std::vector<Entry>> outgoing(static_cast<std::size_t>(world.size()));
    for (const Entry& entry : from) outgoing[rank_of(entry)].push_back(entry);
    std::vector<Entry> out;
    for (const auto& part : world.exchange(std::move(outgoing))) out.insert(out.end(), part.begin(), part.end());
    return out;
  };
  std::vector<Entry> here = send(entries, [&](const Entry& e) { return order.rank_of(e.vertex); });
  for (Entry& e : here) e.vertex = order.dense_at(order.find_here(e.vertex));
  here = send(here, [&](const Entry& e) { return graph.blocks().owner(e.vertex); });
  const Vertex first = graph.blocks().begin(world.rank());
  for (Entry& e : here) e.vertex -= first;
  return here;
}

}  // namespace

bool GraphFolder::is_one(World& world, const std::string& path) {
  char found = 0;
  if (world.rank() == 0) {
    std::error_code ignored;
    for (const char* name : {"edges.txt", "features.txt", "labels.txt", "split.json"})
      for (const char* ending : kEndings) found |= fs::is_regular_file(path + "/" + name + ending, ignored);
  }
  return world.max(found) != 0;
}

GraphFolder::GraphFolder(World& world, const std::string& path)
    : path_(path),
      labels_path_(find_file(world, path, "labels.txt")),
      features_path_(find_file(world, path, "features.txt")) {
  read_labels(world);
  read_split(world);
  read_features(world);
}

void GraphFolder::read_labels(World& world) {
  ByThread found(static_cast<std::size_t>(world.team().size()));
  vertices_ = for_each_line(
      world, labels_path_, [&](int thread, const char* const begin, const char* const end, std::int64_t row) {
        const char* p = begin;
        while (p < end && scan::is_blank(*p)) ++p;
        const bool minus = p < end && *p == '-';
        p += minus;
        std::uint64_t label = 0;
        const bool number = scan_id(p, label);
        while (p < end && scan::is_blank(*p)) ++p;
        if (!number || p != end || (minus && label != 1))
          throw LineError{begin, fmt::format("the label is {} (a class from 0 is needed, or -1 for none). Correct it.",
                                             in_quotes({begin, static_cast<std::size_t>(end - begin)}))};
        if (!minus && label >= static_cast<std::uint64_t>(kMostClasses))
          throw LineError{begin, fmt::format("the label is {} (classes are numbered from 0, at most {}). Number them "
                                             "anew.",
                                             label, kMostClasses)};
        found[thread].push_back({row, minus ? -1 : static_cast<std::int64_t>(label), 0});
      });
  labels_ = joined(std::move(found));
  std::int64_t most = -1;
  for (const Entry& e : labels_) most = std::max(most, e.place);
  classes_ = world.max(most) + 1;
  check(classes_ > 0, "{}: has no label but -1 (nothing can be learned). Label the vertices for training.",
        labels_path_);
}

void GraphFolder::read_features(World& world) {
  ByThread found(static_cast<std::size_t>(world.team().size()));
  LineShape shape;
  shape.weight = 2;
  shape.most_columns = 3;
  shape.source_name = "vertex";
  shape.target_name = "feature";
  for_each_line(world, features_path_, [&](int thread, const char* begin, const char* end, std::int64_t) {
    LineValues values;
    try {
      if (!read_line(begin, end, shape, values)) return;
    } catch (const LineError&) {
      const std::size_t fields = fields_of({begin, static_cast<std::size_t>(end - begin)}).size();
      if (fields == 3) throw;
      throw LineError{
          begin, fmt::format("the line has {} columns (vertex, feature and value are needed). Correct it.", fields)};
    }
    if (values.source >= static_cast<std::uint64_t>(vertices_))
      throw LineError{begin,
                      fmt::format("vertex is {} ({} has {} lines, so vertices are 0 to {}). Correct one of them.",
                                  values.source, labels_path_, vertices_, vertices_ - 1)};
    if (values.target >= static_cast<std::uint64_t>(kMostFeatures))
      throw LineError{begin, fmt::format("feature is {} (features are numbered from 0, at most {}). Number them anew.",
                                         values.target, kMostFeatures)};
    found[thread].push_back(
        {static_cast<Vertex>(values.source), static_cast<std::int64_t>(values.target), values.weight});
  });
  values_ = joined(std::move(found));
  std::int64_t most = -1;
  for (const Entry& e : values_) most = std::max(most, e.place);
  features_ = world.max(most) + 1;
  check(features_ > 0, "{}: has no feature (layers need at least one). Write 'vertex feature value' lines.",
        features_path_);
}

void GraphFolder::read_split(World& world) {
  const std::string path = path_ + "/split.json";
  constexpr std::size_t kMostBytes = std::size_t{1} << 30;
  world.collective_try([&] {
    if (world.rank() != 0) return;
    const InputFile file(path);
    check(file.bytes() < kMostBytes, "{}: has {} bytes (at most {} are read). Is it the split?", path, file.bytes(),
          kMostBytes);
    std::string text(file.bytes(), ' ');
    file.read_at(text.data(), text.size(), 0);
    text = plain_text(std::move(text), path);
    nlohmann::json split;
    try {
      split = parse_json(text);
    } catch (const nlohmann::json::parse_error& e) {
      const auto end = text.begin() + static_cast<std::ptrdiff_t>(std::min(e.byte, text.size()));
      throw InputError(
          fmt::format("{}:{}: is no JSON ({}). Correct it.", path, 1 + std::count(text.begin(), end, '\n'), e.what()));
    }
    check(split.is_object() && split.contains("train"),
          "{}:1: has no \"train\" (the vertices to learn from). Write {{\"train\": [..], \"val\": [..], \"test\": "
          "[..]}}.",
          path);
    std::vector<std::uint8_t> seen(static_cast<std::size_t>(vertices_));
    for (const auto& [name, vertices] : split.items()) {
      const VertexRole role = name == "train"  ? VertexRole::train
                              : name == "val"  ? VertexRole::validation
                              : name == "test" ? VertexRole::test
                                               : VertexRole::none;
      check(role != VertexRole::none, "{}:1: has \"{}\" (train, val and test are known). Rename it.", path, name);
      check(vertices.is_array(), "{}:1: its \"{}\" is no list (one of vertices is needed). Write [0, 1, ..].", path,
            name);
      for (std::size_t i = 0; i < vertices.size(); ++i) {
        const bool whole = vertices[i].is_number_unsigned() &&
                           vertices[i].get<std::uint64_t>() < static_cast<std::uint64_t>(vertices_);
        check(whole, "{}:1: {}[{}] is {} ({} has {} lines, so vertices are 0 to {}). Correct one of them.", path, name,
              i, dump_json(vertices[i]), labels_path_, vertices_, vertices_ - 1);
        const auto v = vertices[i].get<std::size_t>();
        check(seen[v] == 0, "{}:1: {}[{}] is {} (it was named before). Name a vertex once.", path, name, i, v);
        seen[v] = 1;
        roles_.push_back({static_cast<Vertex>(v), static_cast<std::int64_t>(role), 0});
      }
    }
  });
}

EdgeList GraphFolder::edges(World& world) const {
  const std::string path = find_file(world, path_, "edges.txt");
  LineShape shape;
  shape.most_columns = 2;
  shape.highest = vertices_ - 1;
  shape.range_rule = fmt::format("({} has {} lines, so vertices are 0 to {}). Correct one of them.", labels_path_,
                                 vertices_, vertices_ - 1);
  // Columns grow: the size of the file says little where it is packed.
  LineParser parser(world, shape, 1 << 16);
  for_each_block(world, path, {.from = text_begin(world, path)}, parser.work());
  EdgeList edges;
  parser.columns().finish(world, edges);
  edges.directed = false;
  edges.range = IdRange{0, vertices_};
  edges.name = path_;
  return edges;
}

VertexTargets GraphFolder::targets(const Graph& graph) const {
  World& world = graph.world();
  VertexTargets out;
  out.labels.assign(static_cast<std::size_t>(graph.owned()), -1);
  out.roles.assign(static_cast<std::size_t>(graph.owned()), VertexRole::none);
  for (const Entry& e : to_owners(graph, labels_)) out.labels[e.vertex] = static_cast<std::int32_t>(e.place);
  for (const Entry& e : to_owners(graph, roles_)) out.roles[e.vertex] = static_cast<VertexRole>(e.place);
  world.collective_try([&] {
    for (std::size_t i = 0; i < out.labels.size(); ++i)
      check(out.roles[i] == VertexRole::none || out.labels[i] >= 0,
            "{}:{}: the label is -1 (vertex {} is in split.json). Label it, or take it out there.", labels_path_,
            graph.ids().id_of(static_cast<Vertex>(i)) + 1, graph.ids().id_of(static_cast<Vertex>(i)));
  });
  return out;
}

template <class T>
SparseMatrix<T> GraphFolder::features(const Graph& graph, Rows rows) const {
  World& world = graph.world();
  std::vector<Entry> own = to_owners(graph, values_);
  std::ranges::sort(own, {}, [](const Entry& e) { return std::pair(e.vertex, e.place); });
  const auto twice = std::ranges::adjacent_find(
      own, [](const Entry& a, const Entry& b) { return a.vertex == b.vertex && a.place == b.place; });
  world.agree(twice == own.end(),
              twice == own.end() ? std::string()
                                 : fmt::format("{}: vertex {} has feature {} twice (it can have one value). Remove "
                                               "one of the lines.",
                                               features_path_, graph.ids().id_of(twice->vertex), twice->place));
  SparseMatrix<T> out{.rows = graph.owned(), .columns = features_};
  const auto count = static_cast<std::size_t>(graph.owned());
  out.offsets = Array<Edge>(count + 1, 0);
  out.column_indices = Array<Local>(own.size());
  out.values = Array<T>(own.size());
  std::vector<double> sums(count, 0.0);
  for (const Entry& e : own) {
    ++out.offsets[static_cast<std::size_t>(e.vertex) + 1];
    sums[e.vertex] += e.value;
  }
  for (std::size_t i = 0; i < count; ++i) out.offsets[i + 1] += out.offsets[i];
  for (std::size_t e = 0; e < own.size(); ++e) {
    const double sum = sums[own[e].vertex];
    out.column_indices[e] = static_cast<Local>(own[e].place);
    out.values[e] = static_cast<T>(rows == Rows::normalised && sum != 0 ? own[e].value / sum : own[e].value);
  }
  return out;
}

template SparseMatrix<float> GraphFolder::features(const Graph&, Rows) const;
template SparseMatrix<double> GraphFolder::features(const Graph&, Rows) const;

}  // namespace atl
