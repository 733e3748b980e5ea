// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atoll/io/dictionary/dictionary.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace atl::cli {

/// Draws at most `count` distinct vertices that have an edge, independent of the number of ranks and the partition. It
/// draws positions in the order of ids and keeps those whose vertex has an edge. After many failures it draws from the
/// positions of vertices with an edge. Returns original ids. Collective.
std::vector<Vertex> draw_sources(const Graph& graph, int count, std::uint64_t seed);

/// The original id of the vertex with the most edges that leave it, of several the least. Collective.
Vertex most_connected(const Graph& graph);

/// The vertex that a user means by `text`, which an option gives: its id or, where `names` is not null, its name.
/// InputError and UsageError with what is nearest.
Vertex vertex_meant(std::string_view option, const std::string& text, const Dictionary* names);

/// The options that choose the sources of a sum, common to a run and the check of its result.
class SourceChoice {
 public:
  void add_to(CLI::App& app);
  /// Collective.
  std::vector<Vertex> of(const Graph& graph, const Dictionary* names) const;
  /// Checks the named sources before the graph is there: throws where one is no id, and ids are needed.
  void check_ids() const;

 private:
  std::string count_ = "4";
  std::vector<std::string> given_;
  std::uint64_t seed_ = 1;
};

}  // namespace atl::cli
