// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/centrality/spectral_residuals.hpp>
#include <atoll/verify/violations.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr double kSlack = 10;
constexpr double kRounding = 1e-11;  // of sums of up to 2^32 terms, relative

// Scores by local number, mirrors included, and products with the adjacency matrix.
class Scores {
 public:
  Scores(const Graph& graph, const SpectralTerms& terms)
      : graph_(graph), terms_(terms), exchange_(graph), owned_(index(graph.owned())) {
    check(!terms.weighted || graph.weighted(),
          "verify: {} has no weights (edges are to count by their weights). Give the weights, or leave that out.",
          graph.name());
  }

  Array<double> by_local(std::span<const double> by_owned_index) const {
    Array<double> x(index(graph_.locals()), 0.0);
    for (std::size_t k = 0; k < by_owned_index.size(); ++k)
      x[graph_.local_of(static_cast<Vertex>(k))] = by_owned_index[k];
    return x;
  }
  /// [local] the sums of x over the entries of the lists. Collective.
  Array<double> product(const Csr& lists, Array<double>& x) {
    exchange_.broadcast_all({x.data(), x.size()});
    Array<double> sums(x.size(), 0.0);
    for (std::size_t v = 0; v < owned_; ++v)
      lists.for_edges(static_cast<Local>(v), [&](Local u, auto weight) {
        sums[v] += terms_.weighted ? static_cast<double>(weight) * x[u] : x[u];
      });
    return sums;
  }
  template <class F>
  double total(F&& f) const {
    double sum = 0;
    for (std::size_t v = 0; v < owned_; ++v) sum += f(v);
    return graph_.world().sum(sum);
  }
  void scale(Array<double>& x, double factor) const {
    for (std::size_t v = 0; v < owned_; ++v) x[v] *= factor;
  }
  double sum(const Array<double>& x) const {
    return total([&](std::size_t v) { return x[v]; });
  }
  double norm(const Array<double>& x) const {
    return std::sqrt(total([&](std::size_t v) { return x[v] * x[v]; }));
  }
  /// Rules 1 and 2. Collective.
  Verdict check_scaled(const Array<double>& x, double size, const char* what) const {
    Violations violations(graph_.world());
    for (std::size_t v = 0; v < owned_; ++v)
      if (!std::isfinite(x[v]) || (x[v] < 0 && !terms_.weighted))
        violations.note({.rule = 1, .a = graph_.id_of(static_cast<Local>(v)), .x = x[v]});
    if (const Violation b = violations.first(); b.rule)
      return {false, fmt::format("rule 1: vertex {} has the {} {} (a finite number, and not negative without weights)",
                                 b.a, what, b.x)};
    if (!(std::abs(size - 1) <= kRounding))
      return {false, fmt::format("rule 2: {} are scaled to {:.12g} (1)", what, size)};
    return {};
  }
  /// Rule 3. Collective.
  Verdict check_change(double change, double size) const {
    const double most = kSlack * terms_.tolerance + kRounding * std::abs(size);
    if (change <= most) return {};
    return {false,
            fmt::format("rule 3: one more iteration changes the scores by {:.3g} in all (at most {:.3g}: the run "
                        "ended at {:.3g})",
                        change, most, terms_.tolerance)};
  }

 private:
  const Graph& graph_;
  const SpectralTerms& terms_;
  MirrorExchange<double, MinOf> exchange_;
  const std::size_t owned_;
};

double inverse_of(double x) { return x > 0 ? 1 / x : 0; }

// One iteration of hubs (by leaving edges of what entering ones give), or of authorities (the other way round).
Verdict verify_one_side(Scores& scores, std::span<const double> given, const Csr& first, const Csr& second,
                        bool has_edges, const char* what) {
  Array<double> x = scores.by_local(given);
  const double size = scores.sum(x);
  if (size == 0 && !has_edges) return scores.check_scaled(x, 1, what);  // nobody leads anywhere: all are 0
  if (const Verdict verdict = scores.check_scaled(x, size, what); !verdict.ok) return verdict;
  Array<double> between = scores.product(first, x);
  scores.scale(between, inverse_of(scores.sum(between)));
  Array<double> after = scores.product(second, between);
  scores.scale(after, inverse_of(scores.sum(after)));
  const double change = scores.total([&](std::size_t v) { return std::abs(after[v] - x[v]); });
  return scores.check_change(change, 1);
}

}  // namespace

Verdict verify_eigenvector(const Graph& graph, std::span<const double> score, const SpectralTerms& terms) {
  check_one_for_each(graph, score.size(), "scores");
  if (graph.vertices() == 0) return {};
  Scores scores(graph, terms);
  Array<double> x = scores.by_local(score);
  if (const Verdict verdict = scores.check_scaled(x, scores.norm(x), "scores"); !verdict.ok) return verdict;
  Array<double> after = scores.product(graph.in(), x);
  for (std::size_t v = 0; v < index(graph.owned()); ++v) after[v] += x[v];
  scores.scale(after, inverse_of(scores.norm(after)));
  const double change = scores.total([&](std::size_t v) { return std::abs(after[v] - x[v]); });
  return scores.check_change(change, scores.sum(x));
}

Verdict verify_katz(const Graph& graph, std::span<const double> score, double alpha, double beta,
                    const SpectralTerms& terms) {
  check_one_for_each(graph, score.size(), "scores");
  if (graph.vertices() == 0) return {};
  Scores scores(graph, terms);
  Array<double> x = scores.by_local(score);
  if (const Verdict verdict = scores.check_scaled(x, scores.norm(x), "scores"); !verdict.ok) return verdict;
  // The scores are x = alpha A^T x + beta but for a factor, which is the same at all vertices.
  const Array<double> sums = scores.product(graph.in(), x);
  const double rest = scores.total([&](std::size_t v) { return x[v] - alpha * sums[v]; });
  const double factor = static_cast<double>(graph.vertices()) * beta * inverse_of(rest);
  const double change = scores.total([&](std::size_t v) { return std::abs(beta - factor * (x[v] - alpha * sums[v])); });
  return scores.check_change(change, factor * scores.sum(x));
}

Verdict verify_hits(const Graph& graph, std::span<const double> hub, std::span<const double> authority,
                    const SpectralTerms& terms) {
  World& world = graph.world();
  const bool hubs = world.any(!hub.empty()), authorities = world.any(!authority.empty());
  if (hubs) check_one_for_each(graph, hub.size(), "hubs");
  if (authorities) check_one_for_each(graph, authority.size(), "authorities");
  if (graph.vertices() == 0) return {};
  Scores scores(graph, terms);
  const bool has_edges = graph.edges() > 0;
  if (hubs)
    if (const Verdict verdict = verify_one_side(scores, hub, graph.in(), graph.out(), has_edges, "hubs"); !verdict.ok)
      return verdict;
  return authorities ? verify_one_side(scores, authority, graph.out(), graph.in(), has_edges, "authorities")
                     : Verdict{};
}

}  // namespace atl
