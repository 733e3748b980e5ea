// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/closeness/distance_sums.hpp>
#include <atoll/algorithms/closeness/search_lists.hpp>
#include <atoll/algorithms/closeness/source_bits.hpp>
#include <atoll/engine/vertex_bits.hpp>
#include <span>
#include <vector>

/// Breadth-first searches from up to 64 kWords sources at once, by one thread [1].
///
///     ClosenessKernel<8> kernel(lists);
///     kernel.add(sources, sums);             // vertices, each once; adds their distances to all vertices
///
/// Memory: for each vertex 24 kWords bytes, and at most 12 in lists.
///
/// [1] M. Then et al. "The More the Merrier: Efficient Multi-Source Graph Traversal." VLDB 8(4), 2014.
namespace atl {

template <int kWords>
class ClosenessKernel {
 public:
  using Bits = SourceBits<kWords>;

  explicit ClosenessKernel(const SearchLists& lists);
  ClosenessKernel(const ClosenessKernel&) = delete;
  ClosenessKernel& operator=(const ClosenessKernel&) = delete;

  void add(std::span<const Local> sources, Array<DistanceSums>& sums);
  std::size_t memory_bytes() const;
  /// The same of a kernel that is not made yet.
  static std::size_t memory_bytes(std::size_t vertices);

 private:
  void start(std::span<const Local> sources);
  void push();
  void pull();
  void find(Local v, const Bits& found);
  void clear_searches();
  std::uint64_t* seen(Local v) { return seen_.data() + index(v) * kWords; }
  std::uint64_t* current(Local v) { return current_.data() + index(v) * kWords; }
  std::uint64_t* next(Local v) { return next_.data() + index(v) * kWords; }

  const Csr &out_, &in_;
  const std::size_t vertices_;
  Array<std::uint64_t> seen_, current_, next_;  // [local][word]
  VertexBits touched_;                          // next_ has a bit
  VertexBits complete_;                         // seen_ has all
  std::vector<Local> frontier_, next_frontier_, touched_list_, reached_;
  DistanceSums* sums_ = nullptr;  // [local]
  Bits all_;                      // sources of the batch
  Edge open_edges_ = 0;           // entering edges of vertices that are not complete
  Vertex distance_ = 0;           // of the level that is found
  std::uint64_t reciprocal_ = 0;
};

}  // namespace atl
