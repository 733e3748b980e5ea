// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/arcs/negative_cycle.hpp>
#include <atoll/apsp/searches/prepared_arcs.hpp>
#include <numeric>

namespace atl {
namespace {

template <class T>
NearArcs<T> near_arcs(const ReplicatedCsr<T>& arcs) {
  const auto n = static_cast<std::size_t>(arcs.vertices());
  const ReplicatedCsr<T> in = arcs.directed ? arcs.reversed() : ReplicatedCsr<T>{};
  std::vector<Local> by_degree(n);
  std::iota(by_degree.begin(), by_degree.end(), Local{0});
  std::stable_sort(by_degree.begin(), by_degree.end(),
                   [&](Local a, Local b) { return arcs.heads_of(a).size() > arcs.heads_of(b).size(); });
  NearArcs<T> near;
  near.place.assign(n, -1);
  std::vector<Local> order;
  const auto enter = [&](Local v) {
    if (near.place[v] >= 0) return;
    near.place[v] = static_cast<Local>(order.size());
    order.push_back(v);
  };
  for (const Local start : by_degree) {
    std::size_t next = order.size();
    for (enter(start); next < order.size(); ++next) {
      for (const Local u : arcs.heads_of(order[next])) enter(u);
      if (arcs.directed)
        for (const Local u : in.heads_of(order[next])) enter(u);
    }
  }
  near.arcs.name = arcs.name;
  near.arcs.directed = arcs.directed;
  near.arcs.least = arcs.least;
  near.arcs.greatest = arcs.greatest;
  near.arcs.ids.resize(n);
  near.arcs.offsets = Array<Edge>(n + 1, 0);
  near.arcs.heads = Array<Local>(arcs.heads.size());
  near.arcs.weights = Array<T>(arcs.weights.size());
  std::vector<std::pair<Local, T>> row;
  std::size_t to = 0;
  for (std::size_t v = 0; v < n; ++v) {
    row.clear();
    for (auto e = static_cast<std::size_t>(arcs.begin(order[v])); e < static_cast<std::size_t>(arcs.end(order[v])); ++e)
      row.emplace_back(near.place[arcs.heads[e]], arcs.weights[e]);
    std::sort(row.begin(), row.end());
    for (const auto& [head, weight] : row) {
      near.arcs.heads[to] = head;
      near.arcs.weights[to++] = weight;
    }
    near.arcs.offsets[v + 1] = static_cast<Edge>(to);
  }
  return near;
}

}  // namespace

template <class T>
void PreparedArcs<T>::remove_negative() {
  if (!potentials_.empty() || !given_.has_negative()) return;
  potentials_ = potentials(given_);
  std::vector<Arc<T>> list;
  list.reserve(given_.heads.size());
  for (Local v = 0; v < given_.vertices(); ++v) {
    const auto heads = given_.heads_of(v);
    for (std::size_t k = 0; k < heads.size(); ++k) {
      const PathSum<T> w = static_cast<PathSum<T>>(given_.weights_of(v)[k]) + potentials_[v] - potentials_[heads[k]];
      greatest_ = std::max(greatest_, w);
      list.push_back({v, heads[k], static_cast<T>(std::max(w, PathSum<T>{}))});
    }
  }
  if (has_nonnegative()) nonnegative_ = make_arcs<T>(given_.ids, true, list, given_.name);
}

template <class T>
bool PreparedArcs<T>::has_nonnegative() {
  remove_negative();
  if constexpr (std::is_floating_point_v<T>)
    return true;
  else
    return greatest_ * static_cast<PathSum<T>>(given_.vertices()) < static_cast<PathSum<T>>(kNoPath<T>);
}

template <class T>
const ReplicatedCsr<T>& PreparedArcs<T>::nonnegative() {
  check(has_nonnegative(),
        "{}: after reweighting by potentials an arc weighs {} (path lengths may not fit int32). Use --method fw, or "
        "float64.",
        given_.name, greatest_);
  return nonnegative_ ? *nonnegative_ : given_;
}

template <class T>
const NearArcs<T>& PreparedArcs<T>::near() {
  if (!near_) near_ = near_arcs(nonnegative());
  return *near_;
}

template <class T>
void PreparedArcs<T>::restore(Team& team, std::span<const Local> sources, MatrixView<T> rows) const {
  if (potentials_.empty()) return;
  const auto& h = potentials_;
  team.for_range(sources.size(), 16, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t k = a; k < b; ++k) {
      T* row = rows.row(static_cast<std::int64_t>(k)).data();
      for (std::size_t v = 0; v < h.size(); ++v)
        if (row[v] != kNoPath<T>)  // a path that reaches kNoPath is none
          row[v] = static_cast<T>(
              std::min(static_cast<PathSum<T>>(row[v]) + h[v] - h[sources[k]], static_cast<PathSum<T>>(kNoPath<T>)));
      row[sources[k]] = T{};
    }
  });
}

template class PreparedArcs<float>;
template class PreparedArcs<double>;
template class PreparedArcs<std::int32_t>;
template class PreparedArcs<std::uint16_t>;
template class PreparedArcs<std::uint8_t>;

}  // namespace atl
