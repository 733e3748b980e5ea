// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/graph_view.hpp>
#include <atoll/engine/halo/halo_rows.hpp>
#include <atoll/engine/halo/row_index.hpp>
#include <atoll/runtime/world.hpp>
#include <memory>

/// Who owes whom which rows. A row (of a vector, of a matrix) is owned by one rank; others have copies of it, their
/// halo.
///
///     auto plan = std::make_shared<const HaloPlan>(world, blocks, needed);   // collective; needed: global row numbers
///     std::vector<float> values(plan->rows() * 32);                          // rows of 32 values: owned rows, copies
///     HaloExchange<float, SumOf> exchange(plan, 32);
///     exchange.broadcast_all(values);                                        // owners -> copies
///     const float* row = &values[plan->local_row(needed[0]) * 32];
///
/// Locally the owned rows come first, in their order, then from first_copy() on the copies, in the order of their
/// owners and for one owner in the order of its rows. A plan knows no width and no values: exchanges of several widths
/// and types share it.
///
/// Memory: 4 bytes for each pair of an owned row and a rank with a copy; from row numbers 8 for each copy, and at most as
/// much as the list of these numbers for their index.
namespace atl {

/// How the rows of an exchange travel.
enum class HaloPath {
  direct,   ///< each rank sends to each rank that it shares rows with
  route,    ///< changed values as records, over the World's route, which combines them on the way
  domains,  ///< a row crosses each boundary once into each domain, and is passed on inside; reduced the same way back
};

/// How many rows a message has, in exchanges by HaloPath::direct or domains.
enum class RowMessages {
  many,    ///< as many as fit a slot
  single,  ///< one, where links are not on-board (LevelCost::on_board); across others rows cost no more alone
};

/// The rows that travel in one direction: from owners to copies, or back.
struct HaloDirection {
  std::vector<HaloRows> owned;   ///< [rank] own rows that it has copies of
  std::vector<HaloRows> copies;  ///< [rank] copies here of its rows
  double copies_on_all_ranks = 0;
  std::size_t max_shared_rows = 0;  ///< the most rows that two ranks share
};

/// Rows and bytes that a rank sends across a level of the hierarchy.
struct HaloTraffic {
  std::uint64_t rows = 0;
  std::uint64_t bytes = 0;  ///< of values, without headers
};

class HaloPlan {
 public:
  /// The rows that this rank needs, by global number, in any order; some may be needed twice, and own rows may be among
  /// them; with Repeats::kept there is a copy for each time that another rank's is needed (not for
  /// HaloPath::domains). Collective; every rank throws InputError if a number is not in [0, owners.count()) or a rank has 2^31 rows.
  HaloPlan(World& world, const Blocks& owners, std::span<const Vertex> needed, Repeats repeats = Repeats::dropped);
  /// The vertices that a graph's (or vertex-cut's) ranks share; rows are by local number. Collective.
  explicit HaloPlan(const GraphView& view);
  HaloPlan(const HaloPlan&) = delete;
  HaloPlan& operator=(const HaloPlan&) = delete;

  World& world() const { return world_; }
  std::size_t first_copy() const { return first_copy_; }
  std::size_t rows() const { return rows_; }  ///< here: owned rows and copies
  /// The local row of a global one that this rank owns or needs, of repeated copies the first. Of a plan from row numbers.
  Local local_row(Vertex row) const;
  /// The same of any global row; -1 if this rank neither owns nor needs it.
  Local local_row_if_any(Vertex row) const;

  const HaloDirection& reduced() const { return directions_.front(); }   ///< copies -> owners
  const HaloDirection& broadcast() const { return directions_.back(); }  ///< owners -> copies
  bool same_both_ways() const { return directions_.size() == 1; }
  /// The stages of HaloPath::domains, from the highest level down, in the order of a broadcast: a row goes from its
  /// owner to one of the ranks that need it in each other domain of the highest level, and each of these passes it on
  /// in its own domain in the same way, level by level. Which rank a domain's rows reach first changes from row to row.
  /// `owned` are the rows that a rank sends in a stage, `copies` those that it receives. Collective at the first call.
  const std::vector<HaloDirection>& reduced_stages() const { return stages_of(reduced()); }
  const std::vector<HaloDirection>& broadcast_stages() const { return stages_of(broadcast()); }

  /// Returns what this rank sends across each level to broadcast, or to reduce, rows of `row_bytes` bytes, all of them.
  /// For the paths direct and domains (collective at the first call); what the records of a route cost depends on what
  /// they meet.
  std::vector<HaloTraffic> broadcast_traffic(HaloPath path, std::size_t row_bytes) const;
  std::vector<HaloTraffic> reduced_traffic(HaloPath path, std::size_t row_bytes) const;
  std::size_t memory_bytes() const;

 private:
  const std::vector<HaloDirection>& stages_of(const HaloDirection& direction) const;

  World& world_;
  std::size_t first_copy_, rows_;
  std::vector<HaloDirection> directions_;                      // reduced, broadcast; only one if they are the same
  Vertex first_owned_ = 0;                                     // of a plan from row numbers: the global number of row 0
  RowIndex needed_;                                            // and of the rows from first_copy_ on
  mutable std::vector<std::vector<HaloDirection>> stages_{2};  // [direction]
};

/// The stages for a direction of a plan. Collective.
std::vector<HaloDirection> halo_stages(World& world, const HaloDirection& direction);

/// The rows that are shared with ranks for which is_in(rank) holds; the same pairs on both ends. Collective.
template <class IsIn>
HaloDirection part_of(World& world, const HaloDirection& direction, IsIn&& is_in);

/// Sets copies_on_all_ranks and max_shared_rows. Collective.
void count_halo(World& world, HaloDirection& direction);

// ---------------------------------------------------------------------------------------------------------------------

template <class IsIn>
HaloDirection part_of(World& world, const HaloDirection& direction, IsIn&& is_in) {
  HaloDirection part;
  for (std::size_t r = 0; r < direction.owned.size(); ++r) {
    const bool in = is_in(static_cast<Rank>(r));
    part.owned.push_back(in ? direction.owned[r] : HaloRows());
    part.copies.push_back(in ? direction.copies[r] : HaloRows());
  }
  count_halo(world, part);
  return part;
}

}  // namespace atl
