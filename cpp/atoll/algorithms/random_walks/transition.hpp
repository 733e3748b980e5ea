// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/algorithms/random_walks/alias_rows.hpp>
#include <atoll/algorithms/random_walks/random_walks.hpp>

namespace atl {

/// One draw of a step: an edge, and what decides whether it is taken.
struct Dart {
  Edge edge;        // -1: back to the vertex before, by the area beyond the bound
  double fraction;  // what the draw of the edge has left: of an alias table's slot
  double height;    // the candidate is accepted if its edge counts more
};

/// The numbers of a second-order step: what edges count, and what bounds that.
struct SecondOrder {
  enum class Verdict { accepted, rejected, by_adjacency };

  explicit SecondOrder(const WalkOptions& options)
      : back(1 / options.return_parameter),
        away(1 / options.in_out_parameter),
        bound(std::max(1.0, away)),
        folds(back > bound),
        is_needed(back != 1 || away != 1) {
    if (!folds) bound = std::max(bound, back);
  }
  Verdict judge(const Dart& dart, bool is_back) const {
    if (is_back) return dart.height < back ? Verdict::accepted : Verdict::rejected;
    if (dart.height < std::min(1.0, away)) return Verdict::accepted;
    return dart.height < std::max(1.0, away) ? Verdict::by_adjacency : Verdict::rejected;
  }
  bool accepts(double height, bool is_adjacent) const { return height < (is_adjacent ? 1 : away); }

  double back, away;  // 1/p and 1/q
  double bound;       // of what an edge counts; of one back only if it is not folded
  bool folds;         // what an edge back counts above the bound is an area of its own, so that few darts miss
  bool is_needed;     // else steps are of first order
};

/// The choice of the next vertex of a walk, by rejection [1]: a neighbour is proposed by uniform or alias draws, which
/// know nothing of where the walk came from, and accepted with a chance that does.
///
/// [1] K. Yang et al. "KnightKing: A fast distributed graph random walk engine." SOSP 2019, sections 3.2, 4.1 and 4.2.
///
///   in the paper         here                  meaning
///   Ps                   draw()                static part of the chance
///   Pd                   SecondOrder           dynamic part: 1/p, 1 or 1/q
///   Q(v), L(v)           bound, min(1, away)   above all Pd; below all Pd but that of the way back
///   outliers             returning_area()      the area that stands for what exceeds the bound
class Transition {
 public:
  /// Collective. InputError as RandomWalks.
  Transition(const Graph& graph, EdgeWeighting weighting);

  const Graph& graph() const { return graph_; }
  const IdOrderedRows& rows() const { return rows_; }
  const AliasRows& alias() const { return alias_; }
  bool weighted() const { return !totals_.empty(); }

  /// The draw of a first-order step from v, which is accepted always; v has an edge.
  Dart draw(Local v, Random& random) const {
    const auto scaled = static_cast<unsigned __int128>(random()) * static_cast<std::uint64_t>(rows_.degree(v));
    return {rows_.begin(v) + static_cast<Edge>(scaled >> 64),
            static_cast<double>(static_cast<std::uint64_t>(scaled)) * 0x1p-64, -1};
  }
  /// A dart of a second-order step from v, which has an edge.
  Dart throw_dart(Local v, double returning, const SecondOrder& order, Random& random) const {
    if (returning > 0) {
      const double area = total(v) * order.bound;
      if (random.unit() * (area + returning) >= area) return {-1, 0, -1};
    }
    Dart dart = draw(v, random);
    dart.height = random.unit() * order.bound;
    return dart;
  }
  /// The vertex that the dart hits; -1 if no edge of the list weighs anything: a dead end.
  Local candidate(const Dart& dart, Local previous) const {
    if (dart.edge < 0) return previous;
    return weighted() ? alias_.at(dart.edge).drawn(dart.fraction) : rows_.target(dart.edge);
  }
  void prefetch(const Dart& dart) const {
    if (dart.edge < 0) return;
    if (weighted()) {
      __builtin_prefetch(&alias_.at(dart.edge));
    } else {
      __builtin_prefetch(rows_.all_targets() + dart.edge);
    }
  }
  /// The area of what edges of v back to `previous` count above the bound.
  double returning_area(Local v, Local previous, const SecondOrder& order) const {
    return order.folds && previous >= 0 ? weight_between(v, previous) * (order.back - order.bound) : 0;
  }
  bool is_dead_end(Local v) const { return rows_.degree(v) == 0; }
  /// Whether v has one edge, which a step takes whatever it counts.
  bool has_one_way(Local v) const { return rows_.degree(v) == 1; }

  /// Whether there is an edge from a master to a local vertex.
  bool has_edge(Local master, Local to) const {
    return std::ranges::binary_search(graph_.out().neighbours(master), to);
  }

  std::size_t memory_bytes() const {
    return rows_.memory_bytes() + alias_.memory_bytes() + totals_.size() * sizeof(double);
  }

 private:
  double total(Local v) const { return weighted() ? totals_[v] : static_cast<double>(rows_.degree(v)); }
  double weight_between(Local v, Local to) const;

  const Graph& graph_;
  const IdOrderedRows rows_;
  AliasRows alias_;
  double greatest_ = 0;   // weight in the whole graph
  Array<double> totals_;  // [master] sum of its weights over the greatest; empty if edges count alike
};

}  // namespace atl
