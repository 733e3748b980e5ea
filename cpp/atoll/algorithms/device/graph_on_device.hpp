// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/pagerank/pagerank.hpp>
#include <atoll/device/device_graph.hpp>
#include <utility>
#include <vector>

/// Algorithms over a graph of one rank on a device, with the interfaces of those on the host.
///
///     BfsOnDevice search(graph, "cuda", {.depths = Depths::yes});
///     search.run(1, result);                                        // as Bfs::run()
namespace atl {

/// A graph's lists on the first device of a kind. Refers to the graph.
class GraphOnDevice {
 public:
  /// UsageError on several ranks; DeviceError if there is no such device, or its memory is too small.
  GraphOnDevice(const Graph& graph, const std::string& kind);

  const Graph& graph() const { return graph_; }
  const Stream& stream() const { return stream_; }
  const DeviceCsr& csr() const { return csr_; }

 private:
  const Graph& graph_;
  const std::shared_ptr<Device> device_;
  const Stream stream_;
  const DeviceCsr csr_;
};

class BfsOnDevice {
 public:
  BfsOnDevice(const Graph& graph, const std::string& kind, const BfsOptions& options);
  /// Rounds are not told apart; BfsOptions::alpha, fission and degree_order are for the host only.
  void run(Vertex source, BfsResult& result);
  std::size_t memory_bytes() const { return lists_.csr().memory_bytes() + search_.memory_bytes(); }

 private:
  Edge edges_reached() const;

  const GraphOnDevice lists_;
  const BfsOptions options_;
  DeviceBfs search_;
  const std::vector<std::pair<Local, Edge>> loops_;  // of undirected graphs: vertices, and their edges to themselves
  DeviceBfsResult found_;                            // by local number
};

template <class Real>
class PageRankOnDevice {
 public:
  PageRankOnDevice(const Graph& graph, const std::string& kind);
  /// UsageError with a personalization, InputError if an option is out of its range. Progress is not told.
  void run(const PageRankOptions& options, PageRankResult<Real>& result);
  std::size_t memory_bytes() const { return lists_.csr().memory_bytes() + pagerank_.memory_bytes(); }

 private:
  const GraphOnDevice lists_;
  DevicePageRank<Real> pagerank_;
  DevicePageRankResult<Real> found_;  // by local number
};

}  // namespace atl
