// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/formats/binary.hpp>
#include <atoll/graph/formats/foreign_content.hpp>
#include <atoll/graph/formats/formats.hpp>
#include <atoll/graph/formats/read.hpp>
#include <cctype>
#include <filesystem>

namespace atl {
namespace fs = std::filesystem;
namespace {

// Enough for the header of nearly every file.
constexpr std::size_t kHeadBytes = std::size_t{64} << 10;

std::string without_packing(std::string name) {
  for (const std::string_view ending : {".gz", ".zst"})
    if (name.ends_with(ending)) name.resize(name.size() - ending.size());
  return name;
}

std::string known_formats() {
  std::string all = "auto";
  for (const FileFormat& f : file_formats()) all += fmt::format(" {}", f.name);
  return all;
}

// Detects the format from the first bytes of the text, else from the file's name.
std::string detect(const std::string& path, const Head& head) {
  const std::string_view text = head.text;
  if (const std::string_view foreign = foreign_content(text); !foreign.empty())
    throw InputError(
        fmt::format("{}: this is {} (the formats here are {}). From Python, atoll.Graph reads tables of Parquet and "
                    "Arrow, GraphML, GEXF, GML, Pajek and JSON, and `atoll table` makes edge lists of them.",
                    path, foreign, known_formats()));
  if (text.starts_with(kBinaryMagic)) return "atoll";
  constexpr std::string_view kBanner = "%%MatrixMarket";
  if (text.size() >= kBanner.size() &&
      std::equal(kBanner.begin(), kBanner.end(), text.begin(),
                 [](unsigned char a, unsigned char b) { return std::tolower(a) == std::tolower(b); }))
    return "mtx";
  for (const FileFormat& f : file_formats())
    if (has_ending(path, f.endings)) return f.name;
  // Edge lists may have any name. Text contains no zero byte.
  check(text.substr(0, 4096).find('\0') == std::string_view::npos,
        "{}: is not text (there is a zero byte at {}) and its name does not say what it is. Name its format: "
        "{}.",
        path, text.find('\0'), known_formats());
  return "edges";
}

// Whether `path` names a Graphalytics data set: one of its files, their common prefix, or their folder.
bool is_graphalytics(const std::string& path) {
  std::error_code ignored;
  const std::string plain = without_packing(path);
  const fs::path p(plain);
  if (p.extension() == ".properties" || p.extension() == ".v") return fs::exists(path, ignored);
  if (p.extension() == ".e") {
    fs::path stem = p;
    for (const char* v : {".v", ".v.zst", ".v.gz", ".properties"})
      if (fs::exists(stem.replace_extension(v), ignored)) return true;
    return false;
  }
  if (fs::is_directory(p, ignored)) {
    for (const auto& entry : fs::directory_iterator(p, ignored))
      if (entry.path().extension() == ".properties" ||
          fs::path(without_packing(entry.path().string())).extension() == ".e")
        return true;
    return false;
  }
  if (fs::exists(path, ignored)) return false;
  for (const char* e : {".properties", ".e", ".e.zst", ".e.gz"})
    if (fs::exists(path + e, ignored)) return true;
  return false;
}

// Only edge lists have selectable columns, and lines that can be read in more than one way.
void refuse_options_of_edge_lists(const std::string& path, const std::string& format, const ReadOptions& options) {
  if (format == "edges") return;
  const bool drops = options.missing == ReadOptions::Missing::drop;
  if (options.decimal || (options.delimiter && format != "matrix") || options.headings || drops)
    throw UsageError(fmt::format("{}: {} is given (it is for edge lists, and this is {}). Leave it out.", path,
                                 options.decimal     ? "the decimal sign"
                                 : options.delimiter ? "the delimiter"
                                 : options.headings  ? "whether the first line is one of headings"
                                                     : "that lines with missing values are left out",
                                 format));
  for (const auto& [what, column] : {std::pair("source", &options.source_column),
                                     {"target", &options.target_column},
                                     {"weight", &options.weight_column}})
    if (!column->empty())
      throw UsageError(
          fmt::format("{}: the {} column is {} (columns are chosen in edge lists, and this is {}). Leave "
                      "it out, or name the format.",
                      path, what, *column, format));
}

}  // namespace

const std::vector<FileFormat>& file_formats() {
  static const std::vector<FileFormat> formats = {
      {"edges", ".el .wel .edges .elist .txt .tsv .csv .e", "one edge a line: source, target, perhaps a weight"},
      {"matrix", "", "an adjacency matrix as text: row i has the weights of the edges from vertex i"},
      {"mtx", ".mtx", "Matrix Market, coordinate"},
      {"metis", ".graph .metis", "METIS: line i has the neighbours of vertex i"},
      {"dimacs", ".gr .col .clq .dimacs .max",
       "DIMACS: shortest paths (p sp, a lines), colouring and cliques (p edge, e lines), flows (p max)"},
      {"graphalytics", ".properties .v", "LDBC Graphalytics: .v, .e and .properties"},
      {"graph500", ".g500", "Graph500 binary, 48 bits an end, 12 bytes an edge"},
      {"graph500-64", ".g500-64", "Graph500 binary, 64 bits an end, 16 bytes an edge"},
      {"atoll", ".atoll", "our own: checksummed blocks of columns"},
  };
  return formats;
}

OpenedFile open_graph_file(World& world, const std::string& path, const ReadOptions& options) {
  OpenedFile file{.format = options.format, .head = {}};
  const bool known = file.format == "auto" || std::any_of(file_formats().begin(), file_formats().end(),
                                                          [&](const FileFormat& f) { return f.name == file.format; });
  if (!known)
    throw UsageError(
        fmt::format("format is {} (known: {}). Name one of them, or leave it out.", file.format, known_formats()));

  int graphalytics = file.format == "graphalytics";
  if (file.format == "auto" && world.rank() == 0) graphalytics = is_graphalytics(path);
  world.broadcast(std::span(&graphalytics, 1), 0);
  if (graphalytics) {
    file.format = "graphalytics";
  } else {
    file.head = read_head(world, path, kHeadBytes);
    if (file.format == "auto") file.format = detect(path, file.head);
  }
  refuse_options_of_edge_lists(path, file.format, options);
  return file;
}

EdgeList read_edges(World& world, const std::string& path, const ReadOptions& options) {
  auto [format, head] = open_graph_file(world, path, options);
  EdgeList edges;
  if (format == "graphalytics")
    edges = read_graphalytics(world, path, options);
  else if (format == "mtx")
    edges = read_matrix_market(world, path, head, options);
  else if (format == "metis")
    edges = read_metis(world, path, head, options);
  else if (format == "dimacs")
    edges = read_dimacs(world, path, head, options);
  else if (format == "graph500")
    edges = read_graph500(world, path, 48, options);
  else if (format == "graph500-64")
    edges = read_graph500(world, path, 64, options);
  else if (format == "atoll")
    edges = read_binary(world, path, options);
  else
    edges = read_edge_list(world, path, head, options);
  edges.name = path;
  return edges;
}

std::size_t expected_share(World& world, const Head& head, std::size_t least_bytes_per_edge) {
  return static_cast<std::size_t>(head.expected_text_bytes / static_cast<std::uint64_t>(world.size()) /
                                  least_bytes_per_edge) +
         (std::size_t{512} << 10) / least_bytes_per_edge;
}

void check_promise(const HeadLines& lines, const Head& head, std::int64_t promised, std::size_t least_bytes,
                   const char* items) {
  const std::uint64_t left = head.most_text_bytes - std::min(head.most_text_bytes, lines.behind());
  const std::uint64_t most = (left + 1) / least_bytes;  // the last line may lack its line end
  if (static_cast<std::uint64_t>(promised) <= most) return;
  lines.fail(
      fmt::format("the header promises {} {} (a file of {} bytes can hold {} at most). The file is cut off, "
                  "or its header is wrong.",
                  promised, items, head.file_bytes, most));
}

bool has_ending(std::string_view name, std::string_view endings) {
  for (const std::string_view packing : {".gz", ".zst"})
    if (name.ends_with(packing)) name.remove_suffix(packing.size());
  while (!endings.empty()) {
    const std::size_t blank = std::min(endings.find(' '), endings.size());
    if (name.ends_with(endings.substr(0, blank))) return true;
    endings.remove_prefix(std::min(blank + 1, endings.size()));
  }
  return false;
}

}  // namespace atl
