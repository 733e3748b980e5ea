// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/progress.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>
#include <optional>

/// Eccentricities of an undirected graph by its edges, its diameter and its radius, over any number of ranks.
///
///     Eccentricity eccentricity(graph);                     // collective; allocates buffers once
///     EccentricityResult r;                                 // its arrays are reused
///     eccentricity.run({}, r);                              // r.lower[i] by owned index
///
/// The eccentricity of a vertex is its distance to the farthest vertex of its component: 0 of an isolated one. Searches
/// from few vertices bound those of all others, so that far fewer than n searches give all of them on most real graphs; a
/// graph whose vertices are all alike, such as a ring, needs n. Weights, self-loops and multi-edges do not matter.
namespace atl {

/// The values searched for: every eccentricity, or the diameter and the radius.
enum class Eccentricities { all, extremes };

struct EccentricityOptions {
  Eccentricities find = Eccentricities::all;
  /// At most so many rounds of searches; empty: until all that is to be found is exact.
  std::optional<std::int64_t> max_searches = {};
  Progress progress = {};  ///< vertices that are done
};

/// Bounds are equal where the eccentricity is known.
struct EccentricityResult {
  Array<Vertex> lower, upper;  ///< [owned index]
  /// Greatest eccentricity of all vertices, and least of those in the largest component: bounds.
  Vertex diameter_lower = 0, diameter_upper = 0, radius_lower = 0, radius_upper = 0;
  Vertex components = 0;
  std::int64_t searches = 0;  ///< rounds; in each every component that is not done has one search
  bool exact = true;          ///< what was to be found is known
};

class Eccentricity {
 public:
  /// Collective. InputError, the same on all ranks, if the graph is directed.
  explicit Eccentricity(const Graph& graph);
  ~Eccentricity();
  Eccentricity(const Eccentricity&) = delete;
  Eccentricity& operator=(const Eccentricity&) = delete;

  /// Collective.
  void run(const EccentricityOptions& options, EccentricityResult& result);
  std::size_t memory_bytes() const;

 private:
  class Bounding;
  std::unique_ptr<Bounding> bounding_;
};

}  // namespace atl
