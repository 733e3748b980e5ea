// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/path_length.hpp>
#include <atoll/engine/vertex_program.hpp>
#include <functional>
#include <vector>

/// The edges u -> v on shortest paths from a source, those with dist(u) + w == dist(v), where w is 1 if paths are as
/// long as their number of edges. As weights are above 0, they form no cycle.
///
///     TightEdges tight(graph, PathLength::weights);
///     tight.find(distance, [&](int thread, std::span<const Local> targets) { ... });   // collective
///     for (const Local v : tight.from(u)) ...                                         // u: a master
///
/// Memory: 8 bytes for each master, 4 for each tight edge.
namespace atl {

/// Calls f(length) with a function such that length(e) is that of the e-th edge of the lists as a double.
template <class F>
void with_lengths(const Csr& lists, PathLength path, F&& f) {
  if (path == PathLength::edges) {
    f([](std::size_t) { return 1.0; });
  } else {
    with_weights(lists, [&](const auto& weight) { f([&](std::size_t e) { return static_cast<double>(weight(e)); }); });
  }
}

class TightEdges {
 public:
  TightEdges(const Graph& graph, PathLength length);
  TightEdges(const TightEdges&) = delete;
  TightEdges& operator=(const TightEdges&) = delete;

  /// `distance` is by local number, mirrors included; infinite if not reached. Calls `found` with the targets of a
  /// block of masters at a time. InputError, the same on all ranks, if a weight is too small to change a distance.
  void find(std::span<const double> distance, const std::function<void(int, std::span<const Local>)>& found);
  std::span<const Local> from(Local u) const;
  std::size_t memory_bytes() const;

 private:
  struct alignas(128) Thread {
    Edge light = -1;  // index of the last edge too light to change a distance
  };

  void refuse(Edge light, std::span<const double> distance) const;

  const Graph& graph_;
  const PathLength length_;
  Team& team_;
  std::vector<std::vector<Local>> targets_;  // [active master / kBlock]
  Array<std::size_t> begin_;                 // [active master] offset into its block's targets_
  std::vector<Thread> threads_;
};

}  // namespace atl
