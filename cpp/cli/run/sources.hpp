// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <string>
#include <vector>

#include "cli/command.hpp"

namespace atl::cli {

/// Distinct vertices with an edge, at most `count`, the same whatever the number of ranks and the partition: positions in
/// the order of ids are drawn, and kept if the vertex there has one; after many in vain, positions among those that have.
/// Original ids. Collective.
std::vector<Vertex> draw_sources(const Graph& graph, int count, std::uint64_t seed);

/// Of how many sources a check computes the paths again: of all where that is a second's work, of 16 at least.
std::size_t recomputed_sources(const Graph& graph);

/// Which sources a sum over several is from: options that a run and the check of its result have alike.
class SourceChoice {
 public:
  void add_to(CLI::App& app);
  /// Collective.
  std::vector<Vertex> of(const Graph& graph) const;

 private:
  std::string count_ = "4";
  std::vector<Vertex> given_;
  std::uint64_t seed_ = 1;
};

}  // namespace atl::cli
