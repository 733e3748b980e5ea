// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/catalog/algorithm.hpp>

#include "algorithm_options.hpp"

namespace atl::cli {

/// `atoll run NAME` for the algorithms of the catalog: loads and builds the graph, times the trials, checks the answer
/// and reports.
class VertexRun {
 public:
  explicit VertexRun(const catalog::Algorithm& row);
  void add_to(CLI::App& app);
  /// `command` is told what the run is at.
  Outcome run(World& world, Command& command) const;

 private:
  struct State;  // of one run of the command
  void time_trials(State& state, Command& command) const;
  bool is_right(State& state) const;
  void begin_traffic(World& world) const;
  void report(State& state) const;

  const catalog::Algorithm& row_;
  GraphInput input_;
  AlgorithmOptions options_;
  int trials_ = 1;
  std::string output_, column_, traffic_;
  bool verify_ = false, no_verify_ = false;
};

/// The depth written for a vertex that was not reached: -1, as Python and verify have it, or 2^63 - 1, as Graphalytics.
enum class Unreached { minus_one, largest };

/// Writes values in the order of owned indices to a file, ascending by id whatever the partition. Collective.
template <class T>
void write_by_id(const Graph& graph, const std::string& path, const Array<T>& by_owned_index,
                 Unreached unreached = Unreached::minus_one);

}  // namespace atl::cli
