// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <memory>

/// Greedy colours of an undirected graph, over any number of ranks: neighbours differ, and every vertex has the least
/// colour, from 0 on, that no neighbour before it in an order has. So there are at most as many as the largest number of
/// neighbours, and one.
///
///     Coloring coloring(graph);                         // collective
///     ColoringResult r;
///     coloring.run({}, r);                              // collective; r.color[i] by owned index
///
/// The colours are those of the serial algorithm, for any ranks, threads and partition: a vertex is coloured once all
/// neighbours before it are [1]. Weights, self-loops and the number of edges between two vertices do not matter. It goes
/// over the edge-cut, whatever the graph's cut. Time: the sort of the order; linear in the edges, but for vertices that
/// are examined again; and over ranks an exchange for each time that a chain of vertices in order goes from rank to rank. By
/// largest degree such chains are long where neighbours have equal degrees and ids in a row on different ranks, as in a
/// path under a hashed partition; in a random order they are short.
/// [1] M. Jones, P. Plassmann. "A parallel graph coloring heuristic." SIAM J. Sci. Comput. 14(3), 1993; orders: W. Hasenplaugh
/// et al. "Ordering heuristics for parallel graph coloring." SPAA 2014.
namespace atl {

/// The order in which vertices take colours: those with the most neighbours first, equal ones by ascending id; or by a hash
/// of their ids and a seed.
enum class ColoringOrder { largest_first, random };

struct ColoringOptions {
  ColoringOrder order = ColoringOrder::largest_first;
  std::uint64_t seed = 1;  ///< of the random order
};

struct ColoringResult {
  Array<Vertex> color;  ///< [owned index]
  Vertex colors = 0;    ///< how many are used on all ranks
};

class Coloring {
 public:
  /// Collective. InputError, the same on all ranks, if the graph is directed.
  explicit Coloring(const Graph& graph);
  ~Coloring();
  Coloring(const Coloring&) = delete;
  Coloring& operator=(const Coloring&) = delete;

  /// Collective.
  void run(const ColoringOptions& options, ColoringResult& result);
  std::size_t memory_bytes() const;

 private:
  class Greedy;
  std::unique_ptr<Greedy> greedy_;
};

}  // namespace atl
