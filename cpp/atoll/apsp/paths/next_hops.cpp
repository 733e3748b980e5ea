// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/paths/paths.hpp>
#include <atoll/base/error.hpp>
#include <cmath>

namespace atl {
namespace {

/// Computes the rows of one thread.
template <class T>
class HopRows {
 public:
  HopRows(const ReplicatedCsr<T>& arcs, MatrixView<const T> d, MatrixView<Local> hops)
      : arcs_(arcs), d_(d), hops_(hops) {
    if constexpr (std::is_floating_point_v<T>) best_.resize(static_cast<std::size_t>(d.cols));
  }

  void fill(Local i) {
    std::fill_n(hops_.row(i).begin(), hops_.cols, Local{-1});
    if constexpr (std::is_floating_point_v<T>) {
      closest(i);
    } else if (arcs_.least > T{}) {
      exact(i);
    } else {
      fewest_arcs(i);
    }
    hops_(i, i) = -1;
  }

 private:
  /// With positive weights every first arc of a shortest path leads nearer, so any one will do. The arc must itself be
  /// a shortest path, which few arcs of a dense graph are.
  void exact(Local i) {
    const T* row = d_.row(i).data();
    Local* hop = hops_.row(i).data();
    const auto heads = arcs_.heads_of(i);
    for (std::size_t e = 0; e < heads.size(); ++e) {
      const Local x = heads[e];
      const T w = arcs_.weights_of(i)[e];
      if (w != row[x]) continue;
      const T* from_x = d_.row(x).data();
      for (std::int64_t j = 0; j < d_.cols; ++j) hop[j] = from_x[j] + w == row[j] ? x : hop[j];
    }
    for (std::int64_t j = 0; j < d_.cols; ++j) hop[j] = row[j] == kNoPath<T> ? -1 : hop[j];
  }

  /// With zero or negative weights: breadth-first search over the arcs of shortest paths from i. The paths found have
  /// the fewest arcs, and so has each of their suffixes.
  void fewest_arcs(Local i) {
    const auto row = d_.row(i);
    const auto hop = hops_.row(i);
    queue_.assign(1, i);
    for (std::size_t next = 0; next < queue_.size(); ++next) {
      const Local x = queue_[next];
      const auto heads = arcs_.heads_of(x);
      for (std::size_t e = 0; e < heads.size(); ++e) {
        const Local y = heads[e];
        if (y == i || hop[y] >= 0 || row[y] == kNoPath<T>) continue;
        if (path_sum(row[x], arcs_.weights_of(x)[e]) != row[y]) continue;
        hop[y] = x == i ? y : hop[x];
        queue_.push_back(y);
      }
    }
  }

  void closest(Local i) {
    const T* __restrict row = d_.row(i).data();
    Local* __restrict hop = hops_.row(i).data();
    T* __restrict best = best_.data();
    std::fill(best_.begin(), best_.end(), kNoPath<T>);
    const auto heads = arcs_.heads_of(i);
    constexpr auto slack = static_cast<T>(kPathSlack<T>);
    for (std::size_t e = 0; e < heads.size(); ++e) {
      const Local x = heads[e];
      const T w = arcs_.weights_of(i)[e];
      if (w > row[x] + slack * row[x]) continue;
      const T* __restrict from_x = d_.row(x).data();
      for (std::int64_t j = 0; j < d_.cols; ++j) {
        const T miss = from_x[j] < row[j] ? std::abs(from_x[j] + w - row[j]) : kNoPath<T>;
        hop[j] = miss < best[j] ? x : hop[j];
        best[j] = miss < best[j] ? miss : best[j];
      }
    }
    for (std::int64_t j = 0; j < d_.cols; ++j) {
      if (row[j] == kNoPath<T>) {
        hop[j] = -1;
      } else if (j != i) {
        check(best_[j] <= slack * row[j],
              "{}: no arc from {} leads nearer to {}, {} away (the weights were lost in rounding, or the distances are "
              "of another graph). Use float64, or paths from distances.",
              arcs_.name, arcs_.ids[i], arcs_.ids[j], row[j]);
      }
    }
  }

  const ReplicatedCsr<T>& arcs_;
  const MatrixView<const T> d_;
  const MatrixView<Local> hops_;
  std::vector<T> best_;  // [j] distance from the end of the chosen arc
  std::vector<Local> queue_;
};

}  // namespace

template <class T>
Matrix<Local> next_hops(Team& team, const ReplicatedCsr<T>& arcs, MatrixView<const T> d) {
  const Vertex n = arcs.vertices();
  check(d.rows == n && d.cols == n, "{}: distances of {} x {} (the graph has {} vertices). Give all of them.",
        arcs.name, d.rows, d.cols, n);
  if constexpr (std::is_floating_point_v<T>)
    check(arcs.size() == 0 || arcs.least > T{},
          "{}: an arc weighs {} (next hops of floats could then form a cycle). Use int32, or paths from distances.",
          arcs.name, arcs.least);
  Matrix<Local> hops(n, n);
  std::vector<HopRows<T>> rows(static_cast<std::size_t>(team.size()), HopRows<T>(arcs, d, hops.view()));
  constexpr std::size_t kGrain = 8;
  team.for_range(static_cast<std::size_t>(n), kGrain, [&](int thread, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) rows[thread].fill(static_cast<Local>(i));
  });
  return hops;
}

template Matrix<Local> next_hops(Team&, const ReplicatedCsr<float>&, MatrixView<const float>);
template Matrix<Local> next_hops(Team&, const ReplicatedCsr<double>&, MatrixView<const double>);
template Matrix<Local> next_hops(Team&, const ReplicatedCsr<std::int32_t>&, MatrixView<const std::int32_t>);
template Matrix<Local> next_hops(Team&, const ReplicatedCsr<std::uint16_t>&, MatrixView<const std::uint16_t>);
template Matrix<Local> next_hops(Team&, const ReplicatedCsr<std::uint8_t>&, MatrixView<const std::uint8_t>);

}  // namespace atl
