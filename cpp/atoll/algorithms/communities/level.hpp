// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atomic>
#include <variant>

/// One level of a multilevel search for communities: a weighted graph whose vertices are those of the input, or sets of
/// them.
namespace atl {

/// A level as its loops read it. Refers to memory of the graph or of a CoarseLevel.
struct Level {
  std::size_t rows = 0;            ///< vertices whose lists are here
  const Edge* offsets = nullptr;   ///< [row], rows + 1
  const Local* targets = nullptr;  ///< rows; of a FirstLevel over ranks also other local vertices, behind them
  std::variant<std::monostate, const float*, const double*> weights;  ///< none: all 1
  const double* degree = nullptr;  ///< [row] sum of the weights of its edges, a self-loop's twice
  /// [row] twice the weight of the edges inside the set that the row stands for; null if lists have their self-loops.
  const double* inside = nullptr;
};

/// A level that owns its lists: no self-loops, and one edge to each neighbour.
struct CoarseLevel {
  Array<Edge> offsets{1, 0};
  Array<Local> targets;
  Array<double> weights, degree, inside;

  Level view() const {
    return {.rows = degree.size(),
            .offsets = offsets.data(),
            .targets = targets.data(),
            .weights = weights.data(),
            .degree = degree.data(),
            .inside = inside.data()};
  }
  std::size_t memory_bytes() const {
    return offsets.size() * sizeof(Edge) + targets.size() * sizeof(Local) +
           (weights.size() + degree.size() + inside.size()) * sizeof(double);
  }
};

/// Calls f(weight) with a function such that weight(e) is the weight of the e-th edge: the int 1 if there are none.
template <class F>
void with_level_weights(const Level& level, F&& f) {
  if (const auto* narrow = std::get_if<const float*>(&level.weights)) {
    f([of = *narrow](Edge e) { return static_cast<double>(of[e]); });
  } else if (const auto* wide = std::get_if<const double*>(&level.weights)) {
    f([of = *wide](Edge e) { return of[e]; });
  } else {
    f([](Edge) { return 1; });
  }
}

/// The measure of a partition: modularity with a resolution.
struct ModularityTerms {
  double resolution = 1;
  double total = 0;  ///< sum of all degrees, twice the weight of all edges

  /// The loss of a vertex of this degree, for each unit of the degrees of the community that it is in.
  double loss(double degree) const { return resolution * degree / total; }
  /// A score must be better by so much for a move: a change of the modularity that rounding does not make.
  double least_gain() const { return 0.5e-12 * total; }
};

/// One thread decides in one order, so its answer is always the same; a team is faster.
enum class Workers { one, team };
template <class F>
void for_rows(Team& team, Workers workers, std::size_t rows, std::size_t grain, F&& f) {
  if (workers == Workers::team) return team.for_range(rows, grain, f);
  for (std::size_t a = 0; a < rows; a += grain) {
    team.cancellation_point();
    f(0, a, std::min(rows, a + grain));
  }
}

template <class T>
T load_relaxed(const T& value) {
  return std::atomic_ref(const_cast<T&>(value)).load(std::memory_order_relaxed);
}
template <class T>
void store_relaxed(T& value, T to) {
  std::atomic_ref(value).store(to, std::memory_order_relaxed);
}

/// Adds up the weights between a vertex and the communities of its neighbours: a sum for each community, so nothing is
/// searched, and a list of those that are not 0. Weights are not negative.
template <class Sum>
class CommunitySums {
 public:
  void resize(std::size_t communities) {
    if (sums_.size() >= communities) return;
    used_ = Array<Local>(communities + 1);  // add() writes behind the last one too
    sums_ = Array<Sum>(communities, Sum{0});
  }
  /// Adds weight(e) to the sum of community(e) for each edge of a list; of none if that is below 0.
  template <class Community, class Weight>
  void add(Edge begin, Edge end, Community&& community, Weight&& weight) {
    // Here rather than in the object, where each addition would wait for the count that the one before has stored.
    Sum* const sums = sums_.data();
    Local* const used = used_.data();
    std::size_t count = count_;
    for (Edge e = begin; e < end; ++e) {
      const Local c = community(e);
      if (c < 0) continue;
      const auto more = static_cast<Sum>(weight(e));
      const Sum before = sums[c];
      used[count] = c;
      count += static_cast<std::size_t>((before == 0) & (more != 0));  // without a branch
      sums[c] = before + more;
    }
    count_ = count;
  }
  /// Asks for the sum of a community.
  void prefetch(Local community) const { __builtin_prefetch(sums_.data() + community, 1); }
  Sum of(Local community) const { return sums_[community]; }
  /// f(community, sum) in the order of first additions, without sums of 0. Afterwards all sums are 0.
  template <class F>
  void take(F&& f) {
    for (std::size_t k = 0; k < count_; ++k) f(used_[k], std::exchange(sums_[used_[k]], Sum{0}));
    count_ = 0;
  }
  bool empty() const { return count_ == 0; }
  std::size_t memory_bytes() const { return sums_.size() * sizeof(Sum) + used_.size() * sizeof(Local); }

 private:
  Array<Sum> sums_;
  Array<Local> used_;
  std::size_t count_ = 0;
};

/// The sums of one thread: `whole` for a single vertex's edges where all weights are 1, to take less memory. The edges
/// of a community may be more than its int32 holds.
struct alignas(128) ThreadSums {
  CommunitySums<std::int32_t> whole;
  CommunitySums<double> real;

  template <class Weight>
  auto& by() {
    if constexpr (std::is_same_v<Weight, int>) {
      return whole;
    } else {
      return real;
    }
  }
  std::size_t memory_bytes() const { return whole.memory_bytes() + real.memory_bytes(); }
};

}  // namespace atl
