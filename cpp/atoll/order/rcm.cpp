// SPDX-License-Identifier: Apache-2.0
// Reverse Cuthill-McKee [1, 2], from a pseudo-peripheral vertex of each component [3].
//
//   in the papers            here
//   R(s), level structure    Search: breadth-first from s; `depth` levels, the last begins at `last`
//   x of least degree in     least_of(last level)
//   L(h)
//   new number of the i-th   order[n - 1 - i]
//
// Components come in falling degree of their least vertices, so rows without nonzeros are last. One thread: the order of
// each vertex depends on all before it, and half of the time is the searches for the start, which stay in the cache.
//
// [1] E. Cuthill, J. McKee. "Reducing the bandwidth of sparse symmetric matrices." ACM National Conference, 1969.
// [2] A. George. "Computer implementation of the finite element method." STAN-CS-71-208, 1971.
// [3] A. George, J. W. H. Liu. "An implementation of a pseudoperipheral node finder." ACM TOMS 5(3), 1979.
#include <algorithm>
#include <atoll/order/methods.hpp>
#include <atoll/order/rows.hpp>
#include <atoll/order/stable_sort.hpp>
#include <atoll/order/symmetric_pattern.hpp>

namespace atl::order {
namespace {

constexpr std::size_t kAskEvery = std::size_t{1} << 16;  // vertices between cancellation points

class CuthillMcKee {
 public:
  CuthillMcKee(Team& team, const SparsePattern& a)
      : team_(team), a_(a), order_(static_cast<std::size_t>(a.rows)), queue_(order_.size()), seen_(order_.size(), 0) {}

  Array<Local> run() {
    Array<Local> starts = identity(team_, a_.rows);
    sort_stably(team_, starts, largest_degree(a_), [&](Local v) { return degree(a_, v); });
    for (const Local v : starts) {
      if (seen_at(v) == kPlaced) continue;
      place_component(degree(a_, v) == 0 ? v : pseudo_peripheral(v));
    }
    std::reverse(order_.begin(), order_.end());
    return std::move(order_);
  }

 private:
  static constexpr std::uint32_t kPlaced = UINT32_MAX;
  struct Search {
    int depth = 0;
    std::span<const Local> last;  // the last level
  };

  std::uint32_t& seen_at(Local v) { return seen_[v]; }
  bool before(Local u, Local v) const {
    const auto of_u = degree(a_, u), of_v = degree(a_, v);
    return of_u != of_v ? of_u < of_v : u < v;
  }

  Search search(Local start) {
    ++searches_;
    seen_at(start) = searches_;
    queue_[0] = start;
    std::size_t begin = 0, end = 1, head = 0;
    for (int depth = 1;; ++depth) {
      for (const std::size_t level_end = end; head < level_end; ++head) {
        if (head % kAskEvery == 0) team_.cancellation_point();
        for (const Local u : row(a_, queue_[head]))
          if (seen_at(u) != searches_) {
            seen_at(u) = searches_;
            queue_[end++] = u;
          }
      }
      if (head == end) return {depth, {queue_.data() + begin, end - begin}};
      begin = head;
    }
  }

  Local pseudo_peripheral(Local start) {
    for (Search found = search(start);;) {
      const Local candidate = *std::ranges::min_element(found.last, [this](Local u, Local v) { return before(u, v); });
      const Search next = search(candidate);
      if (next.depth <= found.depth) return start;
      start = candidate;
      found = next;
    }
  }

  void place_component(Local start) {
    seen_at(start) = kPlaced;
    order_[placed_++] = start;
    for (std::size_t head = placed_ - 1; head < placed_; ++head) {
      if (head % kAskEvery == 0) team_.cancellation_point();
      const std::size_t first = placed_;
      for (const Local u : row(a_, order_[head]))
        if (seen_at(u) != kPlaced) {
          seen_at(u) = kPlaced;
          order_[placed_++] = u;
        }
      std::sort(order_.begin() + first, order_.begin() + placed_, [this](Local u, Local v) { return before(u, v); });
    }
  }

  Team& team_;
  const SparsePattern a_;
  Array<Local> order_, queue_;
  Array<std::uint32_t> seen_;  // [vertex] the last search that found it, or kPlaced
  std::uint32_t searches_ = 0;
  std::size_t placed_ = 0;
};

}  // namespace

Array<Local> by_reverse_cuthill_mckee(Team& team, const SparsePattern& a) {
  const SymmetricPattern symmetric(team, a);
  return CuthillMcKee(team, symmetric.pattern()).run();
}

}  // namespace atl::order
