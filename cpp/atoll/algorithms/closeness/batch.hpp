// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/closeness/distance_sums.hpp>
#include <atoll/algorithms/closeness/source_bits.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <span>
#include <vector>

/// Breadth-first searches from up to 64 kWords sources at once over any number of ranks, over any cut; a rank's threads
/// share each level.
///
///     ClosenessBatch<8> batch(graph);         // collective, as is add()
///     batch.add(sources);                     // those of this rank, each with its bit, which no other source has
///     batch.sums()[v].farness;                // masters
///
/// In each level sources' bits are pushed along the edges of the frontier, or pulled by the vertices that some source
/// has not reached; mirrors' bits are or-ed into their masters', and masters' are broadcast where edges need them.
///
/// Memory: for each local vertex 24 kWords bytes and 3 + kWords bits, for each master 32 bytes for its sums; over a
/// vertex-cut 4 bytes an edge.
namespace atl {

template <int kWords>
class ClosenessBatch {
 public:
  using Bits = SourceBits<kWords>;
  struct Source {
    Local master;
    std::size_t bit;
  };

  explicit ClosenessBatch(const Graph& graph);
  ClosenessBatch(const ClosenessBatch&) = delete;
  ClosenessBatch& operator=(const ClosenessBatch&) = delete;

  void clear();
  /// `all`: bits of the sources of all ranks.
  void add(std::span<const Source> sources, const Bits& all);
  const Array<DistanceSums>& sums() const { return sums_; }
  std::size_t memory_bytes() const;

 private:
  struct OrOf {
    bool operator()(std::uint64_t& into, std::uint64_t value) const {
      const std::uint64_t before = into;
      into |= value;
      return into != before;
    }
  };
  struct Totals {
    Vertex frontier = 0;
    Edge leaving = 0, open = 0;  // edges that leave the frontier; that enter vertices which are not complete
    Totals operator+(const Totals& other) const {
      return {frontier + other.frontier, leaving + other.leaving, open + other.open};
    }
  };
  struct alignas(128) Thread {
    Totals totals;
  };

  void start(std::span<const Source> sources);
  void broadcast_frontier();
  void push();
  void pull();
  void reduce_next();
  void advance();
  void find(Thread& thread, Local master, const Bits& found);
  void learn(Local mirror, const Bits& bits);
  void mark(Local v, const Bits& bits);
  void add_bits(std::uint64_t* into, const Bits& bits);
  Totals totals();
  template <class F>
  void for_set(const VertexBits& bits, std::size_t end, F&& f);

  std::uint64_t* seen(Local v) { return seen_.data() + index(v) * kWords; }
  std::uint64_t* current(Local v) { return current_.data() + index(v) * kWords; }
  std::uint64_t* next(Local v) { return next_.data() + index(v) * kWords; }

  const Graph& graph_;
  World& world_;
  Team& team_;
  const GraphView view_;
  const Csr transposed_;  // of a vertex-cut
  const Csr &out_, &in_;  // of masters, and over a vertex-cut of mirrors
  MirrorExchange<std::uint64_t, OrOf> exchange_;
  const std::size_t locals_, first_mirror_, rows_;  // rows_: vertices below it may have edges
  const bool serial_;                               // one thread
  Array<std::uint64_t> seen_, current_, next_;  // [local][word]; of a mirror: seen_ has what it was told or has sent
  VertexBits frontier_, touched_, complete_;    // [local] current_ has a bit, next_ has one, seen_ has all
  VertexBits changed_;                          // [local][word] for the exchange, clear between
  Array<DistanceSums> sums_;                    // [local master]
  std::vector<Thread> threads_;
  Bits all_;
  Vertex distance_ = 0;
  std::uint64_t reciprocal_ = 0;
};

}  // namespace atl
