// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/centrality/closeness_samples.hpp>
#include <atoll/verify/level_search.hpp>
#include <atoll/verify/neighbourhoods.hpp>
#include <cmath>

namespace atl {
namespace {

enum ClosenessColumn : Vertex { kCloseness, kHarmonic, kFarness, kReached, kClosenessColumns };
constexpr const char* kClosenessNames[kClosenessColumns] = {"closeness", "harmonic", "farness", "reached"};
constexpr double kClosenessError = 1e-9;  // relative, of numbers that are not whole

class ClosenessCheck {
 public:
  ClosenessCheck(const Graph& graph, const ClosenessValues& values, const ClosenessTerms& terms)
      : graph_(graph),
        terms_(terms),
        others_of_all_(static_cast<double>(graph.vertices() - 1)),
        violations_(graph.world()),
        is_source_(find_sources()) {
    take(kCloseness, values.closeness);
    take(kHarmonic, values.harmonic);
    take(kFarness, values.farness);
    take(kReached, values.reached);
  }

  Verdict run() {
    for (Local v = 0; v < graph_.owned(); ++v) {
      bool is_entered = false;
      for_distinct(graph_.in(), v, [&](Local u) {
        is_entered = true;
        check_edge(u, v);
      });
      check_ranges(v, is_entered);
      if (has(kCloseness) && has(kFarness) && has(kReached))
        expect(3, v, kCloseness, closeness_of(v, at(kReached, v), at(kFarness, v)));
    }
    if (const Verdict verdict = found(); !verdict.ok) return verdict;
    LevelSearch search(graph_, graph_.in());
    for_sampled(graph_, terms_.samples, terms_.seed, [&](Vertex, Vertex k, const std::vector<Vertex>&) {
      search_to(search, k >= 0 ? graph_.local_of(k) : -1);
    });
    return found();
  }

 private:
  Array<Vertex> find_sources() {
    Array<Vertex> flags(index(graph_.owned()), terms_.sources ? 0 : 1);
    if (terms_.sources)
      for (const Vertex id : *terms_.sources)
        if (const Vertex k = graph_.ids().find_here(id); k >= 0) flags[k] = 1;
    Vertex here = 0;
    for (const Vertex flag : flags) here += flag;
    sources_ = graph_.world().sum(here);
    return local_values(graph_, std::span<const Vertex>(flags.data(), flags.size()));
  }

  // A column that no rank gives stays empty.
  template <class T>
  void take(ClosenessColumn column, std::span<const T> values) {
    given_[column] = graph_.world().any(!values.empty());
    if (!given_[column]) return;
    check_one_for_each(graph_, values.size(), kClosenessNames[column]);
    Array<double> reals(values.size());
    for (std::size_t k = 0; k < reals.size(); ++k) reals[k] = static_cast<double>(values[k]);
    columns_[column] = local_values(graph_, std::span<const double>(reals.data(), reals.size()));
  }
  bool has(ClosenessColumn column) const { return given_[column]; }
  double at(ClosenessColumn column, Local v) const { return columns_[column][v]; }
  double others(Local v) const { return static_cast<double>(sources_ - is_source_[v]); }
  double closeness_of(Local v, double reached, double farness) const {
    return reached > 0 && farness > 0 ? reached / farness * (reached / others(v)) : 0;
  }
  // Sources that reach v, and v if it is one.
  double sources_at(Local v) const { return at(kReached, v) + static_cast<double>(is_source_[v]); }

  void note(int rule, Local v, ClosenessColumn column, double least, double most) {
    violations_.note({.rule = rule, .a = graph_.id_of(v), .p = column, .x = at(column, v), .y = least, .z = most});
  }
  void expect(int rule, Local v, ClosenessColumn column, double right) {
    const double error = column == kFarness || column == kReached ? 0 : kClosenessError * right;
    if (has(column) && !(std::abs(at(column, v) - right) <= error)) note(rule, v, column, right, right);
  }
  void check_range(Local v, ClosenessColumn column, double least, double most) {
    if (has(column) && !(at(column, v) >= least && at(column, v) <= most * (1 + kClosenessError)))
      note(1, v, column, least, most);
  }

  void check_ranges(Local v, bool is_entered) {
    const double most = is_entered ? others_of_all_ : 0;
    check_range(v, kCloseness, 0, is_entered ? 1 : 0);
    check_range(v, kHarmonic, 0, most);
    check_range(v, kReached, 0, is_entered ? others(v) : 0);
    const double reached = has(kReached) ? at(kReached, v) : 0;
    check_range(v, kFarness, reached, has(kReached) ? reached * most : others(v) * most);
    if (!is_entered || terms_.sources) return;
    for (const ClosenessColumn column : {kCloseness, kHarmonic, kFarness, kReached})
      if (has(column) && !(at(column, v) > 0)) note(1, v, column, 0, most);
  }

  // u -> v.
  void check_edge(Local u, Local v) {
    if (has(kReached) && sources_at(v) < sources_at(u))
      note(2, v, kReached, sources_at(u) - static_cast<double>(is_source_[v]), others(v));
    if (has(kReached) && has(kFarness) && sources_at(v) == sources_at(u) &&
        at(kFarness, v) > at(kFarness, u) + sources_at(u))
      note(2, v, kFarness, 0, at(kFarness, u) + sources_at(u));
    if (!has(kHarmonic)) return;
    const auto unscaled = [&](Local w) { return at(kHarmonic, w) / others_of_all_ * others(w); };
    const double least =
        static_cast<double>(is_source_[u]) + std::max(0.0, unscaled(u) - static_cast<double>(is_source_[v])) / 2;
    if (unscaled(v) < least - kClosenessError * (1 + least))  // unscaled values are rounded themselves
      note(2, v, kHarmonic, least / others(v) * others_of_all_, others_of_all_);
  }

  void search_to(LevelSearch& search, Local target) {
    struct Level {
      Vertex distance = 0, sources = 0;
    };
    std::vector<Level> levels;
    search.from(target, [&](Local v, Vertex distance) {
      if (distance == 0 || !is_source_[v]) return;
      if (levels.empty() || levels.back().distance != distance) levels.push_back({.distance = distance});
      ++levels.back().sources;
    });
    double reached = 0, farness = 0, harmonic = 0;
    for (const Level& level : graph_.world().all_gather_varying(std::span<const Level>(levels))) {
      const auto d = static_cast<double>(level.distance), count = static_cast<double>(level.sources);
      reached += count;
      farness += count * d;
      harmonic += count / d;
    }
    if (target < 0) return;
    expect(4, target, kReached, reached);
    expect(4, target, kFarness, farness);
    expect(4, target, kCloseness, closeness_of(target, reached, farness));
    expect(4, target, kHarmonic, reached > 0 ? harmonic / others(target) * others_of_all_ : 0);
  }

  Verdict found() const {
    const Violation b = violations_.first();
    if (b.rule == 0) return {};
    const std::string what = fmt::format("rule {}: vertex {} has {} {}", b.rule, b.a, kClosenessNames[b.p], b.x);
    switch (b.rule) {
      case 1:
        return {false, fmt::format("{} (from {} to {}, and 0 only of a vertex that none enters)", what, b.y, b.z)};
      case 2:
        return {false, fmt::format("{} (by a neighbour's, from {} to {})", what, b.y, b.z)};
      case 3:
        return {false, fmt::format("{} (by its farness and the number that reach it: {})", what, b.y)};
      default:
        return {false, fmt::format("{} (by a search: {})", what, b.y)};
    }
  }

  const Graph& graph_;
  const ClosenessTerms terms_;
  const double others_of_all_;
  Violations violations_;
  Vertex sources_ = 0;
  const Array<Vertex> is_source_;  // [local]
  bool given_[kClosenessColumns] = {};
  Array<double> columns_[kClosenessColumns];  // [column][local]
};

}  // namespace

Verdict verify_closeness(const Graph& graph, const ClosenessValues& values, const ClosenessTerms& terms) {
  return ClosenessCheck(graph, values, terms).run();
}

}  // namespace atl
