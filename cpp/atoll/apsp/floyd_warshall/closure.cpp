// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <algorithm>
#include <atoll/apsp/arcs/narrow_arcs.hpp>
#include <atoll/apsp/arcs/negative_cycle.hpp>
#include <atoll/apsp/floyd_warshall/closure.hpp>
#include <cmath>

namespace atl {
std::vector<Element> elements_of(Semiring semiring) {
  using enum Element;
  switch (semiring) {
    case Semiring::max_plus:
      return {float32, float64, int32};
    case Semiring::max_min:
      return {float32, float64, int32, uint16, uint8};
    case Semiring::or_and:
      return {uint8};
    default:
      return {float32, float64, int32, uint16, uint8};
  }
}

template <class W>
Element narrowest_type(const ReplicatedCsr<W>& arcs, Semiring semiring) {
  if (semiring == Semiring::min_plus) return narrowest_type(arcs);
  if (semiring == Semiring::or_and) return Element::uint8;
  if (semiring == Semiring::max_plus) {
    const Element element = narrowest_type(arcs);
    return element == Element::uint16 ? Element::int32 : element;
  }
  const bool whole = arcs.is_whole();
  const double most = std::max(std::abs(static_cast<double>(arcs.least)), std::abs(static_cast<double>(arcs.greatest)));
  if (whole && arcs.least >= 1 && most < kNoPath<std::uint8_t>) return Element::uint8;
  if (whole && arcs.least >= 1 && most < kNoPath<std::uint16_t>) return Element::uint16;
  if (whole && most < kNoPath<std::int32_t>) return Element::int32;
  const auto is_held = [](W w) {
    return static_cast<double>(static_cast<float>(w)) == static_cast<double>(w);
  };  // values are weights, not sums
  return std::ranges::all_of(arcs.weights, is_held) ? Element::float32 : Element::float64;
}

template <class T>
Algebra all_pairs_algebra(const ReplicatedCsr<T>& arcs, Semiring semiring) {
  const bool nonnegative = semiring == Semiring::min_plus && std::is_same_v<T, float> && !arcs.has_negative();
  return {semiring, nonnegative ? Element::float32_nonnegative : kElementOf<T>};
}

template <class T>
void check_closure(const ReplicatedCsr<T>& arcs, Semiring semiring) {
  const auto elements = elements_of(semiring);
  if (std::ranges::find(elements, kElementOf<T>) == elements.end()) {
    std::vector<std::string_view> names;
    for (const Element e : elements) names.push_back(name_of(e));
    throw UsageError(fmt::format("{} over {} (its values are {}). Choose one of those.", name_of(semiring),
                                 name_of(kElementOf<T>), fmt::join(names, ", ")));
  }
  if (semiring == Semiring::max_min && std::is_unsigned_v<T>)
    check(arcs.size() == 0 || arcs.least > T{},
          "{}: an edge weighs 0 (as {} this means no path). Use int32, or weights from 1 on.", arcs.name,
          name_of(kElementOf<T>));
}

template <class T>
void set_arc_entries(Team& team, const ReplicatedCsr<T>& arcs, Semiring semiring, MatrixView<T> d) {
  with_semiring<T>(semiring, [&](auto s) {
    team.for_range(static_cast<std::size_t>(d.rows), 16, [&](int, std::size_t first, std::size_t last) {
      for (auto u = static_cast<Vertex>(first); u < static_cast<Vertex>(last); ++u) {
        const auto row = d.row(u);
        std::ranges::fill(row, s.zero());
        const auto heads = arcs.heads_of(u);
        const auto weights = arcs.weights_of(u);
        for (std::size_t e = 0; e < heads.size(); ++e) row[heads[e]] = entry_of(semiring, weights[e]);
        row[u] = s.one();
      }
    });
  });
}

template <class T>
ReplicatedCsr<T> negated(const ReplicatedCsr<T>& arcs) {
  const auto minus = [](T w) { return static_cast<T>(T{} - w); };  // 0 - 0 is 0, never -0
  ReplicatedCsr<T> out{.name = arcs.name,
                       .directed = arcs.directed,
                       .ids = arcs.ids,
                       .offsets = Array<Edge>(arcs.offsets.size()),
                       .heads = Array<Local>(arcs.heads.size()),
                       .weights = Array<T>(arcs.weights.size()),
                       .least = minus(arcs.greatest),
                       .greatest = minus(arcs.least),
                       .from_float32 = arcs.from_float32,
                       .rounded = arcs.rounded};
  std::ranges::copy(arcs.offsets, out.offsets.begin());
  std::ranges::copy(arcs.heads, out.heads.begin());
  std::ranges::transform(arcs.weights, out.weights.begin(), minus);
  return out;
}

template <class T>
void refuse_gain_cycle(const ReplicatedCsr<T>& arcs, Semiring semiring) {
  if (semiring != Semiring::max_plus) refuse_negative_cycle(arcs);
  const std::vector<Local> cycle = find_negative_cycle(negated(arcs));
  check(!cycle.empty(),
        "{}: a path from a vertex to itself is longer than 0 (a cycle's weight is 0 but for rounding). Use float64, or "
        "whole weights as int32.",
        arcs.name);
  PathSum<T> weight{};
  std::string text;
  constexpr std::size_t kShown = 12;
  for (std::size_t i = 0; i < cycle.size(); ++i) {
    const Local tail = cycle[i], head = cycle[(i + 1) % cycle.size()];
    const auto heads = arcs.heads_of(tail);
    const auto found = std::ranges::lower_bound(heads, head);
    weight += static_cast<PathSum<T>>(arcs.weights_of(tail)[found - heads.begin()]);
    if (i < kShown) text += fmt::format("{} -> ", arcs.ids[tail]);
  }
  if (cycle.size() > kShown) text += fmt::format("{} more -> ", cycle.size() - kShown);
  throw InputError(fmt::format("{}: the cycle {}{} weighs {} (around a positive one paths get ever longer). {}",
                               arcs.name, text, arcs.ids[cycle.front()], weight,
                               arcs.directed ? "Lower its weights or remove an edge of it."
                                             : "Each undirected edge is a cycle: longest paths need --directed."));
}

template <class T>
std::vector<Local> widest_path(const ReplicatedCsr<T>& arcs, Local u, Local v, T width) {
  std::vector<Local> before(static_cast<std::size_t>(arcs.vertices()), -1), queue{u};
  before[u] = u;
  for (std::size_t next = 0; next < queue.size() && before[v] < 0; ++next) {
    const auto heads = arcs.heads_of(queue[next]);
    const auto weights = arcs.weights_of(queue[next]);
    for (std::size_t e = 0; e < heads.size(); ++e) {
      if (weights[e] < width || before[heads[e]] >= 0) continue;
      before[heads[e]] = queue[next];
      queue.push_back(heads[e]);
    }
  }
  if (before[v] < 0) return {};
  std::vector<Local> path{v};
  while (path.back() != u) path.push_back(before[path.back()]);
  std::ranges::reverse(path);
  return path;
}

#define ATOLL_CLOSURE_OF(T)                                                               \
  template Algebra all_pairs_algebra(const ReplicatedCsr<T>&, Semiring);                  \
  template void check_closure(const ReplicatedCsr<T>&, Semiring);                         \
  template void set_arc_entries(Team&, const ReplicatedCsr<T>&, Semiring, MatrixView<T>); \
  template void refuse_gain_cycle(const ReplicatedCsr<T>&, Semiring);                     \
  template ReplicatedCsr<T> negated(const ReplicatedCsr<T>&);                             \
  template std::vector<Local> widest_path(const ReplicatedCsr<T>&, Local, Local, T);
ATOLL_CLOSURE_OF(float)
ATOLL_CLOSURE_OF(double)
ATOLL_CLOSURE_OF(std::int32_t)
ATOLL_CLOSURE_OF(std::uint16_t)
ATOLL_CLOSURE_OF(std::uint8_t)
#undef ATOLL_CLOSURE_OF

template Element narrowest_type(const ReplicatedCsr<double>&, Semiring);
template Element narrowest_type(const ReplicatedCsr<float>&, Semiring);
template Element narrowest_type(const ReplicatedCsr<std::int32_t>&, Semiring);

}  // namespace atl
