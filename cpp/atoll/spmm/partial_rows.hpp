// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/halo/halo_exchange.hpp>
#include <atoll/matrix/spmm/spmm.hpp>
#include <atoll/spmm/matrix_rows.hpp>
#include <map>
#include <optional>

/// Rows of C that a rank computes in part for their owners, where that moves fewer rows than B's would be.
///
///     PartialRows<float> partial(world, rows, Reduce::sum);     // collective; takes nonzeros out of the rows
///     partial.product()(team, b, partial.begin(b.cols));        // of own rows of B
///     partial.add_to(c);                                        // collective, after c has this rank's own part
namespace atl {

/// [nonzero] 1 where the owner of its column multiplies it: by the least cover (minimum_cover()) of the block between
/// the two domains that a row between the two ranks crosses, of all ranks in both; inside a leaf domain between the two
/// ranks. So what crosses the highest level is the least that rows of B, sent once a domain, and rows of C, summed once
/// a domain, can be. Blocks are covered at once by the ranks that need the rows. Collective; the columns must exist.
template <class T>
std::vector<std::uint8_t> multiplied_by_owners(World& world, const MatrixRows<T>& rows);

template <class T>
class PartialRows {
 public:
  /// Sends nonzeros to the owners of their columns and leaves the others in `rows`. reduce: sum, or mean, whose factors
  /// are those of the rows as they were. Collective; the columns must exist.
  PartialRows(World& world, MatrixRows<T>& rows, Reduce reduce);
  PartialRows(const PartialRows&) = delete;
  PartialRows& operator=(const PartialRows&) = delete;

  /// Whether any rank computes one.
  bool any() const { return plan_->reduced().copies_on_all_ranks > 0; }
  Edge nonzeros() const { return chunk_.pattern().nonzeros(); }  ///< that this rank multiplies for others
  std::int64_t rows() const { return chunk_.rows; }
  /// The product multiplies this rank's rows of B into the rows of C that begin() returns, before add_to().
  const Spmm<T>& product() const { return *product_; }
  MatrixView<T> begin(std::int64_t columns);
  /// Sums what ranks have computed, at each level of domains, and adds it to the owners' rows. Collective, if any().
  void add_to(MatrixView<T> c);
  /// [level] what this rank sends in add_to(), with rows of one value. Collective at the first call.
  std::vector<HaloTraffic> sent() const { return plan_->reduced_traffic(HaloPath::domains, sizeof(T)); }
  /// The same of rows of `columns` values, as DistributedSpmm::traffic(). Collective at the first call for a number of
  /// columns.
  std::vector<HaloTraffic> traffic(std::int64_t columns);
  std::size_t memory_bytes() const;

 private:
  using Exchange = HaloExchange<T, SumOf>;
  Exchange& exchange_of(std::int64_t columns);

  World& world_;
  std::vector<Local> receiving_;          // own rows of which others compute a part, ascending
  std::shared_ptr<const HaloPlan> plan_;  // owned: receiving_; copies: the rows of chunk_
  SparseMatrix<T> chunk_;                 // columns: own rows of B
  std::optional<Spmm<T>> product_;
  std::map<std::int64_t, Exchange> exchanges_;  // [columns]
  Array<T> values_;                             // rows of the plan, for the widest product so far
};

}  // namespace atl
