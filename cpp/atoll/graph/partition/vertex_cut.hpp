// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

/// The edges of a graph distributed by a vertex-cut: an edge may be on a rank that owns neither of its ends.
///
///     const VertexCut& cut = graph.vertex_cut(CutRows::targets);           // collective at the first call
///     for (Local v = 0; v < cut.locals(); ++v)
///       for (Local u : cut.rows().neighbours(v)) ...                   // u -> v is here; both may be mirrors
///
/// Owners and masters are the graph's, with the same local numbers. An undirected edge is one edge in each direction,
/// and the rule assigns each to a rank. A mirror is *read* if edges here leave it, and *written* if edges here enter
/// it: masters broadcast to read mirrors and reduce written ones. The mirrors of one owner are contiguous and start at
/// a multiple of 64: first those that are only read, then both, then only written, each in their owner's local order.
/// So the read mirrors and the written mirrors of an owner are each a range.
///
/// Memory: 4 bytes an edge (and its weight), 8 a local vertex, beside the graph; 16 an edge at the fullest moment.
namespace atl {

class VertexCut {
 public:
  enum Kind { only_read, both, only_written, kinds };

  /// Collective. InputError where n bits exceed Plan::replicated_bytes.
  VertexCut(const Graph& graph, const CutRule& rule, CutRows rows);

  World& world() const { return world_; }
  Local owned() const { return owned_; }
  Local first_mirror() const { return first_mirror_; }
  Local locals() const { return locals_; }  ///< one past the last mirror; a multiple of 64
  /// By local number, mirrors included; lists are sorted.
  const Csr& rows() const { return rows_; }
  /// The same edges by their other ends, with their weights if these are asked for.
  enum class WithWeights { no, yes };
  Csr transposed(WithWeights weights) const;
  const Mirrors& mirrors(Kind kind) const { return mirrors_[kind]; }
  std::size_t memory_bytes() const;

 private:
  template <class Dense, class W>
  void build(const Graph& graph, const CutRule& rule, CutRows rows);
  template <class Dense>
  void name_mirrors(const Graph& graph, const Array<Dense>& source, const Array<Dense>& target);
  Local local_of(const Graph& graph, Vertex dense) const;

  // One bit for each dense vertex, and the number of set bits before each word.
  struct Ranked {
    Array<std::uint64_t> bits;
    Array<std::uint32_t> before;
  };

  World& world_;
  Local owned_;
  Local first_mirror_ = 0, locals_ = 0;
  Csr rows_;
  Mirrors mirrors_[kinds];
  Ranked known_;                  // mirrors by dense number; only during the build
  std::vector<Local> mirror_at_;  // [k] local number of the k-th mirror by dense number
};

}  // namespace atl
