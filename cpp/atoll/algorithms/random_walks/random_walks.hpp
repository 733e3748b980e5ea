// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/random.hpp>
#include <atoll/engine/edge_weighting.hpp>
#include <atoll/graph/graph.hpp>
#include <memory>
#include <span>
#include <vector>

/// Random walks along the edges of a graph, uniform, by weight, or of second order as node2vec's, over any ranks.
///
///     RandomWalks walks(graph, EdgeWeighting::ones);                            // collective
///     const std::vector<WalkStart> starts = starts_at_all(graph, 10);           // ten at each vertex of this rank
///     const Array<Vertex> ids = walks.run(starts, {.length = 80, .in_out_parameter = 0.5});   // collective
///     ids[row * 81 + step];                                                     // an original id; kNoVertex past a dead end
///
/// A walk of first order takes an edge of its vertex v with a chance in proportion to 1, or to the edge's weight. In one
/// of second order that came to v from t, an edge to x counts 1/p times as much if x is t, 1/q times if there is no edge
/// t -> x, and once if there is one [1]. A vertex without an edge to take is a dead end: the walk stops there.
///
/// All draws of a walk are a function of the seed and the walk's number, and edges are drawn by their positions in the
/// order of ids, so a walk is the same for any ranks, threads and partition; with weights, up to edges whose chances
/// differ by the rounding of doubles.
///
/// [1] A. Grover, J. Leskovec. "node2vec: Scalable feature learning for networks." KDD 2016, section 3.2.
namespace atl {

struct WalkOptions {
  Edge length = 80;             ///< steps of a walk, at least 0
  double return_parameter = 1;  ///< node2vec's p
  double in_out_parameter = 1;  ///< node2vec's q
  std::uint64_t seed = 1;
};
/// Steps of second order are drawn until one is accepted; p and q lie between 1 / kMostParameter and this, which bounds
/// how often.
inline constexpr double kMostParameter = 1024;

struct WalkStart {
  Vertex vertex;         ///< original id
  std::uint64_t number;  ///< walks with the same number and seed make the same draws
};

/// `walks` walks from each of these vertices, next to each other. Numbers count the walks of all ranks, in the order of
/// the ranks, so they are those of one list cut into parts. Collective.
std::vector<WalkStart> starts_at(const Graph& graph, std::span<const Vertex> vertices, Vertex walks);
/// The same from each vertex of this rank, in the order of results. Numbers go by the order of all ids. Collective.
std::vector<WalkStart> starts_at_all(const Graph& graph, Vertex walks);

class RandomWalks {
 public:
  /// Collective. InputError, the same on all ranks, with EdgeWeighting::of_edges if the graph has no weights, or one
  /// that is negative, infinite or not a number.
  RandomWalks(const Graph& graph, EdgeWeighting weighting);
  ~RandomWalks();
  RandomWalks(const RandomWalks&) = delete;
  RandomWalks& operator=(const RandomWalks&) = delete;

  /// The walks from this rank's starts, a row of length + 1 original ids each, the first of them the start; kNoVertex
  /// fills a row from a dead end on. Collective. InputError, the same on all ranks, if a start is no vertex, the
  /// parameters are out of range, or the rows do not fit into memory.
  Array<Vertex> run(std::span<const WalkStart> starts, const WalkOptions& options);
  std::size_t memory_bytes() const;

 private:
  class Internals;
  std::unique_ptr<Internals> internals_;
};

}  // namespace atl
