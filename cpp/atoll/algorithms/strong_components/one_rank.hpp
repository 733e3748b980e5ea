// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/strong_components/depth_first.hpp>
#include <atoll/algorithms/strong_components/search.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/engine/vertex_bits.hpp>

namespace atl {

/// Strongly connected components of a directed graph on one rank.
///
///     OneRankStrongComponents search(graph);
///     search.run(result);
///
/// Memory: 16 bytes and three bits a vertex, and the stacks of depth-first search.
class OneRankStrongComponents final : public StrongComponentsSearch {
 public:
  explicit OneRankStrongComponents(const Graph& graph);
  void run(StrongComponentsResult& result) override;
  std::size_t memory_bytes() const override;

 private:
  struct Pivot {
    double pairs = 0;  // of an edge that enters and one that leaves
    Local vertex = -1;
  };
  struct alignas(128) Thread {
    std::vector<Local> stack;  // trimmed, their neighbours not yet looked at
    DepthFirstComponents search;
    Pivot pivot;
    Local root = -1;
    Edge leaving = 0, entering = 0;  // of vertices that are not trimmed
    Vertex components = 0;
  };
  // A search from the pivot along edges, or against them.
  struct Reach {
    Reach(const Csr& leaving, const Csr& entering, Local active, int threads)
        : leaving(leaving), entering(entering), bits(static_cast<std::size_t>(active)), found(threads) {}
    bool has(Local v) const { return bits.load(index(v) / 64) >> (v % 64) & 1; }
    const Csr &leaving, &entering;
    VertexBits bits;
    Edge live_edges = 0;  // in its direction, of vertices that are not trimmed
    std::vector<Local> frontier;
    std::vector<std::vector<Local>> found;  // [thread]
  };

  void trim();
  void take_off(Local v, Thread& thread);
  void take_off_chains(Thread& thread);
  void choose_pivot();
  void reach_from_pivot(Reach& reach, Team* team) const;
  void push(Reach& reach, Team* team) const;
  void pull(Reach& reach, Team* team) const;
  void split_by_pivot();
  void write(StrongComponentsResult& result);
  Local root_of(Local v) const;

  const Graph& graph_;
  Team& team_;
  const Local active_;
  Array<Local> root_;                        // [vertex] of its component the vertex of least id, or its part
  Array<std::uint32_t> entering_, leaving_;  // [vertex] edges from and to vertices that are not trimmed
  Array<std::uint32_t> visit_;               // [vertex] when depth-first search came, from 1 on; 0: not yet
  VertexBits live_;                          // not trimmed
  Local pivot_ = -1;
  Reach forward_, backward_;
  std::vector<Thread> threads_;
};

}  // namespace atl
