// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <functional>
#include <optional>

#include "graph_input.hpp"

namespace atl::cli {

/// An algorithm that answers with a value for each vertex, as the harness sees it. All members are collective.
struct VertexAlgorithm {
  std::function<void(const Graph& graph)> prepare;  ///< layouts and buffers
  std::function<void(int trial)> run;
  /// Fills the outcome's result and adds rows to what a person reads.
  std::function<void(Outcome& outcome, std::vector<std::pair<std::string, std::string>>& rows)> describe;
  /// Writes the last trial's values with original ids.
  std::function<void(const Graph& graph, const std::string& path)> write;
};

/// Loads and builds the graph, times the trials, and says what every run says: the options are the same for each.
class VertexRun {
 public:
  void add_to(CLI::App& app);
  Outcome run(World& world, const VertexAlgorithm& algorithm) const;

  GraphInput input;
  int trials = 3;
  std::string output;
};

/// Values in natural order into a file, ascending by id whatever the partition. Collective.
template <class T>
void write_by_id(const Graph& graph, const std::string& path, const Array<T>& natural);

/// The median of the trials' times, slowest rank each, as every run reports it.
nlohmann::json seconds_of(std::vector<double> trials);

}  // namespace atl::cli
