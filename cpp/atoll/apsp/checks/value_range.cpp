// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atoll/apsp/arcs/negative_cycle.hpp>
#include <atoll/apsp/checks/row_check.hpp>
#include <atoll/apsp/checks/value_range.hpp>
#include <atoll/apsp/floyd_warshall/closure.hpp>
#include <atoll/apsp/floyd_warshall/restore_no_path.hpp>
#include <atoll/apsp/store/distance_row.hpp>
#include <atoll/device/device.hpp>
#include <bit>
#include <cmath>
#include <functional>

namespace atl {
namespace {

/// Lengths closer to 0 than this are distinguished from no path. If something may be added to no path, everything
/// beyond half of it counts as no path.
template <class T>
double limit_of(const ReplicatedCsr<T>& arcs, Semiring semiring, const Device* device) {
  if constexpr (std::is_floating_point_v<T>) return std::numeric_limits<T>::max();
  const T none = device ? static_cast<T>(device->kernels().min_plus.no_path(kElementOf<T>)) : kNoPath<T>;
  return static_cast<double>(adds_to_no_path(arcs, semiring) ? none / 2 : none);
}

bool adds(Semiring semiring) { return semiring == Semiring::min_plus || semiring == Semiring::max_plus; }

/// Paths have at most n - 1 arcs; the additional one allows for the rounding of floats.
template <class T>
bool every_path_fits(const ReplicatedCsr<T>& arcs, Semiring semiring, const Device* device) {
  if (!adds(semiring)) return true;
  return arcs.longest() < limit_of(arcs, semiring, device);
}

template <class T>
const char* remedy(const Device* device) {
  if (std::is_same_v<T, double>) return "Scale the weights down.";
  return device ? "Use a wider type, or no device." : "Use a wider type.";
}

/// Strongly connected components by Tarjan's depth-first search [1], with an explicit stack so that deep graphs do not
/// recurse. They are numbered in the order of completion: an arc between two components leads to the lower number.
///
/// [1] R. Tarjan. "Depth-first search and linear graph algorithms." SIAM J. Comput. 1(2), 1972.
template <class T>
std::vector<Local> strong_components(const ReplicatedCsr<T>& arcs, std::vector<Vertex>& sizes) {
  const auto n = static_cast<std::size_t>(arcs.vertices());
  std::vector<Local> component(n, -1), number(n, -1), low(n), open, path;
  std::vector<Edge> next(n);
  Local entered = 0;
  const auto enter = [&](Local v) {
    number[v] = low[v] = entered++;
    next[v] = arcs.begin(v);
    open.push_back(v);
    path.push_back(v);
  };
  for (Local start = 0; start < static_cast<Local>(n); ++start) {
    if (number[start] < 0) enter(start);
    while (!path.empty()) {
      const Local v = path.back();
      if (next[v] < arcs.end(v)) {
        const Local head = arcs.heads[next[v]++];
        if (number[head] < 0) {
          enter(head);
        } else if (component[head] < 0) {
          low[v] = std::min(low[v], number[head]);
        }
        continue;
      }
      path.pop_back();
      if (!path.empty()) low[path.back()] = std::min(low[path.back()], low[v]);
      if (low[v] < number[v]) continue;
      const auto first = std::find(open.rbegin(), open.rend(), v).base() - 1;
      for (auto u = first; u != open.end(); ++u) component[*u] = static_cast<Local>(sizes.size());
      sizes.push_back(open.end() - first);
      open.erase(first, open.end());
    }
  }
  return component;
}

/// Number of targets in one pass, one bit each.
constexpr std::size_t kTargets = 512;
using TargetBits = std::array<std::uint64_t, kTargets / 64>;

/// Counts the paths in a row, with counters as narrow as the values so that the loop vectorizes.
template <class T>
std::int64_t paths_in(std::span<const T> row, T none) {
  using Counter = std::conditional_t<sizeof(T) == 1, std::uint8_t, std::uint16_t>;
  constexpr std::size_t kAtOnce = 128;
  std::int64_t sum = 0;
  for (std::size_t begin = 0; begin < row.size(); begin += kAtOnce) {
    Counter count = 0;
    for (const T x : row.subspan(begin, std::min(kAtOnce, row.size() - begin)))
      count = static_cast<Counter>(count + (x != none));
    sum += count;
  }
  return sum;
}

/// [vertex] number of paths that start there, over all ranks.
template <class T>
std::vector<Vertex> path_counts(World& world, const Distances<T>& d, T none) {
  const BlockCyclic& rows = d.layout.rows;
  std::vector<Vertex> mine(static_cast<std::size_t>(rows.size), 0), sum = mine;
  for (std::int64_t i = 0; i < d.local.rows(); ++i)
    mine[rows.index_of(d.layout.grid.row_of(world.rank()), i)] = paths_in<T>(d.local.view().row(i), none);
  const std::vector<Vertex> all = world.all_gather_varying(std::span<const Vertex>(mine));
  for (std::size_t k = 0; k < all.size(); ++k) sum[k % sum.size()] += all[k];
  return sum;
}

/// Names the first arc from a vertex with a path to one without.
template <class T>
[[noreturn]] void refuse_lost_path(const ReplicatedCsr<T>& arcs, Semiring semiring, const Device* device, Vertex s,
                                   std::span<const T> row) {
  const auto id = [&](Vertex v) { return arcs.ids[v]; };
  const T none = zero_of<T>(semiring);
  const double limit = limit_of(arcs, semiring, device);
  const bool below = semiring == Semiring::min_plus;
  const std::string holds = fmt::format("{} holds lengths {} {}{}", name_of(kElementOf<T>), below ? "below" : "above",
                                        below ? limit : -limit, device ? " on a device" : "");
  for (Vertex v = 0; v < arcs.vertices(); ++v) {
    const T before = row[v];
    if (before == none) continue;
    for (std::size_t k = 0; k < arcs.heads_of(v).size(); ++k)
      if (const Local head = arcs.heads_of(v)[k]; row[head] == none)
        throw InputError(fmt::format("{}: a path from {} to {} is {} long ({}). {}", arcs.name, id(s), id(head),
                                     static_cast<PathSum<T>>(before) + static_cast<PathSum<T>>(arcs.weights_of(v)[k]),
                                     holds, remedy<T>(device)));
  }
  throw InputError(fmt::format("{}: paths from {} have lengths beyond the type ({}). {}", arcs.name, id(s), holds,
                               remedy<T>(device)));
}

/// The length of the shortest of all paths, if it is negative, else 0. Throws like refuse_negative_cycle().
template <class T>
double least_length(const ReplicatedCsr<T>& arcs) {
  const auto h = potentials(arcs);
  return static_cast<double>(*std::min_element(h.begin(), h.end()));
}

}  // namespace

template <class T>
std::vector<Vertex> reached_counts(Team& team, const ReplicatedCsr<T>& arcs) {
  std::vector<Vertex> sizes;
  const std::vector<Local> component = strong_components(arcs, sizes);
  std::vector<Arc<std::uint8_t>> between;
  for (Local v = 0; v < static_cast<Local>(component.size()); ++v)
    for (const Local head : arcs.heads_of(v))
      if (component[v] != component[head]) between.push_back({component[v], component[head], 0});
  std::vector<Vertex> reached = sizes;
  if (!between.empty()) {
    const auto dag = make_arcs<std::uint8_t>(std::vector<Vertex>(sizes.size()), true, between);
    const auto threads = static_cast<std::size_t>(team.size());
    std::vector<std::vector<Vertex>> of_thread(threads);
    std::vector<std::vector<TargetBits>> bits_of_thread(threads);
    team.for_range((sizes.size() + kTargets - 1) / kTargets, 1, [&](int thread, std::size_t pass, std::size_t) {
      auto& counts = of_thread[thread];
      auto& bits = bits_of_thread[thread];
      counts.resize(sizes.size());
      bits.assign(sizes.size(), TargetBits{});
      const std::size_t first = pass * kTargets;
      for (std::size_t c = first; c < sizes.size(); ++c) {  // lower numbers are only reachable from here
        TargetBits& mine = bits[c];
        for (const Local head : dag.heads_of(static_cast<Vertex>(c)))
          for (std::size_t w = 0; w < mine.size(); ++w) mine[w] |= bits[head][w];
        for (std::size_t w = 0; w < mine.size(); ++w)
          for (std::uint64_t left = mine[w]; left != 0; left &= left - 1)
            counts[c] += sizes[first + w * 64 + static_cast<std::size_t>(std::countr_zero(left))];
        if (c - first < kTargets) mine[(c - first) / 64] |= std::uint64_t{1} << c % 64;  // itself: counted already
      }
    });
    for (const auto& counts : of_thread)
      for (std::size_t c = 0; c < counts.size(); ++c) reached[c] += counts[c];
  }
  std::vector<Vertex> of_vertex;
  for (const Local c : component) of_vertex.push_back(reached[c]);
  return of_vertex;
}

template <class T>
void check_sums(const ReplicatedCsr<T>& arcs, Semiring semiring, const Device* device) {
  if (every_path_fits(arcs, semiring, device)) return;
  // No path plus a path on either side must stay beyond half of no path: so each path may take at most a quarter.
  const double limit = limit_of(arcs, semiring, device) / 2;
  if (semiring == Semiring::min_plus) {
    if (!arcs.has_negative()) return;
    const double least = least_length(arcs);
    check(least > -limit, "{}: a path is {} long ({} holds lengths above {}, beside negative ones). {}", arcs.name,
          least, name_of(kElementOf<T>), -limit, remedy<T>(device));
  } else {
    const ReplicatedCsr<T> turned = negated(arcs);
    if (!find_negative_cycle(turned).empty()) refuse_gain_cycle(arcs, semiring);
    const double most = -least_length(turned);
    check(most < limit, "{}: a path is {} long ({} holds lengths below {}, over max_plus). {}", arcs.name, most,
          name_of(kElementOf<T>), limit, remedy<T>(device));
  }
}

template <class T>
void check_no_path_is_lost(Team& team, const ReplicatedCsr<T>& arcs, std::span<const Vertex> found,
                           const std::function<std::vector<T>(Vertex)>& row_of) {
  if (every_path_fits(arcs, Semiring::min_plus, nullptr)) return;
  if (std::ranges::all_of(found, [&](Vertex count) { return count == arcs.vertices(); })) return;
  const std::vector<Vertex> reached = reached_counts(team, arcs);
  const auto lost = std::mismatch(found.begin(), found.end(), reached.begin(), std::greater_equal<>()).first;
  if (lost == found.end()) return;
  const Vertex s = lost - found.begin();
  refuse_lost_path<T>(arcs, Semiring::min_plus, nullptr, s, row_of(s));
}

template <class T>
void check_no_path_is_lost(World& world, const ReplicatedCsr<T>& arcs, Semiring semiring, const Distances<T>& d,
                           const Device* device) {
  if (every_path_fits(arcs, semiring, device)) return;
  const T none = zero_of<T>(semiring);
  const auto n = static_cast<double>(arcs.vertices());
  const int threads = world.team().size();
  std::vector<std::int64_t> of_thread(static_cast<std::size_t>(threads));
  world.team().for_range(static_cast<std::size_t>(d.local.rows()), 16, [&](int thread, std::size_t i, std::size_t end) {
    std::int64_t sum = 0;
    for (; i < end; ++i) sum += paths_in<T>(d.local.view().row(static_cast<std::int64_t>(i)), none);
    of_thread[thread] += sum;
  });
  std::int64_t paths = 0;
  for (const std::int64_t part : of_thread) paths += part;
  paths = world.sum(paths);
  if (static_cast<double>(paths) == n * n) return;
  const std::vector<Vertex> reached = reached_counts(world.team(), arcs);
  std::int64_t all = 0;
  for (const Vertex count : reached) all += count;
  if (paths >= all) return;
  const std::vector<Vertex> found = path_counts(world, d, none);
  const auto first = std::mismatch(found.begin(), found.end(), reached.begin(), std::greater_equal<>()).first;
  const Vertex s = first - found.begin();
  const std::vector<T> row = row_of(world, d, s);
  world.collective_try([&] { refuse_lost_path<T>(arcs, semiring, device, s, row); });
}

bool has_exact_sums(const ReplicatedCsr<double>& arcs, Semiring semiring) {
  return adds(semiring) && arcs.is_whole() && (arcs.longest() < 0x1p62 || arcs.sum_of_weights() < 0x1p62);
}

bool may_round_whole_sums(const ReplicatedCsr<double>& arcs, Semiring semiring) {
  return arcs.longest() >= 0x1p53 && has_exact_sums(arcs, semiring);
}

void check_whole_sums(World& world, const ReplicatedCsr<double>& arcs, Semiring semiring, const Distances<double>& d) {
  if (!may_round_whole_sums(arcs, semiring)) return;
  // Distances below 2^53 are sums of such values, so none was rounded, except by potentials.
  bool beyond = arcs.has_negative();
  for (std::int64_t i = 0; i < d.local.rows() && !beyond; ++i) {
    world.team().cancellation_point();
    for (const double x : d.local.view().row(i)) beyond |= std::isfinite(x) && std::abs(x) >= 0x1p53;
  }
  if (!world.any(beyond)) return;
  const ReplicatedCsr<double> entering = arcs.reversed();
  std::optional<std::string> fault;
  for (Vertex s = 0; s < arcs.vertices(); ++s) {
    world.team().cancellation_point();
    const std::vector<double> row = row_of(world, d, s);
    if (!fault && s % world.size() == world.rank()) fault = check_row<double>(arcs, entering, semiring, s, row);
  }
  world.collective_try([&] {
    check(
        !fault,
        "{}: {} (float64 does not hold every whole number beyond 2^53, so not all of these lengths). Scale the weights "
        "down.",
        arcs.name, fault.value_or(""));
  });
}

#define ATOLL_VALUE_RANGE_OF(T)                                                                                       \
  template void check_sums(const ReplicatedCsr<T>&, Semiring, const Device*);                                         \
  template void check_no_path_is_lost(World&, const ReplicatedCsr<T>&, Semiring, const Distances<T>&, const Device*); \
  template void check_no_path_is_lost(Team&, const ReplicatedCsr<T>&, std::span<const Vertex>,                        \
                                      const std::function<std::vector<T>(Vertex)>&);                                  \
  template std::vector<Vertex> reached_counts(Team&, const ReplicatedCsr<T>&);
ATOLL_VALUE_RANGE_OF(float)
ATOLL_VALUE_RANGE_OF(double)
ATOLL_VALUE_RANGE_OF(std::int32_t)
ATOLL_VALUE_RANGE_OF(std::uint16_t)
ATOLL_VALUE_RANGE_OF(std::uint8_t)
#undef ATOLL_VALUE_RANGE_OF

}  // namespace atl
