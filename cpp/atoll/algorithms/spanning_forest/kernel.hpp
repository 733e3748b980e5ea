// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/spanning_forest/boruvka.hpp>
#include <atoll/base/random.hpp>
#include <optional>
#include <span>

/// The edges in a rank's lists that are in the spanning forest of the graph, or may be. Used by class SpanningForest.
///
///     ListForest<std::uint32_t, Order> forest(team, ForestLists::of(graph), weights, order);  // allocates buffers once
///     forest.find(keys);
///     for (const KeyedEdge<std::uint32_t>& edge : forest.edges()) ...     // between local vertices
///     forest.join(mirror, other);                                         // which edges of other ranks connect
///     for (const KeyedEdge<std::uint32_t>& edge : forest.candidates(keys, is_here)) ...
///
/// find() links a tree by its first edge if this goes to another master: all edges of masters are here, so the edge is
/// in the forest of the whole graph [2]. On one rank that is the forest. Over several, trees remain whose first edges
/// lead to mirrors. Of the edges that join these trees and mirrors, those that are not in the forest of these edges
/// alone are not in that of the whole graph: candidates() leaves them out.
///
/// `order(v)` ascends by the ids of local vertices. The first round reads the lists alone: a master's first edge is in
/// its own list. Where there are many more edges than vertices, rounds run over the light ones first, as in
/// Filter-Kruskal
/// [1]: they join most vertices, and of the others few still join two trees.
///
/// [1] V. Osipov, P. Sanders, J. Singler. "The Filter-Kruskal minimum spanning tree algorithm." ALENEX 2009.
/// [2] P. Sanders, M. Schimek. "Engineering massively parallel MST algorithms." IPDPS 2023, local preprocessing.
namespace atl {

/// The lists that are read, of vertices 0 .. rows - 1. Their targets are such or, from first_mirror on, other ranks'.
/// Refers to the graph or to lists of all ranks.
struct ForestLists {
  const Csr& lists;
  Local rows, first_mirror;
  std::size_t vertices;
  bool is_whole;  ///< there are no other lists

  static ForestLists of(const Graph& graph) {
    return {graph.out(), graph.active(), graph.mirrors().begin[0], index(graph.locals()), graph.world().size() == 1};
  }
  static ForestLists of_all(const Csr& lists, std::size_t vertices) {
    return {lists, static_cast<Local>(vertices), static_cast<Local>(vertices), vertices, true};
  }
};

template <class Key, class Order>
class ListForest {
 public:
  ListForest(Team& team, const ForestLists& from, EdgeWeighting weights, Order order)
      : lists_(from.lists),
        team_(team),
        order_(order),
        first_mirror_(from.first_mirror),
        is_whole_(from.is_whole),
        rows_(balanced_rows(from.rows)),
        rounds_(team_, from.vertices, positions(), order, differ_by_weight(lists_, weights)) {}

  void find(const WeightKeys<Key>& keys) {
    rounds_.start();
    team_.for_range(rounds_.segments(), 1, [&](int, std::size_t a, std::size_t b) {
      for (Local v = rows_[a]; v < rows_[b]; ++v) choose_first(v, keys);
    });
    pivot_ = light_edges(keys);
    const auto joins_masters = [this](const KeyedEdge<Key>& edge) { return std::max(edge.a, edge.b) < first_mirror_; };
    run_where(keys, joins_masters, [&](Key key, Local, Local) { return is_light(key); });
    // Over ranks the trees that remain would keep most heavy edges: candidates() leaves them out.
    if (is_whole_ && pivot_) run_where(keys, joins_masters, [&](Key key, Local, Local) { return !is_light(key); });
    found_ = rounds_.chosen().size();
  }
  std::span<const KeyedEdge<Key>> edges() const { return std::span(rounds_.chosen()).first(found_); }

  /// Between find() and candidates().
  void join(Local a, Local b) { rounds_.join(a, b); }
  /// After it tree() is of the candidates' trees. Of an edge to a mirror another rank has the other end: is_here(v, u)
  /// says which of the two looks at it, where it is not a light one.
  template <class IsHere>
  std::span<const KeyedEdge<Key>> candidates(const WeightKeys<Key>& keys, IsHere&& is_here) {
    const auto joins_any = [](const KeyedEdge<Key>&) { return true; };
    rounds_.run(joins_any, [](std::size_t, auto&&) {});
    if (pivot_)
      run_where(keys, joins_any,
                [&](Key key, Local v, Local u) { return !is_light(key) && (u < first_mirror_ || is_here(v, u)); });
    return std::span(rounds_.chosen()).subspan(found_);
  }
  Local tree(Local v) const { return rounds_.tree(v); }
  std::size_t memory_bytes() const { return rounds_.memory_bytes(); }

 private:
  static constexpr std::size_t kSegmentsPerThread = 32, kSamples = 1024, kLightPerVertex = 2;

  // Cuts the rows of masters into pieces of about as many edges.
  std::vector<Local> balanced_rows(Local end) const {
    const auto pieces = kSegmentsPerThread * static_cast<std::size_t>(team_.size());
    const atl::Edge* offsets = lists_.offsets.data();
    std::vector<Local> rows{0};
    for (std::size_t p = 1; p < pieces; ++p) {
      const atl::Edge at = lists_.size() / static_cast<atl::Edge>(pieces) * static_cast<atl::Edge>(p);
      const auto row = static_cast<Local>(std::lower_bound(offsets, offsets + end, at) - offsets);
      rows.push_back(std::max(rows.back(), row));
    }
    rows.push_back(end);
    return rows;
  }
  std::vector<std::size_t> positions() const {
    std::vector<std::size_t> begins;
    for (const Local row : rows_) begins.push_back(row > 0 ? static_cast<std::size_t>(lists_.offsets[row]) : 0);
    return begins;
  }

  // Boruvka's rounds over the edges that are taken.
  template <class MayLink, class Takes>
  void run_where(const WeightKeys<Key>& keys, MayLink&& may_link, Takes&& takes) {
    rounds_.run(may_link, [&](std::size_t segment, auto&& consider) {
      for (Local v = rows_[segment]; v < rows_[segment + 1]; ++v) {
        const auto end = static_cast<std::size_t>(lists_.offsets[v + 1]);
        auto e = static_cast<std::size_t>(lists_.offsets[v]);
        e = static_cast<std::size_t>(std::upper_bound(&lists_.targets[e], lists_.targets.data() + end, v) -
                                     lists_.targets.data());
        for (; e < end; ++e)
          if (const Key key = keys[e]; takes(key, v, lists_.targets[e]))
            consider(KeyedEdge<Key>{key, v, lists_.targets[e]});
      }
    });
  }

  bool is_light(Key key) const { return !pivot_ || key <= *pivot_; }

  // A key that about kLightPerVertex edges for each vertex do not exceed; none if there are few more.
  std::optional<Key> light_edges(const WeightKeys<Key>& keys) const {
    const std::size_t entries = lists_.targets.size(), light = 2 * kLightPerVertex * index(rows_.back());
    if (entries <= 2 * light) return {};
    std::vector<Key> sample(kSamples);
    for (std::size_t i = 0; i < kSamples; ++i) sample[i] = keys[random_at(1, i) % entries];
    const auto at = sample.begin() + static_cast<std::ptrdiff_t>(kSamples * light / entries);
    std::nth_element(sample.begin(), at, sample.end());
    return *at;
  }

  // Edges of one vertex that tie are ordered by their other end.
  void choose_first(Local v, const WeightKeys<Key>& keys) {
    Local first = -1;
    Key least = 0;
    for (auto e = static_cast<std::size_t>(lists_.offsets[v]); e < static_cast<std::size_t>(lists_.offsets[v + 1]);
         ++e) {
      const Local u = lists_.targets[e];
      if (u == v) continue;
      const Key key = keys[e];
      if (first >= 0 && (key > least || (key == least && order_(u) >= order_(first)))) continue;
      first = u;
      least = key;
    }
    if (first >= 0 && first < first_mirror_) rounds_.choose({least, v, first});
  }

  const Csr& lists_;
  Team& team_;
  const Order order_;
  const Local first_mirror_;
  const bool is_whole_;
  const std::vector<Local> rows_;  // [segment] where it begins
  Boruvka<Key, Order> rounds_;
  std::optional<Key> pivot_;  // the greatest key of light edges; none: all are
  std::size_t found_ = 0;     // edges of the forest, before candidates
};

}  // namespace atl
