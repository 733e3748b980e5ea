// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/engine/first_rank.hpp>
#include <atoll/engine/rows_over_ranks.hpp>
#include <numeric>

namespace atl {
namespace {

constexpr std::size_t kRowsGrain = 1 << 12;

Blocks blocks_of(World& world, Vertex rows) {
  std::vector<Vertex> first{0};
  for (const Vertex count : world.all_gather(rows)) first.push_back(first.back() + count);
  return Blocks(std::move(first));
}

// Mirrors are grouped by their owners, which ascend.
Local first_above(const Graph& graph) {
  const std::vector<Local>& begin = graph.mirrors().begin;
  const auto next = static_cast<std::size_t>(graph.world().rank()) + 1;
  return next < begin.size() ? begin[next] : graph.locals();
}

template <class Values>
Array<Edge> offsets_of(const Values& lengths) {
  Array<Edge> offsets(lengths.size() + 1);
  offsets[0] = 0;
  std::inclusive_scan(lengths.begin(), lengths.end(), offsets.begin() + 1);
  return offsets;
}

template <class T>
std::span<const T> all_of(const Array<T>& values) {
  return {values.data(), values.size()};
}

}  // namespace

RowsOverRanks::RowsOverRanks(const Graph& graph)
    : world_(graph.world()),
      rank_(world_.rank()),
      first_mirror_(graph.mirrors().begin[0]),
      first_above_(first_above(graph)),
      blocks_(blocks_of(world_, graph.active())),
      exchange_(GraphView::all_of(graph)),
      of_(index(graph.locals()), Local{-1}) {
  check(blocks_.count() <= INT32_MAX,
        "{}: {} vertices have an edge (at most {} may, to be numbered over all ranks). Use a smaller graph.",
        graph.name(), blocks_.count(), INT32_MAX);
  for (Local v = 0; v < graph.active(); ++v) of_[v] = begin() + v;
  exchange_.broadcast_all({of_.data(), of_.size()});
}

std::vector<Edge> RowsOverRanks::lengths(const Csr& lists) const {
  std::vector<Edge> lengths(index(blocks_.size(rank_)));
  for (std::size_t v = 0; v < lengths.size(); ++v) lengths[v] = lists.offsets[v + 1] - lists.offsets[v];
  return lengths;
}

// value(e) of each entry. Of a list the mirrors of lower ranks come first, then masters, as their rows do.
template <class T, class F>
Array<T> RowsOverRanks::in_row_order(const Csr& lists, F&& value) const {
  const std::size_t rows = index(blocks_.size(rank_));
  Array<T> values(static_cast<std::size_t>(lists.offsets[rows]));
  world_.team().for_range(rows, kRowsGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      const Local* const targets = lists.targets.data();
      const Edge first = lists.offsets[v], last = lists.offsets[v + 1];
      const auto below = std::lower_bound(targets + first, targets + last, first_mirror_) - targets;
      const auto above = std::lower_bound(targets + below, targets + last, first_above_) - targets;
      auto to = static_cast<std::size_t>(first);
      for (auto e = below; e < above; ++e) values[to++] = value(e);
      for (auto e = first; e < below; ++e) values[to++] = value(e);
      for (auto e = above; e < last; ++e) values[to++] = value(e);
    }
  });
  return values;
}

Csr RowsOverRanks::gather(const Csr& lists, EdgeWeighting weights) const {
  Csr all;
  all.offsets = offsets_of(gather_on_first_rank(world_, std::span<const Edge>(lengths(lists))));
  all.targets =
      gather_on_first_rank(world_, all_of(in_row_order<Local>(lists, [&](auto e) { return of_[lists.targets[e]]; })));
  if (weights == EdgeWeighting::ones) return all;
  std::visit(
      [&](const auto& column) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(column)>, std::monostate>) {
          using Weight = std::decay_t<decltype(column[0])>;
          all.weights =
              gather_on_first_rank(world_, all_of(in_row_order<Weight>(lists, [&](auto e) { return column[e]; })));
        }
      },
      lists.weights);
  return all;
}

Csr RowsOverRanks::replicate(const Csr& lists) const {
  Csr all;
  all.offsets = offsets_of(world_.all_gather_varying(std::span<const Edge>(lengths(lists))));
  const std::vector<Local> targets =
      world_.all_gather_varying(all_of(in_row_order<Local>(lists, [&](auto e) { return of_[lists.targets[e]]; })));
  all.targets = Array<Local>(targets.size());
  std::ranges::copy(targets, all.targets.begin());
  return all;
}

}  // namespace atl
