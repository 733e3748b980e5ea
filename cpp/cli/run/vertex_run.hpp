// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atoll/verify/verdict.hpp>
#include <functional>
#include <optional>

#include "cli/graph_input.hpp"

namespace atl::cli {

/// An algorithm that computes a value for each vertex, as the harness sees it. All members are collective.
struct VertexAlgorithm {
  std::function<void(const Graph& graph)> prepare;  ///< layouts and buffers
  std::function<void(int trial)> run;
  /// Fills the outcome's result and adds rows to the human-readable table.
  std::function<void(Outcome& outcome, std::vector<std::pair<std::string, std::string>>& rows)> describe;
  /// Writes the last trial's values with original ids.
  std::function<void(const Graph& graph, const std::string& path)> write;
  /// Checks the last trial's values.
  std::function<Verdict(const Graph& graph)> verify;
  /// Small inputs are verified by default if the check costs about one run.
  enum class Verified { by_default, on_request } verified = Verified::by_default;
  /// Whether rounds traverse all edges, for which --partition auto may choose a vertex-cut; others get the edge-cut.
  enum class Rounds { along_changes, along_all_edges } rounds = Rounds::along_changes;
};

/// Loads and builds the graph, times the trials, and reports what is common to all algorithms, with the same options
/// for each.
class VertexRun {
 public:
  void add_to(CLI::App& app, GraphInput::Cuts cuts = GraphInput::Cuts::of_edges);
  Outcome run(World& world, const VertexAlgorithm& algorithm) const;

  GraphInput input;
  int trials = 3;
  std::string output;

 private:
  bool is_to_verify(const Graph& graph, const VertexAlgorithm& algorithm) const;
  bool verify_ = false, no_verify_ = false;
};

/// Writes values in the order of owned indices to a file, ascending by id whatever the partition. Collective.
template <class T>
void write_by_id(const Graph& graph, const std::string& path, const Array<T>& natural);

template <class T>
std::span<const T> values_of(const Array<T>& natural) {
  return {natural.data(), natural.size()};
}

}  // namespace atl::cli
