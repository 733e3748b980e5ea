// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/centrality/pagerank_residual.hpp>
#include <atoll/verify/violations.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr std::size_t kResidualGrain = 2048;

class Residual {
 public:
  Residual(const Graph& graph, const PageRankCheckOptions& terms)
      : graph_(graph),
        world_(graph.world()),
        terms_(terms),
        exchange_(graph),
        owned_(static_cast<std::size_t>(graph.owned())),
        jump_(owned_),
        next_(owned_),
        share_(static_cast<std::size_t>(graph.locals()), 0.0),
        leaving_(static_cast<std::size_t>(graph.locals()), 0.0) {
    const auto& p = terms.personalization;
    const bool personal = world_.any(!p.empty());
    if (personal) check_one_for_each(graph, p.size(), "shares of the personalization");
    double total = 0;
    for (const double share : p) total += share;
    total = world_.sum(total);
    sum_leaving();
    for (std::size_t v = 0; v < owned_; ++v)
      jump_[v] =
          personal ? p[graph.owned_index_of(static_cast<Local>(v))] / total : 1 / static_cast<double>(graph.vertices());
  }

  double jump(std::size_t v) const { return jump_[v]; }
  const Array<double>& jumps() const { return jump_; }

  /// F(x), by local index of the masters.
  const Array<double>& iterate(const Array<double>& x) {
    follow(x, next_);
    for (std::size_t v = 0; v < owned_; ++v) next_[v] += (1 - terms_.damping) * jump_[v];
    return next_;
  }

  struct Repeated {
    Array<double> score, rounding;  // rounding: by how much sums of the same terms in another order may differ
  };
  /// F^k(p).
  Repeated repeat(int k) {
    Repeated r{Array<double>(owned_), Array<double>(owned_, 0.0)};
    std::copy(jump_.begin(), jump_.end(), r.score.begin());
    Array<double> followed(owned_);
    // The rank of dangling vertices is summed in double, whatever the scores' type.
    const double lost_unit = static_cast<double>(graph_.vertices()) * 0x1p-53;
    for (; k > 0; --k) {
      follow(r.rounding, followed);
      const double lost = follow(r.score, next_);
      for (std::size_t v = 0; v < owned_; ++v) {
        const double terms = static_cast<double>(graph_.in().degree(static_cast<Local>(v))) + 4;
        r.score[v] = next_[v] + (1 - terms_.damping) * jump_[v];
        r.rounding[v] = followed[v] + terms * terms_.unit * r.score[v] + lost * lost_unit * jump_[v];
      }
    }
    return r;
  }

  /// The sum of |x - y| over all ranks.
  double distance(const Array<double>& x, const Array<double>& y) const {
    double sum = 0;
    for (std::size_t v = 0; v < owned_; ++v) sum += std::abs(x[v] - y[v]);
    return world_.sum(sum);
  }

  /// The total effect of rounding on the bounds, over all iterations.
  double rounding(const Array<double>& x) const {
    double sum = 0;
    for (std::size_t v = 0; v < owned_; ++v)
      sum += (static_cast<double>(graph_.in().degree(static_cast<Local>(v))) + 4) * x[v];
    const double dangling = static_cast<double>(graph_.vertices()) * 0x1p-53;  // their rank is summed in double
    return 2 * (world_.sum(sum) * terms_.unit + dangling) / (1 - terms_.damping);
  }

 private:
  // y = F(x) without the random jumps; returns the rank of dangling vertices.
  double follow(const Array<double>& x, Array<double>& y) {
    double lost = 0;
    for (std::size_t v = 0; v < owned_; ++v) {
      share_[v] = terms_.weighted ? x[v] : leaving_[v] > 0 ? x[v] / leaving_[v] : 0;
      if (leaving_[v] == 0) lost += x[v];
    }
    lost = terms_.lost == LostRank::spread ? world_.sum(lost) : 0;
    VertexBits all(graph_.locals());
    all.set_all();
    exchange_.broadcast({share_.data(), share_.size()}, all);
    world_.team().for_range(owned_, kResidualGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        y[v] = terms_.damping * (sum_entering(static_cast<Local>(v)) + lost * jump_[v]);
      }
    });
    return lost;
  }

  void sum_leaving() {
    const Csr& out = graph_.out();
    for (std::size_t v = 0; v < owned_; ++v) {
      double sum = static_cast<double>(out.degree(static_cast<Local>(v)));
      if (terms_.weighted) {
        sum = 0;
        for (Edge e = out.offsets[v]; e < out.offsets[v + 1]; ++e) sum += weight_at(out.weights, e);
      }
      leaving_[v] = sum;
    }
    VertexBits all(graph_.locals());
    all.set_all();
    exchange_.broadcast({leaving_.data(), leaving_.size()}, all);
  }

  double sum_entering(Local v) const {
    const Csr& in = graph_.in();
    double sum = 0;
    for (Edge e = in.offsets[v]; e < in.offsets[static_cast<std::size_t>(v) + 1]; ++e) {
      const auto u = static_cast<std::size_t>(in.targets[e]);
      if (!terms_.weighted) {
        sum += share_[u];
      } else if (leaving_[u] > 0) {
        sum += share_[u] * (weight_at(in.weights, e) / leaving_[u]);
      }
    }
    return sum;
  }

  static double weight_at(const WeightColumn& weights, Edge e) {
    if (const auto* narrow = std::get_if<Array<float>>(&weights)) return (*narrow)[e];
    return std::get<Array<double>>(weights)[e];
  }

  const Graph& graph_;
  World& world_;
  const PageRankCheckOptions& terms_;
  MirrorExchange<double, SumOf> exchange_;
  const std::size_t owned_;
  Array<double> jump_, next_;  // [local master]
  Array<double> share_;        // [local] x / w(u); x where the walk is weighted
  Array<double> leaving_;      // [local] w(u)
};

void check_terms(const PageRankCheckOptions& terms) {
  check(terms.damping > 0 && terms.damping < 1, "verify pagerank: alpha is {} (between 0 and 1). Change it.",
        terms.damping);
  check(terms.tolerance || terms.iterations,
        "verify pagerank: neither a tolerance nor iterations are given (one says how good the scores must be). Give "
        "one.");
  check(
      terms.iterations || terms.check == Iterations::bounded,
      "verify pagerank: iterations are to be repeated and none are given (the scores depend on how many). Give them.");
  check(!terms.tolerance || *terms.tolerance > 0, "verify pagerank: tol is {} (above 0). Change it.",
        terms.tolerance.value_or(0));
  check(!terms.iterations || *terms.iterations > 0, "verify pagerank: iterations is {} (at least 1). Change it.",
        terms.iterations.value_or(0));
}

}  // namespace

Verdict verify_pagerank(const Graph& graph, std::span<const double> score, const PageRankCheckOptions& terms) {
  graph.world().collective_try([&] { check_terms(terms); });
  check(
      !terms.weighted || graph.weighted(),
      "verify pagerank: {} has no weights (the walk is to take edges by weight). Give the weights, or leave that out.",
      graph.name());
  check_one_for_each(graph, score.size(), "scores");
  if (graph.vertices() == 0) return {};

  World& world = graph.world();
  const double d = terms.damping;
  Residual residual(graph, terms);
  Array<double> x(score.size());
  for (std::size_t k = 0; k < score.size(); ++k) x[graph.local_of(static_cast<Vertex>(k))] = score[k];
  Violations violations(world);
  for (std::size_t v = 0; v < x.size(); ++v) {
    const double least = (1 - d) * residual.jump(v) * (1 - 8 * terms.unit);
    if (!(x[v] >= least) || !std::isfinite(x[v]))
      violations.note({.rule = 1, .a = graph.id_of(static_cast<Local>(v)), .x = x[v], .y = least});
  }
  if (const Violation b = violations.first(); b.rule)
    return {false,
            fmt::format("rule 1: vertex {} has the score {} (a finite number, at least {:.6g}: it gets that by jumps)",
                        b.a, b.x, b.y)};

  const double rounding = residual.rounding(x);
  double mine = 0;
  for (const double score_of : x) mine += score_of;
  const double sum = world.sum(mine);
  if (terms.lost == LostRank::spread && std::abs(sum - 1) > rounding)
    return {false, fmt::format("rule 2: the scores sum to {:.12g} (1, but for {:.3g} by rounding)", sum, rounding)};

  if (terms.check == Iterations::repeated) {
    const auto [after, by_rounding] = residual.repeat(*terms.iterations);
    for (std::size_t v = 0; v < x.size(); ++v)
      if (std::abs(x[v] - after[v]) > 2 * by_rounding[v])
        violations.note({.rule = 4, .a = graph.id_of(static_cast<Local>(v)), .x = x[v], .y = after[v]});
    const Violation b = violations.first();
    if (!b.rule) return {};
    return {false, fmt::format("rule 4: vertex {} has the score {:.12g} (after {} iterations it has {:.12g})", b.a, b.x,
                               *terms.iterations, b.y)};
  }

  double bound = 0;
  if (terms.tolerance) bound = d * *terms.tolerance;
  if (terms.iterations) {
    const double first = residual.distance(residual.iterate(residual.jumps()), residual.jumps());
    bound = std::max(bound, std::pow(d, *terms.iterations) * first);
  }
  const Array<double>& next = residual.iterate(x);
  const double moved = residual.distance(next, x);
  if (moved <= bound + rounding) return {};

  struct Move {
    double by = -1;
    Vertex id = kNoVertex;
    double from = 0, to = 0;
  } most;
  const auto larger = [](const Move& s, const Move& t) { return t.by > s.by || (t.by == s.by && t.id < s.id) ? t : s; };
  for (std::size_t v = 0; v < x.size(); ++v)
    most = larger(most, {std::abs(next[v] - x[v]), graph.id_of(static_cast<Local>(v)), x[v], next[v]});
  most = world.fold(most, larger);
  return {
      false,
      fmt::format("rule 3: one more iteration moves the scores by {:.6g} in all (at most {:.6g}), vertex {} the most, "
                  "from {:.9g} to {:.9g}",
                  moved, bound + rounding, most.id, most.from, most.to)};
}

}  // namespace atl
