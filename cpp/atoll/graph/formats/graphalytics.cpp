// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/files/text_file.hpp>
#include <atoll/graph/formats/formats.hpp>
#include <atoll/graph/formats/lines.hpp>
#include <filesystem>
#include <fstream>
#include <map>

// LDBC Graphalytics [1]: NAME.v lists a vertex per line, NAME.e "source target [weight]", NAME.properties says whether
// edges are directed (undirected ones are listed once) and weighted. Ids are any 63-bit numbers.
// [1] A. Iosup et al. "The LDBC Graphalytics Benchmark", version 1.0.5, section 2.2 (Data).
namespace atl {
namespace fs = std::filesystem;
namespace {

struct DataSet {
  std::string vertices, edges, properties;  // paths; properties may be empty
  std::optional<bool> directed;
  std::optional<bool> weighted;
  std::int64_t vertex_count = -1, edge_count = -1;
};

std::string trimmed(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r"), last = text.find_last_not_of(" \t\r");
  return first == std::string_view::npos ? "" : std::string(text.substr(first, last - first + 1));
}

// The file or its compressed form; empty if there is neither.
std::string packed_or_plain(const std::string& path) {
  std::error_code ignored;
  for (const char* ending : {"", ".zst", ".gz"})
    if (fs::exists(path + ending, ignored)) return path + ending;
  return {};
}

std::string without_ending(std::string path) {
  for (const std::string_view packing : {".zst", ".gz"})
    if (path.ends_with(packing)) path.resize(path.size() - packing.size());
  for (const std::string_view ending : {".properties", ".v", ".e"})
    if (path.ends_with(ending)) return path.substr(0, path.size() - ending.size());
  return path;
}

// The common prefix of the files' names.
std::string stem_of(const std::string& path) {
  std::error_code error;
  if (!fs::is_directory(path, error)) return without_ending(path);
  const fs::path folder(path);
  std::vector<std::string> stems;
  for (const auto& entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().string();
    if (name.ends_with(".properties") || has_ending(name, ".e")) stems.push_back(without_ending(name));
  }
  if (error) throw IoError(fmt::format("{}: cannot be listed ({}). Check the permissions.", path, error.message()));
  std::sort(stems.begin(), stems.end());
  stems.erase(std::unique(stems.begin(), stems.end()), stems.end());
  check(!stems.empty(), "{}: is a folder without a graph (it has no .properties and no .e). Name a file.", path);
  if (stems.size() > 1)
    throw InputError(fmt::format("{}: is a folder with {} graphs ({} and {} are two). Name one of them.", path,
                                 stems.size(), fs::path(stems[0]).filename().string(),
                                 fs::path(stems[1]).filename().string()));
  return stems[0];
}

void read_properties(DataSet& set) {
  std::map<std::string, std::pair<std::string, int>> values;
  {
    const InputFile file(set.properties);  // for its error messages
    check(file.bytes() < (1u << 20), "{}: has {} bytes (a properties file is short). Name the right file.",
          set.properties, file.bytes());
  }
  std::ifstream in(set.properties);
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::string text = trimmed(line);
    if (text.empty() || text[0] == '#' || text[0] == '!') continue;
    const auto equals = text.find_first_of("=:");
    check(equals != std::string::npos, "{}:{}: the line is {} (a property is 'name = value'). Correct it.",
          set.properties, number, in_quotes(text));
    const std::string key = trimmed(std::string_view(text).substr(0, equals));
    // graph.NAME.directed: NAME may contain dots, so match the end.
    for (const char* known : {".vertex-file", ".edge-file", ".directed", ".meta.vertices", ".meta.edges",
                              ".edge-properties.names", ".edge-properties.types"})
      if (key.ends_with(known)) values[known] = {trimmed(std::string_view(text).substr(equals + 1)), number};
  }
  const auto fail = [&](const char* key, const char* rule) {
    throw InputError(fmt::format("{}:{}: {} is {} ({}). Correct it.", set.properties, values[key].second, key + 1,
                                 in_quotes(values[key].first), rule));
  };
  const fs::path folder = fs::path(set.properties).parent_path();
  const auto file = [&](const char* key, std::string& path) {
    if (!values.contains(key)) return;
    const std::string name = values[key].first;
    if (name.empty()) fail(key, "the name of a file is expected");
    path = packed_or_plain((folder / name).string());
    if (path.empty()) fail(key, "there is no such file beside it");
  };
  file(".vertex-file", set.vertices);
  file(".edge-file", set.edges);
  if (values.contains(".directed")) {
    const std::string& value = values[".directed"].first;
    if (value != "true" && value != "false") fail(".directed", "it is true or false");
    set.directed = value == "true";
  }
  set.weighted = false;
  if (values.contains(".edge-properties.names") && !values[".edge-properties.names"].first.empty()) {
    if (values[".edge-properties.names"].first.find(',') != std::string::npos)
      fail(".edge-properties.names", "edges have at most one property, the weight");
    set.weighted = true;
    const std::string type =
        values.contains(".edge-properties.types") ? values[".edge-properties.types"].first : "real";
    if (type != "real" && type != "int" && type != "integer") fail(".edge-properties.types", "a weight is real or int");
  }
  const auto count = [&](const char* key, std::int64_t& into) {
    if (!values.contains(key)) return;
    into = header_number(values[key].first);
    if (into < 0) fail(key, "it is a whole number");
  };
  count(".meta.vertices", set.vertex_count);
  count(".meta.edges", set.edge_count);
}

DataSet locate(const std::string& path) {
  DataSet set;
  const std::string stem = stem_of(path);
  set.properties = path.ends_with(".properties") ? path : stem + ".properties";
  std::error_code ignored;
  if (fs::exists(set.properties, ignored)) {
    read_properties(set);
  } else {
    if (path.ends_with(".properties")) InputFile{path};  // throws and suggests similar names
    set.properties.clear();
  }
  if (set.edges.empty()) set.edges = packed_or_plain(stem + ".e");
  if (set.vertices.empty()) set.vertices = packed_or_plain(stem + ".v");
  check(!set.edges.empty(), "{}.e: no such file (a Graphalytics graph has its edges there). Check the path.", stem);
  check(!set.vertices.empty(),
        "{}.v: no such file (a Graphalytics graph has its vertices there). Name the .e file with format "
        "edges to read it alone.",
        stem);
  return set;
}

void share(World& world, DataSet& set) {
  for (std::string* text : {&set.vertices, &set.edges, &set.properties}) broadcast_text(world, *text);
  std::int64_t facts[4] = {set.directed ? *set.directed : -1, set.weighted ? *set.weighted : -1, set.vertex_count,
                           set.edge_count};
  world.broadcast(std::span<std::int64_t>(facts), 0);
  if (facts[0] >= 0) set.directed = facts[0] != 0;
  if (facts[1] >= 0) set.weighted = facts[1] != 0;
  set.vertex_count = facts[2];
  set.edge_count = facts[3];
}

}  // namespace

EdgeList read_graphalytics(World& world, const std::string& path, const ReadOptions& options) {
  DataSet set = world.collective_try([&] { return world.rank() == 0 ? locate(path) : DataSet{}; });
  share(world, set);

  ReadOptions inner = options;
  inner.headings = false;
  if (set.weighted == true && options.weights == ReadOptions::Weights::automatic)
    inner.weights = ReadOptions::Weights::required;
  if (set.weighted == false) {
    check(options.weights != ReadOptions::Weights::required,
          "{}: has no weights (it names no edge property). Read it without them.", set.properties);
    inner.weights = ReadOptions::Weights::none;
  }
  // A graph may have vertices but no edges.
  EdgeList edges;
  const bool no_edges = world.collective_try([&] {
    std::error_code ignored;
    return world.rank() == 0 && fs::file_size(set.edges, ignored) == 0 && set.edge_count <= 0;
  });
  if (world.any(no_edges)) {
    edges.source = Array<std::uint32_t>();
    edges.target = Array<std::uint32_t>();
    if (inner.weights == ReadOptions::Weights::required) edges.weight = Array<double>();
  } else {
    Head head = read_head(world, set.edges, std::size_t{64} << 10);
    edges = read_edge_list(world, set.edges, head, inner);
  }
  if (!set.directed && !options.directed)
    world.log()(LogLevel::warn, "{}: no .properties says whether edges are directed; taken as directed", path);
  edges.directed = options.directed.value_or(set.directed.value_or(true));

  LineShape shape;
  shape.target = -1;
  shape.source_name = "vertex";
  const Head vertex_head = read_head(world, set.vertices, 4096);
  LineParser parser(world, shape, 0);
  for_each_block(world, set.vertices,
                 {.from = mark_bytes(vertex_head.text, set.vertices), .file_bytes = vertex_head.file_bytes},
                 parser.work());
  edges.vertices = parser.take_vertices();

  const auto n = world.sum(static_cast<std::int64_t>(edges.vertices.size())),
             m = world.sum(static_cast<std::int64_t>(edges.size()));
  check(n > 0, "{}: holds no vertex (a graph has at least one). Check how it was written.", set.vertices);
  check(set.vertex_count < 0 || set.vertex_count == n,
        "{}: promises {} vertices ({} has {}). The file is cut off, or the number is wrong.", set.properties,
        set.vertex_count, set.vertices, n);
  check(set.edge_count < 0 || set.edge_count == m,
        "{}: promises {} edges ({} has {}). The file is cut off, or the number is wrong.", set.properties,
        set.edge_count, set.edges, m);
  return edges;
}

}  // namespace atl
