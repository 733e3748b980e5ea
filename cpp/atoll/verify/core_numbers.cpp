// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/core_numbers.hpp>
#include <atoll/verify/violations.hpp>

namespace atl {
namespace {

constexpr std::size_t kCoreGrain = 256;

/// Peels vertices of all core numbers simultaneously: neighbours with lower numbers are removed before a vertex, those
/// with higher numbers stay, so only removals of its own number decrement its count.
class Peeling {
 public:
  /// left: [local master] number of neighbours with the same or a higher number.
  Peeling(const Graph& graph, const Array<Vertex>& core, Array<Vertex>& left)
      : graph_(graph),
        world_(graph.world()),
        core_(core),
        left_(left),
        exchange_(graph),
        decrease_(static_cast<std::size_t>(graph.locals()), 0),
        changed_(graph.locals()),
        threads_(static_cast<std::size_t>(world_.team().size())) {}

  /// Afterwards each vertex that could not be removed has more neighbours left than its number.
  void run() {
    std::vector<Local> frontier;
    for (Local v = 0; v < graph_.owned(); ++v)
      if (!stays(v)) frontier.push_back(v);
    while (world_.any(!frontier.empty())) {
      while (!frontier.empty()) {
        world_.team().for_range(frontier.size(), kCoreGrain, [&](int thread, std::size_t a, std::size_t b) {
          for (std::size_t i = a; i < b; ++i) take_away(frontier[i], threads_[thread]);
        });
        frontier.clear();
        for (Thread& t : threads_) {
          frontier.insert(frontier.end(), t.found.begin(), t.found.end());
          t.found.clear();
        }
      }
      send_to_masters(frontier);
    }
  }

 private:
  struct alignas(128) Thread {
    std::vector<Local> found, mirrors;
  };

  bool stays(Local v) const { return left_[v] > core_[v]; }

  void take_away(Local v, Thread& t) {
    for_distinct(graph_.out(), v, [&](Local u) {
      const auto at = static_cast<std::size_t>(u);
      if (core_[at] != core_[v]) return;
      if (u >= graph_.owned()) {
        combine_atomically(decrease_[at], Vertex{1}, SumOf{});
        if (changed_.set(u)) t.mirrors.push_back(u);
      } else if (std::atomic_ref(left_[at]).fetch_sub(1) == core_[at] + 1) {
        t.found.push_back(u);
      }
    });
  }

  void send_to_masters(std::vector<Local>& frontier) {
    exchange_.reduce({decrease_.data(), decrease_.size()}, changed_);
    for (Thread& t : threads_) {
      for (const Local u : t.mirrors) decrease_[u] = 0;
      t.mirrors.clear();
    }
    for (Local v = 0; v < graph_.owned(); ++v) {
      if (!changed_.test(v)) continue;
      const auto at = static_cast<std::size_t>(v);
      const bool stayed = stays(v);
      left_[at] -= std::exchange(decrease_[at], 0);
      if (stayed && !stays(v)) frontier.push_back(v);
    }
    changed_.clear();
  }

  const Graph& graph_;
  World& world_;
  const Array<Vertex>& core_;
  Array<Vertex>& left_;
  MirrorExchange<Vertex, SumOf> exchange_;
  Array<Vertex> decrease_;  // [local] for mirrors: decrements of their masters, to be reduced
  VertexBits changed_;
  std::vector<Thread> threads_;
};

}  // namespace

Verdict verify_coreness(const Graph& graph, std::span<const Vertex> core) {
  World& world = graph.world();
  world.agree(!graph.directed(),
              fmt::format("verify kcore: {} is directed (cores are of undirected graphs). Read it as undirected.",
                          graph.name()));
  check_one_for_each(graph, core.size(), "core numbers");
  const auto owned = static_cast<std::size_t>(graph.owned());
  const Array<Vertex> cores = local_values(graph, core);
  Array<Vertex> left(owned, 0);
  Violations violations(world);
  const auto for_masters = [&](auto&& f) {
    world.team().for_range(owned, kCoreGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) f(v);
    });
  };
  for_masters([&](std::size_t v) {
    for_distinct(graph.out(), static_cast<Local>(v), [&](Local u) { left[v] += cores[u] >= cores[v]; });
    if (cores[v] < 0 || left[v] < cores[v])
      violations.note({.rule = 1, .a = graph.id_of(static_cast<Local>(v)), .p = cores[v], .q = left[v]});
  });
  Violation b = violations.first();
  if (b.rule == 1 && b.p < 0)
    return {false, fmt::format("rule 1: vertex {} has the core number {} (0 or more)", b.a, b.p)};
  if (b.rule == 1)
    return {false,
            fmt::format("rule 1: vertex {} has the core number {} (too large, or a neighbour's is too small: {} of its "
                        "neighbours have {} or more)",
                        b.a, b.p, b.q, b.p)};
  Peeling(graph, cores, left).run();
  for_masters([&](std::size_t v) {
    if (left[v] > cores[v]) violations.note({.rule = 2, .a = graph.id_of(static_cast<Local>(v)), .p = cores[v]});
  });
  b = violations.first();
  if (b.rule == 2)
    return {false,
            fmt::format("rule 2: vertex {} has the core number {} (too small: it is in a subgraph whose vertices "
                        "have {} neighbours or more)",
                        b.a, b.p, b.p + 1)};
  return {};
}

}  // namespace atl
