// SPDX-License-Identifier: Apache-2.0
#include "graph_input.hpp"

#include <atoll/catalog/algorithm.hpp>
#include <atoll/catalog/counted.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/io/dictionary/dictionary_file.hpp>
#include <cli/cli11.hpp>
#include <filesystem>

#include "prompt/help.hpp"

namespace atl::cli {
namespace {

const std::map<std::string, char> kDelimiters = {{"auto", 0},        {"tab", '\t'}, {"comma", ','},
                                                 {"semicolon", ';'}, {"bar", '|'},  {"blank", ' '}};

// "cc, pagerank and sssp": the names of the algorithms whose contract is so.
template <class F>
std::string algorithms_with(F&& is_so) {
  std::string names;
  std::string_view last;
  for (const catalog::Algorithm& algorithm : catalog::algorithms()) {
    if (!is_so(algorithm.contract)) continue;
    if (!last.empty()) names += names.empty() ? std::string(last) : fmt::format(", {}", last);
    last = algorithm.name;
  }
  return names.empty() ? std::string(last) : fmt::format("{} and {}", names, last);
}

}  // namespace

void GraphInput::add_reading_to(CLI::App& app) {
  app.add_option("input", text_,
                 "a file, or kron:SCALE, rmat:SCALE:A,B,C, uniform:SCALE, communities:SCALE, grid:AxB, ring:N, star:N, "
                 "path:N, complete:N")
      ->required();
  in_group(app, kReadingGroup, [&] {
    app.add_option("--format", read_.format, "of the file (default: by its name and first bytes)");
    auto* directed = app.add_flag("--directed", directed_, "edges go from source to target only");
    app.add_flag("--undirected", undirected_, "edges go both ways")->excludes(directed);
    auto* weighted = app.add_flag("--weighted", weighted_, "weights are needed: an input without them is an error");
    app.add_flag("--unweighted", unweighted_, "leave weights out")->excludes(weighted);
    app.add_option("--source-column", read_.source_column, "edge lists: number from 1, or name in the header");
    app.add_option("--target-column", read_.target_column, "edge lists: number from 1, or name in the header");
    app.add_option("--weight-column", read_.weight_column, "edge lists: number from 1, or name in the header");
    app.add_option("--headings", headings_,
                   "edge lists: whether the first line is one of headings or counts: auto, yes or no (an edge)")
        ->check(CLI::IsMember({"auto", "yes", "no"}));
    app.add_option("--delimiter", delimiter_,
                   "edge lists: between fields: auto (by the first lines), tab, comma, semicolon, bar or blank")
        ->check(CLI::IsMember(kDelimiters));
    app.add_option("--decimal", decimal_,
                   "edge lists: the decimal sign, . or , (the other one groups digits); auto: by the first lines")
        ->check(CLI::IsMember({"auto", ".", ","}));
    app.add_option(
           "--missing", missing_,
           "edge lists: a line without an end, or without the weight that is taken: drop it (counted), error, or warn: "
           "under headings drop it and say so, else error (default)")
        ->check(CLI::IsMember({"warn", "drop", "error"}));
  });
}

void GraphInput::add_merging_to(CLI::App& app) {
  in_group(app, kReadingGroup, [&] {
    app.add_option("--duplicates", duplicates_,
                   "several edges between two vertices: keep, or min, max or sum of weights (default min)")
        ->check(CLI::IsMember({"keep", "min", "max", "sum"}));
    app.add_option("--self-loops", self_loops_, "keep or drop (default keep)")->check(CLI::IsMember({"keep", "drop"}));
  });
}

void GraphInput::add_placing_to(CLI::App& app) {
  in_group(app, kPlacingGroup, [&] {
    app.add_option("--heavy", heavy_,
                   fmt::format("hybrid: entering edges from which on a vertex is heavy (default {})", kHeavyDegree))
        ->check(CLI::PositiveNumber);
    app.add_option("--fusion", fusion_, "hierarchy: place neighbours of low degree as one, on or off (default on)")
        ->check(CLI::IsMember({"on", "off"}));
  });
}

void GraphInput::add_to(CLI::App& app, Cuts cuts) {
  cuts_ = cuts;
  add_reading_to(app);
  add_merging_to(app);
  CLI::Option* partition = nullptr;
  in_group(app, kPlacingGroup, [&] {
    partition =
        app.add_option(
               "--partition", partition_,
               cuts == Cuts::of_edges
                   ? "which rank owns which vertex: blocked (ids in a row, the default), balanced, hashed, "
                     "hierarchy; auto is balanced here"
                   : fmt::format("which rank owns which vertex: blocked (ids in a row, the default), balanced, hashed, "
                                 "hierarchy; or, over balanced owners, who has which edge: cartesian, hybrid "
                                 "(vertex-cuts), auto ({}: the cut that moves least, else balanced)",
                                 algorithms_with([](const catalog::Contract& contract) {
                                   return contract.rounds == catalog::Contract::Rounds::along_all_edges;
                                 })))
            ->check(CLI::IsMember(every_placement()));
  });
  if (cuts == Cuts::of_edges)
    partition->check([](const std::string& text) {
      const Cut cut = placement_named(text).cut;
      return cut == Cut::edge || cut == Cut::chosen
                 ? std::string()
                 : fmt::format(
                       "{} (a cut for the algorithms of atoll run --list; this goes over the edge-cut, where each list "
                       "is whole: its owners are those of balanced)",
                       text);
    });
  add_placing_to(app);
  app.parse_complete_callback([this, &app] {
    if (app.count("--heavy") > 0 && partition_ != "hybrid" && partition_ != "auto")
      throw CLI::ValidationError(
          "--heavy", fmt::format("{} (--partition {} has no heavy vertices, hybrid has)", heavy_, partition_));
    if (app.count("--fusion") > 0 && fusion_ == "on" && partition_ != "hierarchy")
      throw CLI::ValidationError("--fusion",
                                 fmt::format("on (--partition {} fuses nothing, hierarchy does)", partition_));
  });
  in_group(app, kPlacingGroup, [&] {
    app.add_option("--degree-sort", degree_sort_, "each rank's hubs first, by falling degree: on or off (default on)")
        ->check(CLI::IsMember({"on", "off"}));
    app.add_option("--isolated", isolated_, "vertices without edges: drop from the lists or keep (default drop)")
        ->check(CLI::IsMember({"drop", "keep"}));
  });
}

void GraphInput::add_names_to(CLI::App& app) {
  in_group(app, kReadingGroup, [&] {
    auto* names = app.add_flag("--names", names_,
                               "vertices have names: the fields of an edge list, or INPUT.names of `atoll convert "
                               "--names` (default: if the first lines of an edge list leave no doubt)");
    app.add_flag("--no-names", no_names_, "vertices are whole numbers")->excludes(names);
  });
}

ReadOptions GraphInput::read_options() const {
  ReadOptions read = read_;
  if (directed_) read.directed = true;
  if (undirected_) read.directed = false;
  if (weighted_) read.weights = ReadOptions::Weights::required;
  if (unweighted_) read.weights = ReadOptions::Weights::none;
  if (headings_ != "auto") read.headings = headings_ == "yes";
  if (delimiter_ != "auto") read.delimiter = kDelimiters.at(delimiter_);
  if (decimal_ != "auto") read.decimal = decimal_[0];
  using Missing = ReadOptions::Missing;
  read.leading_zeros = no_names_;
  read.missing = missing_ == "drop" ? Missing::drop : missing_ == "warn" ? Missing::warn : Missing::refuse;
  return read;
}

void GraphInput::refuse_for_generators() const {
  for (const auto& [option, value] : {std::pair("--format", read_.format == "auto" ? "" : read_.format),
                                      {"--source-column", read_.source_column},
                                      {"--target-column", read_.target_column},
                                      {"--weight-column", read_.weight_column},
                                      {"--headings", headings_ == "auto" ? "" : headings_},
                                      {"--delimiter", delimiter_ == "auto" ? "" : delimiter_},
                                      {"--decimal", decimal_ == "auto" ? "" : decimal_},
                                      {"--missing", missing_ == "warn" ? "" : missing_},
                                      {"--names", names_ ? "is given" : ""}})
    if (!value.empty())
      throw UsageError(
          fmt::format("{} {} (it is for files, and {} is generated). Leave it out.", option, value, text_));
}

EdgeList GraphInput::load(World& world) const {
  if (!is_generator(text_)) return read_edges(world, text_, read_options());
  refuse_for_generators();
  EdgeList edges = generate(world, text_, {.weights = weighted_ ? Weights::uniform : Weights::none});
  if (directed_) edges.directed = true;
  if (undirected_) edges.directed = false;
  return edges;
}

bool GraphInput::has_names(World& world) const {
  if (names_ || no_names_ || is_generator(text_)) return names_;
  return atl::has_names(world, text_, read_options());
}

NamedEdges GraphInput::load_named(World& world, bool has_names) const {
  if (is_generator(text_)) return {.edges = load(world)};
  return read_names_or_ids(world, text_, has_names, read_options());
}

nlohmann::json describe_names(const NamedEdges& named) {
  if (!named.names) return nullptr;
  nlohmann::json described{{"count", named.names->size()}, {"bytes", named.names->memory_bytes()}};
  if (!named.edges.columns.empty()) described["columns"] = named.edges.columns;
  return described;
}

void refuse_other_names(const World& world, const std::string& output) {
  std::error_code ignored;
  check(world.rank() != 0 || !std::filesystem::exists(names_path(output), ignored),
        "{}: is there, with the names of another graph (--names would take them for this one's). Remove it.",
        names_path(output));
}

void write_with_names(World& world, const std::string& output, const Dictionary* names,
                      const std::function<void()>& write) {
  // Old names first: they would fit another graph of as many vertices.
  std::error_code ignored;
  if (names && world.rank() == 0) std::filesystem::remove(names_path(output), ignored);
  write();
  if (names) write_dictionary(world, names_path(output), *names);
}

GraphOptions GraphInput::options() const {
  GraphOptions options;
  options.duplicates = duplicates_named(duplicates_);
  options.self_loops = self_loops_ == "drop" ? SelfLoops::drop : SelfLoops::keep;
  options.placement = placement_named(partition_);
  if (cuts_ == Cuts::of_edges) options.placement.cut = Cut::edge;
  options.placement.fusion = fusion_ == "on";
  options.placement.heavy = heavy_;
  options.degree_sort = degree_sort_ == "on";
  options.isolated = isolated_ == "keep" ? Isolated::keep : Isolated::drop;
  return options;
}

nlohmann::json GraphInput::preparation(const Graph& graph) const {
  const PartitionOptions placement = placement_named(partition_);
  const bool fused = placement.partition == Partition::hierarchy && fusion_ == "on";
  nlohmann::json j{{"partition", placement.cut == Cut::edge ? partition_ : "balanced"},
                   {"fusion", fused ? "on" : "off"},
                   {"degree_sort", degree_sort_},
                   {"isolated", isolated_}};
  if (graph.cut().cut() == Cut::hybrid) j["heavy"] = heavy_;
  return j;
}

bool has_edges(const Graph& graph, Local master) {
  return graph.out().degree(master) > 0 || graph.in().degree(master) > 0;
}

nlohmann::json describe(const Graph& graph) {
  World& world = graph.world();
  Vertex isolated = graph.owned() - graph.active();
  for (Local v = graph.hubs(); v < graph.active(); ++v) isolated += !has_edges(graph, v);
  return {{"name", graph.name()},
          {"vertices", graph.vertices()},
          {"edges", graph.edges()},
          {"entries", graph.input_edges()},
          {"directed", graph.directed()},
          {"weighted", graph.weighted()},
          {"cut", name_of(graph.cut().cut())},
          {"isolated", world.sum(isolated)},
          {"memory_bytes", world.sum(graph.memory_bytes())},
          {"build_peak_bytes", world.sum(graph.report().peak_bytes)}};
}

std::string describe_in_words(const Graph& graph) {
  const bool directed = graph.directed();
  return fmt::format("{}: {}, {}", graph.name(), catalog::counted(graph.vertices(), "vertex", "vertices"),
                     catalog::counted(graph.edges(), directed ? "directed edge" : "undirected edge"));
}

}  // namespace atl::cli
