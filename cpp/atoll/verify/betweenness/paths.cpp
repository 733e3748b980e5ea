// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/betweenness/paths.hpp>
#include <atoll/verify/betweenness/weighted_dependencies.hpp>
#include <atoll/verify/violations.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kGrain = 512;
constexpr Local kUnreachedDepth = INT32_MAX;
constexpr double kAccuracy = 1e-9;  // paths are summed in another order than the algorithm's

class Dependencies {
 public:
  explicit Dependencies(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        depths_(graph),
        values_(graph),
        depth_(static_cast<std::size_t>(graph.locals())),
        value_(depth_.size()),
        paths_(static_cast<std::size_t>(graph.owned())),
        dependency_(paths_.size()),
        changed_(graph.locals()) {}

  /// Finds the levels from the source; returns the sum of d(s, t) - 1 over the reached vertices.
  double search(Vertex source) {
    const auto [owner, owned_index] = graph_.find(source);
    std::fill(depth_.begin(), depth_.end(), kUnreachedDepth);
    levels_.assign(1, {});
    if (owner == world_.rank()) {
      levels_[0].push_back(graph_.local_of(owned_index));
      depth_[levels_[0][0]] = 0;
    }
    double sum = 0;
    changed_.clear();
    for (Local d = 0; world_.any(!levels_.back().empty()); ++d) {
      for (const Local v : levels_.back())
        for (const Local u : graph_.out().neighbours(v)) {
          if (depth_[u] != kUnreachedDepth) continue;
          depth_[u] = d + 1;
          changed_.set(u);
        }
      depths_.reduce({depth_.data(), depth_.size()}, changed_);
      auto& next = levels_.emplace_back();
      for (Local v = 0; v < graph_.owned(); ++v)
        if (changed_.test(v)) next.push_back(v);
      changed_.clear();
      sum += static_cast<double>(d) * static_cast<double>(next.size());
    }
    levels_.pop_back();
    return world_.sum(sum);
  }

  /// Adds the dependencies of the last search to the [local master] sums.
  void add_to(Array<double>& sums) {
    changed_.set_all();  // a mirror reached by another rank does not know it yet
    depths_.broadcast({depth_.data(), depth_.size()}, changed_);
    std::fill(value_.begin(), value_.end(), 0.0);
    changed_.clear();
    for (std::size_t d = 0; d < levels_.size(); ++d) {  // values: sigma
      each(levels_[d], [&](std::size_t v) {
        double paths = d == 0;
        for_level(graph_.in(), v, static_cast<Local>(d) - 1, [&](std::size_t u) { paths += value_[u]; });
        paths_[v] = paths;
      });
      broadcast_values(levels_[d], [&](std::size_t v) { return paths_[v]; });
    }
    for (std::size_t d = levels_.size(); d-- > 0;) {  // values: (1 + delta) / sigma, of the levels below
      each(levels_[d], [&](std::size_t v) {
        double sum = 0;
        for_level(graph_.out(), v, static_cast<Local>(d) + 1, [&](std::size_t w) { sum += value_[w]; });
        dependency_[v] = paths_[v] * sum;
        if (d > 0) sums[v] += dependency_[v];
      });
      broadcast_values(levels_[d], [&](std::size_t v) { return (1 + dependency_[v]) / paths_[v]; });
    }
  }

 private:
  template <class F>
  void each(const std::vector<Local>& level, F&& f) {
    world_.team().for_range(level.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) f(static_cast<std::size_t>(level[i]));
    });
  }
  template <class F>
  void for_level(const Csr& lists, std::size_t v, Local depth, F&& f) const {
    for (const Local u : lists.neighbours(static_cast<Local>(v)))
      if (depth_[u] == depth) f(static_cast<std::size_t>(u));
  }
  template <class F>
  void broadcast_values(const std::vector<Local>& level, F&& value_of) {
    for (const Local v : level) {
      value_[v] = value_of(static_cast<std::size_t>(v));
      changed_.set(v);
    }
    values_.broadcast({value_.data(), value_.size()}, changed_);
    changed_.clear();
  }

  const Graph& graph_;
  World& world_;
  MirrorExchange<Local, MinOf> depths_;
  MirrorExchange<double, SumOf> values_;
  Array<Local> depth_;                // [local]
  Array<double> value_;               // [local] values to broadcast
  Array<double> paths_, dependency_;  // [local master]
  std::vector<std::vector<Local>> levels_;
  VertexBits changed_;
};

/// Whether a shortest path may pass through v: it needs an edge from one neighbour and an edge to another.
bool may_be_inside(const Graph& graph, Local v) {
  struct Ends {
    Local first = -1;
    bool more = false;
  };
  const auto ends = [&](const Csr& lists) {
    Ends found;
    for_distinct(lists, v, [&](Local u) {
      found.more = found.first >= 0;
      if (!found.more) found.first = u;
    });
    return found;
  };
  const Ends in = ends(graph.in()), out = graph.directed() ? ends(graph.out()) : in;
  return in.first >= 0 && out.first >= 0 && (in.more || out.more || in.first != out.first);
}

template <class Dependencies>
Verdict check_scores(const Graph& graph, std::span<const Vertex> sources, std::span<const double> score,
                     const BetweennessTerms& terms) {
  check_one_for_each(graph, score.size(), "scores");
  World& world = graph.world();
  Violations violations(world);
  double mine = 0;
  for (std::size_t k = 0; k < score.size(); ++k) {
    const Local v = graph.local_of(static_cast<Vertex>(k));
    mine += score[k];
    if (!(score[k] >= 0) || !std::isfinite(score[k]) || (score[k] != 0 && !may_be_inside(graph, v)))
      violations.note({.rule = 1, .a = graph.id_of(v), .x = score[k]});
  }
  if (const Violation b = violations.first(); b.rule)
    return {false,
            fmt::format("rule 1: vertex {} has the score {} ({})", b.a, b.x,
                        b.x > 0 && std::isfinite(b.x) ? "0: no path can pass it" : "a finite number, 0 or more")};

  // The recomputed sources are spread evenly.
  const std::size_t count = sources.size(), recomputed = std::min(terms.recomputed_sources, count);
  Dependencies dependencies(graph);
  Array<double> sums(score.size(), 0.0);
  double expected = 0;
  for (std::size_t i = 0; i < count; ++i) {
    expected += dependencies.search(sources[i]);
    if (recomputed == count || (i + 1) * recomputed / count != i * recomputed / count) dependencies.add_to(sums);
  }
  if (recomputed > 0)
    for (std::size_t k = 0; k < score.size(); ++k) {
      const Local v = graph.local_of(static_cast<Vertex>(k));
      const double right = sums[v];
      const double apart = recomputed == count ? std::abs(score[k] - right) : right - score[k];
      if (apart > kAccuracy * std::max(1.0, right))
        violations.note({.rule = 3, .a = graph.id_of(v), .x = score[k], .y = right});
    }
  if (const Violation b = violations.first(); b.rule) {
    const std::string from = recomputed == count ? fmt::format("the {} sources give", count)
                                                 : fmt::format("{} of the {} sources alone give", recomputed, count);
    return {false, fmt::format("rule 3: vertex {} has the score {:.9g} (the shortest paths from {} {:.9g})", b.a, b.x,
                               from, b.y)};
  }
  const double sum = world.sum(mine);
  if (std::abs(sum - expected) > kAccuracy * std::max(1.0, expected))
    return {false,
            fmt::format("rule 2: the scores sum to {:.12g} (the vertices inside the shortest paths from the {} sources "
                        "are {:.12g})",
                        sum, sources.size(), expected)};
  return {};
}

}  // namespace

Verdict verify_betweenness(const Graph& graph, std::span<const Vertex> sources, std::span<const double> score,
                           const BetweennessTerms& terms) {
  return terms.by_weight ? check_scores<WeightedDependencies>(graph, sources, score, terms)
                         : check_scores<Dependencies>(graph, sources, score, terms);
}

}  // namespace atl
