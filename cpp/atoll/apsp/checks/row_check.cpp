// SPDX-License-Identifier: Apache-2.0
#include <atoll/apsp/checks/row_check.hpp>
#include <atoll/apsp/checks/value_range.hpp>
#include <atoll/apsp/floyd_warshall/closure.hpp>
#include <cmath>
#include <limits>

namespace atl {
namespace {

/// A semiring over values of T, computed in the wider type Value so that no sum saturates: a length beyond T is not
/// mistaken for no path. Value is an integer type if sums are exact.
template <class T, class Ring, class Value>
struct Rule {
  static constexpr bool kAdds = Ring::kSemiring == Semiring::min_plus || Ring::kSemiring == Semiring::max_plus;
  double tolerance, least_scale;

  Rule(const ReplicatedCsr<double>& arcs, std::span<const T> row) : tolerance(0), least_scale(0) {
    if constexpr (std::is_floating_point_v<T> && std::is_floating_point_v<Value>) {
      constexpr double kUnit = std::numeric_limits<T>::epsilon() / 2;
      if constexpr (!kAdds) {
        if (std::is_same_v<T, float>) tolerance = kUnit;  // a weight may have been rounded once
      } else {
        // Each side of a comparison is a sum of fewer than n weights; each weight and each addition is rounded.
        tolerance = std::min(1e-4, 4 * kUnit * static_cast<double>(arcs.vertices()));
        if (arcs.least >= 0) return;
        // Parts of a sum cancel, also those of potentials: the rounded values may have been larger.
        least_scale = std::max(std::abs(arcs.least), std::abs(arcs.greatest));
        for (const T x : row)
          if (std::isfinite(x)) least_scale = std::max(least_scale, std::abs(static_cast<double>(x)));
      }
    }
  }
  static Value through(T before, double weight) {
    if constexpr (kAdds) return static_cast<Value>(before) + static_cast<Value>(weight);
    if constexpr (Ring::kSemiring == Semiring::max_min)
      return static_cast<Value>(std::min(static_cast<double>(before), weight));
    return static_cast<Value>(before);  // or_and: weights do not count
  }
  static bool is_better(Value x, Value y) { return Ring::kSemiring == Semiring::min_plus ? x < y : x > y; }
  bool is_close(Value x, Value y) const {
    if constexpr (std::is_integral_v<Value>)
      return x == y;
    else
      return x == y || std::abs(x - y) <= tolerance * std::max({std::abs(x), std::abs(y), least_scale});
  }
};

template <class Value, class T, class Ring>
std::optional<std::string> fault_over(const ReplicatedCsr<double>& arcs, const ReplicatedCsr<double>& entering,
                                      Ring ring, Vertex s, std::span<const T> row) {
  const Rule<T, Ring, Value> rule(arcs, row);
  const auto id = [&](Vertex v) { return arcs.ids[v]; };
  const auto value = [&](Vertex v) { return static_cast<Value>(row[v]); };
  if (row[s] != ring.one()) return fmt::format("from {} to itself: {} (not {})", id(s), row[s], ring.one());
  for (Vertex v = 0; v < arcs.vertices(); ++v) {
    const bool none = row[v] == ring.zero();
    const auto tails = entering.heads_of(v);
    const auto weights = entering.weights_of(v);
    for (std::size_t e = 0; e < tails.size(); ++e) {
      const T before = row[tails[e]];
      if (before == ring.zero()) continue;
      const Value through = rule.through(before, weights[e]);
      if (none || (rule.is_better(through, value(v)) && !rule.is_close(through, value(v))))
        return fmt::format("from {} to {}: {}, {} through {}", id(s), id(v),
                           none ? "no path" : fmt::format("{}", value(v)), through, id(tails[e]));
    }
  }
  // Vertices reached by arcs that account for their values, in any order.
  std::vector<char> seen(row.size(), 0);
  std::vector<Vertex> reached{s};
  seen[s] = 1;
  for (std::size_t next = 0; next < reached.size(); ++next) {
    const Vertex u = reached[next];
    const auto heads = arcs.heads_of(u);
    const auto weights = arcs.weights_of(u);
    for (std::size_t e = 0; e < heads.size(); ++e) {
      if (seen[heads[e]] || !rule.is_close(rule.through(row[u], weights[e]), value(heads[e]))) continue;
      seen[heads[e]] = 1;
      reached.push_back(heads[e]);
    }
  }
  for (Vertex v = 0; v < arcs.vertices(); ++v)
    if (!seen[v] && row[v] != ring.zero())
      return fmt::format("no path from {} to {} is as good as {}", id(s), id(v), value(v));
  return {};
}

}  // namespace

template <class T>
std::optional<std::string> check_row(const ReplicatedCsr<double>& arcs, const ReplicatedCsr<double>& entering,
                                     Semiring semiring, Vertex s, std::span<const T> row) {
  std::optional<std::string> fault;
  with_semiring<T>(semiring, [&](auto ring) {
    const bool exact = std::is_integral_v<T> || (std::is_same_v<T, double> && has_exact_sums(arcs, semiring));
    fault = exact ? fault_over<std::int64_t>(arcs, entering, ring, s, row)
                  : fault_over<double>(arcs, entering, ring, s, row);
  });
  return fault;
}

#define ATOLL_ROW_FAULT_OF(T)                                                                                         \
  template std::optional<std::string> check_row(const ReplicatedCsr<double>&, const ReplicatedCsr<double>&, Semiring, \
                                                Vertex, std::span<const T>);
ATOLL_ROW_FAULT_OF(float)
ATOLL_ROW_FAULT_OF(double)
ATOLL_ROW_FAULT_OF(std::int32_t)
ATOLL_ROW_FAULT_OF(std::uint16_t)
ATOLL_ROW_FAULT_OF(std::uint8_t)
#undef ATOLL_ROW_FAULT_OF

}  // namespace atl
