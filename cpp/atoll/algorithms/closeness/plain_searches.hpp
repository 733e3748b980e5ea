// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/algorithms/closeness/distance_sums.hpp>
#include <atoll/algorithms/closeness/search_lists.hpp>
#include <atoll/engine/vertex_bits.hpp>
#include <optional>
#include <span>
#include <vector>

/// Breadth-first searches from one source each, by one thread. They take less than searches of many sources at once
/// where these would seldom meet: where a vertex is at another distance from each source.
///
///     PlainSearches searches(lists);
///     searches.search(source);               // finds the distances of all vertices
///     searches.level_sizes();                // [distance] the vertices there; distance 0 has the source
///     searches.take(sums);                   // adds the distances, now or in a later take()
///     searches.finish(sums);                 // adds what is left; clear() forgets it
///
/// Distances of dense searches are added for several of them in one pass, as sums take more memory than distances.
/// Memory: 20 bytes and a bit for each vertex, and up to 32 for each level of the deepest search.
namespace atl {

class PlainSearches {
 public:
  explicit PlainSearches(const SearchLists& lists);
  PlainSearches(const PlainSearches&) = delete;
  PlainSearches& operator=(const PlainSearches&) = delete;

  void search(Local source) { search_unless_wide(source, {}); }
  /// The same, but gives up, as if nothing had been searched, where it meets more than so many edges in its first
  /// levels. Returns whether it has found all vertices.
  bool search_unless_wide(Local source, std::optional<Edge> most_edges);
  /// The vertices that the last search has found, until it is taken.
  std::size_t reached() const { return queue_.size(); }
  std::span<const std::size_t> level_sizes() const { return level_sizes_; }
  /// -1 if the last search has not reached v.
  Local distance(Local v) const { return reached_.test(index(v)) ? depths_[pending_][v] : -1; }

  void take(Array<DistanceSums>& sums);
  void finish(Array<DistanceSums>& sums);
  void clear();
  std::size_t memory_bytes() const;
  /// The same of one that is not made yet.
  static std::size_t memory_bytes(std::size_t vertices);

 private:
  static constexpr std::size_t kTogether = 4;  // dense searches that are added in one pass
  void forget();

  const Csr& out_;
  const std::size_t vertices_;
  VertexBits reached_;
  std::array<Array<Local>, kTogether> depths_;  // [search][vertex] 0 where it has not been
  std::size_t pending_ = 0;                     // searches whose distances are not added yet
  std::vector<Local> queue_;                    // in the order in which they were reached
  std::vector<std::size_t> level_sizes_;
  std::vector<std::uint64_t> reciprocals_{0};  // [distance]
};

}  // namespace atl
