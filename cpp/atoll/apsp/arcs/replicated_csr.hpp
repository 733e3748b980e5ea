// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/array.hpp>
#include <atoll/graph/edge_list.hpp>
#include <atoll/matrix/semiring.hpp>
#include <atoll/runtime/world.hpp>
#include <cmath>
#include <span>
#include <string>
#include <vector>

/// The weighted arcs of a graph, replicated on every rank: the input of all-pairs distances and of their paths.
///
///     ReplicatedCsr<double> arcs = gather_arcs(world, read_edges(world, "roads.gr"));           // collective
///     for (Edge e = arcs.begin(v); e < arcs.end(v); ++e) relax(v, arcs.heads[e], arcs.weights[e]);
///     arcs.ids[v];                                                                     // v's original id
///
/// Vertices are 0 .. n-1 in ascending order of original ids, like rows and columns of Distances. Input is gathered as
/// double; T is double, float, int32, uint16 or uint8 (narrow_arcs.hpp).
namespace atl {

/// From `tail` to `head`.
template <class T>
struct Arc {
  Local tail = 0, head = 0;
  T weight{};
  bool operator==(const Arc&) const = default;
};

template <class T>
struct ReplicatedCsr {
  std::string name;           ///< of the input, for messages
  bool directed = false;      ///< false: each edge is stored in both directions, with one weight
  std::vector<Vertex> ids;    ///< [vertex] original ids, ascending
  Array<Edge> offsets;        ///< [vertex], n + 1
  Array<Local> heads;         ///< ascending and distinct within a row; never the row's own vertex
  Array<T> weights;           ///< one per head: finite, none is -0, none as great as kNoPath<T>
  T least{}, greatest{};      ///< of the weights; 0 if there are none
  bool from_float32 = false;  ///< the input's weights are 32 bits wide
  Edge rounded = 0;           ///< weights that were rounded to T

  Vertex vertices() const { return static_cast<Vertex>(ids.size()); }
  Edge size() const { return static_cast<Edge>(heads.size()); }
  Edge begin(Vertex v) const { return offsets[v]; }
  Edge end(Vertex v) const { return offsets[static_cast<std::size_t>(v) + 1]; }
  std::span<const Local> heads_of(Vertex v) const {
    return {heads.data() + begin(v), static_cast<std::size_t>(end(v) - begin(v))};
  }
  std::span<const T> weights_of(Vertex v) const {
    return {weights.data() + begin(v), static_cast<std::size_t>(end(v) - begin(v))};
  }
  /// Whether every weight is 1, so that distances are hop counts.
  bool is_unit() const { return size() == 0 || (least == T{1} && greatest == T{1}); }
  bool has_negative() const { return least < T{}; }
  /// Whether no weight has a fraction. O(m).
  bool is_whole() const {
    return std::ranges::all_of(weights, [](T w) { return std::is_integral_v<T> || std::trunc(w) == w; });
  }
  /// An upper bound of all path lengths, up to the rounding of floats. O(1).
  double longest() const {
    return std::max(std::abs(static_cast<double>(least)), std::abs(static_cast<double>(greatest))) *
           static_cast<double>(vertices());
  }
  /// Another upper bound, smaller if few weights are large. O(m).
  double sum_of_weights() const {
    double sum = 0;
    for (const T w : weights) sum += std::abs(static_cast<double>(w));
    return sum;
  }

  /// The transpose: for each vertex the arcs that enter it, with their tails as heads. A copy if the graph is
  /// undirected.
  ReplicatedCsr reversed() const;
  std::size_t memory_bytes() const {
    return ids.size() * sizeof(Vertex) + offsets.size() * sizeof(Edge) +
           static_cast<std::size_t>(size()) * (sizeof(Local) + sizeof(T));
  }
};

/// as_given: the input's weights, or 1 if it has none. ones: all weights are 1.
enum class ArcWeights : bool { as_given, ones };

/// Collective; gathers the edges of all ranks on every rank. Of parallel edges the best stays: the least for shortest
/// paths, the greatest over max_plus and max_min. Self-loops are dropped. -0 becomes 0. Throws InputError, the same on
/// all ranks, that names the edge and its weight if the weight is infinite or not a number, or if a self-loop is
/// negative (positive over max_plus): a cycle around which paths improve without end.
ReplicatedCsr<double> gather_arcs(World& world, EdgeList edges, ArcWeights weights = ArcWeights::as_given,
                                  Semiring semiring = Semiring::min_plus);

/// Builds the arcs from a list in any order, which may contain parallel arcs and self-loops of weight >= 0; local.
/// Unless `directed`, each is stored in both directions. `ids` are ascending.
template <class T>
ReplicatedCsr<T> make_arcs(std::vector<Vertex> ids, bool directed, std::span<const Arc<T>> arcs, std::string name = {},
                           Semiring semiring = Semiring::min_plus);

}  // namespace atl
