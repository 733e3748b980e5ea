// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/graph/graph.hpp>
#include <bit>
#include <vector>

/// Of every master the list of its neighbours of higher degree, without directions, loops and multi-edges.
///
///     const ForwardLists lists(graph);                        // collective
///     for (const auto& entry : lists.of(v)) entry.local;      // v: an active master; ascending dense numbers
///     lists.degree(v);                                        // of any local vertex, mirrors included
///
/// Memory: 16 bytes for each pair of neighbours, 12 a local vertex.
namespace atl {

class ForwardLists {
 public:
  /// A neighbour: its dense number and in how many directions an edge joins the two, in one word; by local number too.
  struct Entry {
    std::uint64_t word;
    Local local;
    Vertex dense() const { return dense_of(word); }
    Edge directions() const { return directions_of(word); }
  };
  static std::uint64_t word_of(Vertex dense, std::uint64_t directions) {
    return static_cast<std::uint64_t>(dense) << 2 | directions;
  }
  static Vertex dense_of(std::uint64_t word) { return static_cast<Vertex>(word >> 2); }
  static Edge directions_of(std::uint64_t word) { return static_cast<Edge>(word & 3); }

  explicit ForwardLists(const Graph& graph);

  std::span<const Entry> of(Local v) const { return lists_[static_cast<std::size_t>(v)]; }
  /// In the graph without directions and loops.
  Local degree(Local v) const { return degree_[static_cast<std::size_t>(v)]; }

 private:
  void count_neighbours();
  void list_higher();
  bool is_above(Local u, Local v) const;

  const Graph& graph_;
  const std::vector<Vertex> dense_;        // [local]
  std::vector<std::vector<Entry>> lists_;  // [active master]
  Array<Local> degree_;                    // [local]
};

/// The words of a forward list in a table, most of it empty: to ask whether a vertex is on the list. It fits the nearest
/// cache, as an array over all vertices would not.
class MarkedList {
 public:
  /// word_at(i) for i below `size`.
  template <class WordAt>
  void set(std::size_t size, WordAt&& word_at) {
    const std::size_t slots = std::bit_ceil(kRoom * std::max<std::size_t>(1, size));
    shift_ = 64 - std::countr_zero(slots);
    slots_.assign(slots, 0);
    for (std::size_t i = 0; i < size; ++i) {
      const std::uint64_t word = word_at(i);
      std::size_t at = place(word >> 2);
      while (slots_[at] != 0) at = (at + 1) & (slots - 1);
      slots_[at] = word;
    }
  }
  /// 0: not on the list.
  Edge directions_to(Vertex dense) const {
    const auto number = static_cast<std::uint64_t>(dense);
    for (std::size_t at = place(number); slots_[at] != 0; at = (at + 1) & (slots_.size() - 1))
      if (slots_[at] >> 2 == number) return ForwardLists::directions_of(slots_[at]);
    return 0;
  }

 private:
  static constexpr std::size_t kRoom = 8;
  std::size_t place(std::uint64_t number) const { return (number * 0x9e3779b97f4a7c15u) >> shift_; }

  int shift_ = 0;
  std::vector<std::uint64_t> slots_;  // 0: empty, since a word has a direction
};

}  // namespace atl
