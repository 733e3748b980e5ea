// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/vertex_bits.hpp>
#include <atoll/graph/graph.hpp>

/// A bit of every master to its mirrors on other ranks: a bit each on the wire, in one exchange.
///
///     MirrorBits mirror_bits(graph);
///     mirror_bits.broadcast(bits);        // collective; sets and clears the bits of all mirrors
namespace atl {

class MirrorBits {
 public:
  explicit MirrorBits(const Graph& graph);
  /// `bits` are by local number.
  void broadcast(VertexBits& bits);
  std::size_t memory_bytes() const;

 private:
  const Graph& graph_;
  std::vector<std::vector<std::uint64_t>> outgoing_;  // [rank] of its mirrors, in their order
};

}  // namespace atl
