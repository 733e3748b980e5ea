// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device.hpp>
#include <atoll/matrix/sparse/sparse_matrix.hpp>
#include <optional>

/// Algorithms over a graph in a device's memory: PageRank, and breadth-first search.
///
///     const DeviceCsr csr(stream, out.pattern(), in.pattern());    // once
///     const auto ranks = device_pagerank<float>(stream, csr, {});  // ranks.rank[v]
///     DeviceBfs search(stream, csr);                               // for many searches: allocates once
///     for (Local s : sources) search.run(s, {}, tree);             // reuses tree's arrays
///
/// Vertices are 0 .. n - 1, and row v of a pattern has those at the other ends of its edges. Self-loops and multi-edges
/// are as the patterns have them. Results are the same bit for bit on every run and device of an architecture.
namespace atl {

/// The lists of a graph on a device, both of edges that leave vertices and of those that enter them, and how the latter
/// are cut into chunks of equal work.
class DeviceCsr {
 public:
  /// Waits for the stream. Places are not checked: check_sparse() is for patterns from outside. Throws InputError
  /// unless both are square, of one size, with offsets and as many edges.
  DeviceCsr(const Stream& stream, const SparsePattern& out, const SparsePattern& in);
  /// Undirected: each edge is in the lists of both ends, and lists are uploaded once.
  DeviceCsr(const Stream& stream, const SparsePattern& symmetric);

  Local vertices() const { return vertices_; }
  Edge edges() const { return edges_; }  ///< entries of the lists, of one direction
  DeviceLists out() const { return out_.view(); }
  DeviceLists in() const { return in_.offsets.size() > 0 ? in_.view() : out_.view(); }
  std::int32_t chunks() const { return chunks_; }
  const DeviceArray<Local>& first_row() const { return first_row_; }  ///< as DevicePageRankCall has it
  const DeviceArray<DeviceSplitRow>& split_rows() const { return splits_; }
  std::size_t memory_bytes() const;

 private:
  struct Lists {
    DeviceArray<Edge> offsets;
    DeviceArray<Local> column_indices;
    DeviceLists view() const { return {offsets.data(), column_indices.data()}; }
    std::size_t memory_bytes() const { return offsets.memory_bytes() + column_indices.memory_bytes(); }
  };
  static Lists lists_of(const Stream& stream, const SparsePattern& pattern);
  void cut_into_chunks(const Stream& stream, const SparsePattern& in);

  Local vertices_ = 0;
  Edge edges_ = 0;
  Lists out_, in_;  // in_ is empty where the graph is undirected
  std::int32_t chunks_ = 0;
  DeviceArray<Local> first_row_;
  DeviceArray<DeviceSplitRow> splits_;
};

/// Options as in PageRankOptions, with which it shares the definition of ranks; the walk takes all edges alike and
/// jumps anywhere.
struct DevicePageRankOptions {
  double damping = 0.85;
  /// Stop when the sum of |change| over all vertices is below this; empty: do max_iterations.
  std::optional<double> tolerance = 1e-6;
  int max_iterations = 100;
  /// The rank of vertices without a leaving edge is spread evenly, or is lost.
  bool spread_dangling = true;
};

template <class Real>
struct DevicePageRankResult {
  PinnedArray<Real> rank;  ///< [vertex]; sums to 1 where dangling rank is spread
  int iterations = 0;
  double change = 0;       ///< sum of |change| in the last iteration
  bool converged = false;  ///< a tolerance was given and change is below it
};

/// In float or double, with sums in double.
template <class Real>
class DevicePageRank {
 public:
  /// Refers to both. Allocates four numbers for each vertex.
  DevicePageRank(const Stream& stream, const DeviceCsr& csr);
  /// Waits. Options are right (check_options() of the host's).
  void run(const DevicePageRankOptions& options, DevicePageRankResult<Real>& result);
  std::size_t memory_bytes() const;

 private:
  const Stream& stream_;
  const DeviceCsr& csr_;
  DeviceArray<Real> rank_, inverse_, sent_, next_;
  DeviceArray<double> leaving_, ending_, partial_;
  DeviceArray<DevicePageRankState> state_;
  PinnedArray<DevicePageRankState> host_state_;
};

template <class Real>
DevicePageRankResult<Real> device_pagerank(const Stream& stream, const DeviceCsr& csr,
                                           const DevicePageRankOptions& options = {}) {
  DevicePageRankResult<Real> result;
  DevicePageRank<Real>(stream, csr).run(options, result);
  return result;
}

struct DeviceBfsOptions {
  enum class Direction { automatic, push, pull } direction = Direction::automatic;
  /// Pull when the frontier has more than 1 / alpha of the edges whose source no frontier has contained yet, unless
  /// they are so few that going through all vertices does not pay: 1 / beta of the vertices.
  double alpha = 14;
  /// Push again when the frontier no longer grows and has at most 1 / beta of the vertices. Both are those of the
  /// method's authors, for processors.
  double beta = 24;
  /// Levels of at most so many leaving edges follow each other in one kernel, by one block of threads; 0: none do.
  std::uint64_t small_level_edges = 8192;
};

struct DeviceBfsResult {
  PinnedArray<Local> parent;  ///< [vertex] the source's own is itself; -1 where not reached
  PinnedArray<Local> depth;   ///< [vertex] -1 where not reached
  Vertex reached = 0;         ///< vertices
  Edge edges = 0;             ///< entries of the lists of edges that leave reached vertices
  int levels = 0;             ///< of the tree; 1: only the source
  int pulls = 0;              ///< levels found from the unvisited side
};

/// Along edges from source to target. A vertex's parent is the smallest that it can have, if incoming lists ascend.
class DeviceBfs {
 public:
  /// Refers to both. Allocates 24 bytes for each vertex, and 16 for each 1,024 edges.
  DeviceBfs(const Stream& stream, const DeviceCsr& csr);
  /// Waits. InputError if there is no such source, or an option is out of its range.
  void run(Local source, const DeviceBfsOptions& options, DeviceBfsResult& result);
  std::size_t memory_bytes() const;

 private:
  DeviceFrontier read_found();

  const Stream& stream_;
  const DeviceCsr& csr_;
  DeviceArray<Local> parent_, depth_;
  DeviceArray<std::uint32_t> frontier_, next_;
  DeviceArray<DeviceEdgeChunk> queue_, next_queue_;
  DeviceArray<DeviceFrontier> found_;
  PinnedArray<DeviceFrontier> host_found_;
  DeviceArray<DeviceSmallLevels> small_levels_;
  PinnedArray<DeviceSmallLevels> host_small_levels_;
};

inline DeviceBfsResult device_bfs(const Stream& stream, const DeviceCsr& csr, Local source,
                                  const DeviceBfsOptions& options = {}) {
  DeviceBfsResult result;
  DeviceBfs(stream, csr).run(source, options, result);
  return result;
}

}  // namespace atl
