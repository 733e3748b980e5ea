// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/formats/read.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/graph/names/read_named.hpp>
#include <atoll/graph/partition/placement_names.hpp>
#include <functional>

#include "command.hpp"

namespace atl::cli {

/// The input argument and its options, the same for every verb that takes a graph.
class GraphInput {
 public:
  /// Whether the verb also takes vertex-cuts, or needs each vertex's whole edge list in one place.
  enum class Cuts { of_edges, of_vertices_too };
  void add_to(CLI::App& app, Cuts cuts = Cuts::of_edges);
  /// Adds only the options that say what to read, for verbs that build no Graph.
  void add_reading_to(CLI::App& app);
  /// Adds --names and --no-names, for verbs that go by load_named(). Before or after the others.
  void add_names_to(CLI::App& app);
  /// Adds the options that say which of the edges read count.
  void add_merging_to(CLI::App& app);
  /// Adds the options of single partitions, for a comparison of all.
  void add_placing_to(CLI::App& app);
  /// Loads the edges of the file or generator, this rank's slice. Collective.
  EdgeList load(World& world) const;
  /// Whether vertices have names: as --names or --no-names says, else as the file looks (atl::has_names). Collective.
  bool has_names(World& world) const;
  /// Loads as load() does; where it has names, those of the edge list, or of the file INPUT.names beside it. Collective.
  NamedEdges load_named(World& world, bool has_names) const;
  GraphOptions options() const;
  /// How the graph was prepared, for the result's `input`: what was done, with `cut` of describe().
  nlohmann::json preparation(const Graph& graph) const;
  const std::string& text() const { return text_; }
  /// Whether --weighted is given: all inputs then have weights.
  bool is_weighted() const { return weighted_; }

 private:
  std::string text_;
  Cuts cuts_ = Cuts::of_edges;
  ReadOptions read_options() const;
  void refuse_for_generators() const;

  ReadOptions read_;
  bool names_ = false, no_names_ = false;
  std::string missing_ = "warn";
  std::string headings_ = "auto", delimiter_ = "auto", decimal_ = "auto";
  bool directed_ = false, undirected_ = false, weighted_ = false, unweighted_ = false;
  std::string duplicates_ = "min", self_loops_ = "keep";
  Edge heavy_ = kHeavyDegree;
  std::string partition_ = "blocked", fusion_ = "on", degree_sort_ = "on", isolated_ = "drop";
};

bool has_edges(const Graph& graph, Local master);

/// The names of an input for the result's `input`: how many, and which columns were taken; null without names.
nlohmann::json describe_names(const NamedEdges& named);

/// Before an output without names: refuses a file OUTPUT.names, which --names would take for this output's. Rank 0 looks.
void refuse_other_names(const World& world, const std::string& output);
/// Writes `output` by `write`, and the names beside it as OUTPUT.names; null: there are none. Collective.
void write_with_names(World& world, const std::string& output, const Dictionary* names,
                      const std::function<void()>& write);

/// The description of the graph in a result. Collective.
nlohmann::json describe(const Graph& graph);
/// The same in a line of text: "roads.txt: 7 vertices, 7 undirected edges".
std::string describe_in_words(const Graph& graph);

}  // namespace atl::cli
