// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/closure.hpp>
#include <atoll/apsp/path_sum.hpp>
#include <atoll/apsp/row_fault.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t at(Vertex v) { return static_cast<std::size_t>(v); }

/// A semiring whose products are wide enough that none saturates: a length that T does not hold is not told as no path.
template <class T, class Ring>
struct Rule {
  using Value = PathLength<T>;
  static constexpr bool kAdds = Ring::kSemiring == Semiring::min_plus || Ring::kSemiring == Semiring::max_plus;

  static Value through(T before, T weight) {
    if constexpr (kAdds) return static_cast<Value>(before) + static_cast<Value>(weight);
    return static_cast<Value>(Ring::times(before, entry_of(Ring::kSemiring, weight)));
  }
  static bool is_better(Value x, Value y) { return Ring::kSemiring == Semiring::min_plus ? x < y : x > y; }
  /// Sums of floats are rounded; the rest is exact.
  static bool is_close(Value x, Value y) {
    if constexpr (std::is_floating_point_v<T> && kAdds)
      return x == y || std::abs(x - y) <= 1e-4 * std::max(std::abs(x), std::abs(y)) + 1e-30;
    else
      return x == y;
  }
};

template <class T, class Ring>
std::optional<std::string> fault_over(const Arcs<T>& arcs, const Arcs<T>& entering, Ring ring, Vertex s,
                                      std::span<const T> row) {
  using R = Rule<T, Ring>;
  const auto id = [&](Vertex v) { return arcs.ids[at(v)]; };
  const auto value = [&](Vertex v) { return static_cast<typename R::Value>(row[at(v)]); };
  if (row[at(s)] != ring.one()) return fmt::format("from {} to itself: {} (not {})", id(s), row[at(s)], ring.one());
  for (Vertex v = 0; v < arcs.vertices(); ++v) {
    const bool none = row[at(v)] == ring.zero();
    const auto tails = entering.heads_of(v);
    const auto weights = entering.weights_of(v);
    for (std::size_t e = 0; e < tails.size(); ++e) {
      const T before = row[at(tails[e])];
      if (before == ring.zero()) continue;
      const auto through = R::through(before, weights[e]);
      if (none || (R::is_better(through, value(v)) && !R::is_close(through, value(v))))
        return fmt::format("from {} to {}: {}, {} through {}", id(s), id(v),
                           none ? "no path" : fmt::format("{}", value(v)), through, id(tails[e]));
    }
  }
  // Vertices that are reached by arcs that account for their values; the order does not matter.
  std::vector<char> seen(row.size(), 0);
  std::vector<Vertex> reached{s};
  seen[at(s)] = 1;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const Vertex u = reached[next];
    const auto heads = arcs.heads_of(u);
    const auto weights = arcs.weights_of(u);
    for (std::size_t e = 0; e < heads.size(); ++e) {
      if (seen[at(heads[e])] || !R::is_close(R::through(row[at(u)], weights[e]), value(heads[e]))) continue;
      seen[at(heads[e])] = 1;
      reached.push_back(heads[e]);
    }
  }
  for (Vertex v = 0; v < arcs.vertices(); ++v)
    if (!seen[at(v)] && row[at(v)] != ring.zero())
      return fmt::format("no path from {} to {} is as good as {}", id(s), id(v), value(v));
  return {};
}

}  // namespace

template <class T>
std::optional<std::string> fault_of_row(const Arcs<T>& arcs, const Arcs<T>& entering, Semiring semiring, Vertex s,
                                        std::span<const T> row) {
  std::optional<std::string> fault;
  with_semiring<T>(semiring, [&](auto ring) { fault = fault_over(arcs, entering, ring, s, row); });
  return fault;
}

#define ATOLL_ROW_FAULT_OF(T)                                                                        \
  template std::optional<std::string> fault_of_row(const Arcs<T>&, const Arcs<T>&, Semiring, Vertex, \
                                                   std::span<const T>);
ATOLL_ROW_FAULT_OF(float)
ATOLL_ROW_FAULT_OF(double)
ATOLL_ROW_FAULT_OF(std::int32_t)
ATOLL_ROW_FAULT_OF(std::uint16_t)
ATOLL_ROW_FAULT_OF(std::uint8_t)
#undef ATOLL_ROW_FAULT_OF

}  // namespace atl
