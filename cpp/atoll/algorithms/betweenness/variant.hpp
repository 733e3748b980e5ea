// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/betweenness/betweenness.hpp>
#include <atoll/engine/graph_view.hpp>
#include <vector>

/// The part common to all variants of Betweenness, which are listed in betweenness.cpp.
namespace atl {

class BetweennessVariant {
 public:
  BetweennessVariant() = default;
  virtual ~BetweennessVariant() = default;
  BetweennessVariant(const BetweennessVariant&) = delete;
  BetweennessVariant& operator=(const BetweennessVariant&) = delete;

  /// See Betweenness::run().
  virtual void run(std::span<const Vertex> sources, BetweennessResult& result, const Progress& progress = {}) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

/// Writes scores by local number in the order of owned indices; masters beyond them have 0.
void write_scores(const Graph& graph, const Array<double>& score, BetweennessResult& result);

/// Words of 64 masters, of which some have mirrors: where a reduction over the view may leave bits.
std::vector<std::size_t> mirrored_words(const GraphView& view);

/// The forward phase pulls when the frontier has more than 1 / this of the edges that enter unseen vertices: unlike in
/// a search, a pull reads all of these edges and does not stop at the first hit.
inline constexpr Edge kBetweennessAlpha = 12;
/// Vertices of the whole graph that a thread takes at a time to pull.
inline constexpr std::size_t kBetweennessPullGrain = 512;

}  // namespace atl
