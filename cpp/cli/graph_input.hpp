// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/formats/read.hpp>
#include <atoll/graph/graph.hpp>

#include "command.hpp"

namespace atl::cli {

/// What --partition takes, and what each asks for.
std::vector<std::string> every_partition();
PartitionOptions placement_named(const std::string& name);
/// "edge", or as --partition names it.
std::string name_of(Cut cut);

/// The input argument and its options, the same for every verb that takes a graph.
class GraphInput {
 public:
  /// Whose algorithm takes vertex-cuts too, and whose needs a vertex's whole list in one place.
  enum class Cuts { of_edges, of_vertices_too };
  void add_to(CLI::App& app, Cuts cuts = Cuts::of_edges);
  /// Those alone that say what is read, for verbs that build no Graph.
  void add_reading_to(CLI::App& app);
  /// Those that say which of the edges that are read count.
  void add_merging_to(CLI::App& app);
  /// Those of some partitions, for a comparison of all.
  void add_placing_to(CLI::App& app);
  /// Collective: the file's or generator's edges, this rank's slice.
  EdgeList load(World& world) const;
  GraphOptions options() const;
  /// How the graph was prepared, for the result's `input`: what was done, with `cut` of describe().
  nlohmann::json preparation(const Graph& graph) const;
  const std::string& text() const { return text_; }
  /// Whether --weighted is given: all inputs then have weights.
  bool is_weighted() const { return weighted_; }

 private:
  std::string text_;
  Cuts cuts_ = Cuts::of_edges;
  ReadOptions read_;
  bool directed_ = false, undirected_ = false, weighted_ = false, unweighted_ = false;
  std::string duplicates_ = "min", self_loops_ = "keep";
  Edge heavy_ = kHeavyDegree;
  std::string partition_ = "blocked", fusion_ = "on", degree_sort_ = "on", isolated_ = "drop";
};

bool has_edges(const Graph& graph, Local master);

/// What a result says about its graph. Collective.
nlohmann::json describe(const Graph& graph);

}  // namespace atl::cli
