// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/partition/tree_split.hpp>
#include <bit>
#include <cmath>
#include <queue>
#include <span>

namespace atl {
namespace {

// A pass of refinement ends after this many moves without a new best cut: enough to leave small local minima.
constexpr std::size_t kPatience = 200;
constexpr int kPasses = 6;
// Number of seeds tried; the smallest cut is kept.
constexpr int kTrials = 4;

Rank ranks_of(const Domain& d) {
  Rank n = static_cast<Rank>(d.ranks.size());
  for (const Domain& c : d.children) n += ranks_of(c);
  return n;
}

class Splitter {
 public:
  Splitter(const WeightedGraph& graph, const Hierarchy& machine, double slack)
      : graph_(graph), owner_(graph.size(), 0), set_(graph.size(), -1), part_(graph.size(), 0), gain_(graph.size()) {
    const double cuts = std::ceil(std::log2(std::max(2, machine.size())));
    slack_ = slack / cuts;
  }

  std::vector<Rank> run(const Domain& root) {
    std::vector<std::uint32_t> all(graph_.size());
    for (std::size_t v = 0; v < all.size(); ++v) all[v] = static_cast<std::uint32_t>(v);
    descend(root, std::move(all));
    return std::move(owner_);
  }

 private:
  using Vertices = std::vector<std::uint32_t>;
  // Ordered by gain, then by vertex number, so that the result is deterministic.
  using Heap = std::priority_queue<std::pair<double, std::uint32_t>>;

  void descend(const Domain& d, Vertices vertices) {
    if (!d.children.empty()) {
      split(
          std::span<const Domain>(d.children), std::move(vertices), [](const Domain& c) { return ranks_of(c); },
          [this](const Domain& c, Vertices part) { descend(c, std::move(part)); });
    } else {
      split(
          std::span<const Rank>(d.ranks), std::move(vertices), [](Rank) { return 1; },
          [this](Rank r, const Vertices& part) {
            for (const std::uint32_t v : part) owner_[v] = r;
          });
    }
  }

  template <class Part, class Size, class Then>
  void split(std::span<const Part> parts, Vertices vertices, Size&& size, Then&& then) {
    if (parts.size() == 1) return then(parts[0], std::move(vertices));
    const std::size_t half = parts.size() / 2;
    Rank first = 0, all = 0;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      all += size(parts[i]);
      if (i < half) first += size(parts[i]);
    }
    auto [low, high] = bisect(vertices, static_cast<double>(first) / all);
    vertices = {};
    split(parts.first(half), std::move(low), size, then);
    split(parts.subspan(half), std::move(high), size, then);
  }

  std::pair<Vertices, Vertices> bisect(const Vertices& vertices, double share) {
    ++sets_;
    double total = 0;
    Edge heaviest = 0;
    for (const std::uint32_t v : vertices) {
      set_[v] = sets_;
      total += static_cast<double>(graph_.weight[v]);
      heaviest = std::max(heaviest, graph_.weight[v]);
    }
    target_ = share * total;
    tolerance_ = std::max(slack_ * std::min(share, 1 - share) * total, 0.5);
    std::vector<std::uint8_t> best;
    double least = INFINITY, best_off = INFINITY;
    for (int trial = 0; trial < kTrials && !vertices.empty(); ++trial) {
      const std::size_t from = vertices.size() * static_cast<std::size_t>(trial) / kTrials;
      grow(vertices, farthest(vertices[from]));
      refine(vertices);
      // A balanced cut is better than an unbalanced one of any size.
      const double off =
          std::max(0.0, std::abs(weight0_ - target_) - std::max(tolerance_, 0.5 * static_cast<double>(heaviest)));
      const double cut = cut_of(vertices);
      if (off < best_off || (off == best_off && cut < least)) {
        best_off = off;
        least = cut;
        best.clear();
        for (const std::uint32_t v : vertices) best.push_back(part_[v]);
      }
    }
    std::pair<Vertices, Vertices> halves;
    for (std::size_t i = 0; i < vertices.size(); ++i)
      (best[i] == 0 ? halves.first : halves.second).push_back(vertices[i]);
    return halves;
  }

  template <class F>
  void for_each_tie(std::uint32_t v, F&& f) const {
    for (std::size_t e = graph_.offsets[v]; e < graph_.offsets[v + 1]; ++e)
      if (set_[graph_.targets[e]] == set_[v]) f(graph_.targets[e], graph_.weights[e]);
  }

  // The last vertex that a breadth-first search from v reaches: a peripheral vertex of its component.
  std::uint32_t farthest(std::uint32_t v) {
    ++marks_;
    mark_.resize(graph_.size(), 0);
    Vertices queue{v};
    mark_[v] = marks_;
    for (std::size_t at = 0; at < queue.size(); ++at)
      for_each_tie(queue[at], [&](std::uint32_t u, double) {
        if (mark_[u] != marks_) {
          mark_[u] = marks_;
          queue.push_back(u);
        }
      });
    return queue.back();
  }

  // Grows part 0 from `seed` up to its share, by the vertex with the heaviest connection to it.
  void grow(const Vertices& vertices, std::uint32_t seed) {
    for (const std::uint32_t v : vertices) {
      part_[v] = 1;
      gain_[v] = 0;
      for_each_tie(v, [&](std::uint32_t, double w) { gain_[v] -= w; });
    }
    weight0_ = 0;
    Heap heap;
    heap.emplace(gain_[seed], seed);
    std::size_t next = 0;  // where the search for a new component continues
    while (weight0_ < target_) {
      std::uint32_t v;
      if (!heap.empty()) {
        v = heap.top().second;
        const bool stale = part_[v] == 0 || heap.top().first != gain_[v];
        heap.pop();
        if (stale) continue;
      } else {
        while (next < vertices.size() && part_[vertices[next]] == 0) ++next;
        if (next == vertices.size()) break;
        v = vertices[next];
      }
      const auto w = static_cast<double>(graph_.weight[v]);
      if (weight0_ + w - target_ > target_ - weight0_) {
        if (heap.empty() && ++next >= vertices.size()) break;
        continue;  // closer to the target without it; a lighter vertex may fit
      }
      part_[v] = 0;
      weight0_ += w;
      for_each_tie(v, [&](std::uint32_t u, double tie) {
        gain_[u] += 2 * tie;
        if (part_[u] == 1) heap.emplace(gain_[u], u);
      });
    }
  }

  double cut_of(const Vertices& vertices) const {
    double cut = 0;
    for (const std::uint32_t v : vertices)
      for_each_tie(v, [&](std::uint32_t u, double w) { cut += part_[u] != part_[v] ? w : 0; });
    return cut / 2;
  }

  void refine(const Vertices& vertices) {
    for (int pass = 0; pass < kPasses; ++pass)
      if (!improve(vertices)) return;
  }

  // One pass of Fiduccia-Mattheyses: repeats the best allowed move, each vertex at most once; then returns to the best
  // state of the pass.
  bool improve(const Vertices& vertices) {
    ++marks_;
    mark_.resize(graph_.size(), 0);  // == marks_: has moved
    Heap heap[2];
    for (const std::uint32_t v : vertices) {
      gain_[v] = 0;
      bool rim = false;
      for_each_tie(v, [&](std::uint32_t u, double w) {
        rim |= part_[u] != part_[v];
        gain_[v] += part_[u] != part_[v] ? w : -w;
      });
      if (rim) heap[part_[v]].emplace(gain_[v], v);
    }
    const auto off = [&](double weight0) { return std::max(0.0, std::abs(weight0 - target_) - tolerance_); };
    double sum = 0, best = 0, best_off = off(weight0_);
    const double off_before = best_off;
    Vertices moved;
    std::size_t keep = 0;
    while (moved.size() < keep + kPatience) {
      int from = -1;
      for (int part = 0; part < 2; ++part) {
        while (!heap[part].empty()) {
          const auto [g, v] = heap[part].top();
          const double after = weight0_ + (part == 0 ? -1.0 : 1.0) * static_cast<double>(graph_.weight[v]);
          const bool stale = mark_[v] == marks_ || part_[v] != part || g != gain_[v];
          // A vertex that is too heavy now is skipped for the rest of the pass.
          if (!stale && (off(after) == 0 || off(after) < off(weight0_))) break;
          heap[part].pop();
        }
        if (heap[part].empty()) continue;
        const bool heavier = (part == 0) == (weight0_ > target_);
        if (from < 0 || heap[part].top().first > heap[from].top().first ||
            (heap[part].top().first == heap[from].top().first && heavier))
          from = part;
      }
      if (from < 0) break;
      const std::uint32_t v = heap[from].top().second;
      heap[from].pop();
      sum += gain_[v];
      weight0_ += (from == 0 ? -1.0 : 1.0) * static_cast<double>(graph_.weight[v]);
      move(v);
      moved.push_back(v);
      for_each_tie(v, [&](std::uint32_t u, double) {
        if (mark_[u] != marks_) heap[part_[u]].emplace(gain_[u], u);
      });
      if (off(weight0_) < best_off || (off(weight0_) == best_off && sum > best)) {
        best = sum;
        best_off = off(weight0_);
        keep = moved.size();
      }
    }
    while (moved.size() > keep) {
      const std::uint32_t v = moved.back();
      weight0_ += (part_[v] == 0 ? -1.0 : 1.0) * static_cast<double>(graph_.weight[v]);
      move(v);
      moved.pop_back();
    }
    return best > 0 || best_off < off_before;
  }

  void move(std::uint32_t v) {
    mark_[v] = marks_;
    part_[v] ^= 1;
    gain_[v] = -gain_[v];
    for_each_tie(v, [&](std::uint32_t u, double w) { gain_[u] += part_[u] != part_[v] ? 2 * w : -2 * w; });
  }

  const WeightedGraph& graph_;
  std::vector<Rank> owner_;
  std::vector<int> set_;  // [vertex] number of the last set that contained it
  std::vector<std::uint8_t> part_;
  std::vector<double> gain_;  // decrease of the cut if the vertex moves
  std::vector<int> mark_;
  int sets_ = 0, marks_ = 0;
  double slack_ = 0, target_ = 0, tolerance_ = 0, weight0_ = 0;
};

}  // namespace

std::vector<Rank> split_by_tree(const WeightedGraph& graph, const Hierarchy& machine, double slack) {
  return Splitter(graph, machine, slack).run(machine.root());
}

}  // namespace atl
