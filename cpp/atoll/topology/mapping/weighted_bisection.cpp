// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/topology/mapping/weighted_bisection.hpp>
#include <cmath>
#include <limits>
#include <numeric>

namespace atl {
namespace {

constexpr int kCoarsest = 48;                   // vertices
constexpr int kStarts = 6;                      // of the coarsest graph
constexpr std::size_t kEdgesOfTries = 200'000;  // in all of them: dense graphs have one

// The two parts of a graph under Fiduccia and Mattheyses' passes.
class Bisection {
 public:
  Bisection(const WeightedGraph& graph, const PartBounds& bounds, std::vector<char> part)
      : graph_(graph), bounds_(bounds), part_(std::move(part)), gain_(part_.size()), locked_(part_.size()) {}

  // How far part 0 is beyond its bounds, and the weight between the parts with the pulls.
  struct Cost {
    std::int64_t excess;
    double weight;
    bool operator<(const Cost& other) const {
      if (excess != other.excess) return excess < other.excess;
      return weight < other.weight - 1e-9 * (1 + std::abs(other.weight));  // rounding is no gain
    }
  };

  Cost improve(int seed = -1) {
    constexpr int kMostPasses = 8;
    Cost before = cost();
    for (int pass = 0; pass < kMostPasses; ++pass, seed = -1) {
      const Cost after = run_pass(before, seed);
      if (!(after < before)) break;
      before = after;
    }
    return before;
  }
  std::vector<char> take() && { return std::move(part_); }

 private:
  struct Candidate {
    double gain;
    int vertex;
    bool operator<(const Candidate& other) const {
      return gain != other.gain ? gain < other.gain : vertex > other.vertex;
    }
  };
  static std::size_t index(int vertex) { return static_cast<std::size_t>(vertex); }
  std::int64_t excess() const { return std::max({std::int64_t{0}, zero_ - bounds_.most, bounds_.least - zero_}); }

  // Sets the gains, the size of part 0 and the cost.
  Cost cost() {
    zero_ = 0;
    double cut = 0, pulled = 0;
    for (int v = 0; v < graph_.vertices(); ++v) {
      const char mine = part_[index(v)];
      double out = 0, in = 0;
      for (const WeightedGraph::Edge& e : graph_.of(v)) (part_[index(e.to)] == mine ? in : out) += e.weight;
      const double pull = graph_.pull[index(v)];
      gain_[index(v)] = out - in + (mine ? pull : -pull);
      cut += out;
      if (mine)
        pulled += pull;
      else
        zero_ += graph_.size[index(v)];
    }
    return {excess(), cut / 2 + pulled};
  }

  void offer(int vertex) {
    std::vector<Candidate>& heap = heap_[static_cast<std::size_t>(part_[index(vertex)])];
    heap.push_back({gain_[index(vertex)], vertex});
    std::push_heap(heap.begin(), heap.end());
  }
  // The best candidate of a part that still stands; -1: none.
  int top(int part) {
    std::vector<Candidate>& heap = heap_[part];
    while (!heap.empty()) {
      const auto [gain, vertex] = heap.front();
      if (!locked_[index(vertex)] && part_[index(vertex)] == part && gain_[index(vertex)] == gain) return vertex;
      std::pop_heap(heap.begin(), heap.end());
      heap.pop_back();
    }
    return -1;
  }
  void flip(int vertex) {
    char& part = part_[index(vertex)];
    zero_ += part ? graph_.size[index(vertex)] : -graph_.size[index(vertex)];
    part = static_cast<char>(1 - part);
  }

  // Moves vertices once each, the one that saves most first, and goes back to the best state on the way. The pass ends
  // early where nothing has become better for long. `seed` >= 0 moves first.
  Cost run_pass(Cost best, int seed) {
    const int n = graph_.vertices();
    std::ranges::fill(locked_, char{0});
    for (std::vector<Candidate>& heap : heap_) heap.clear();
    Cost now = cost();
    const bool all = now.excess > 0 || n <= kCoarsest;
    for (int v = 0; v < n; ++v) {
      bool offered = all || gain_[index(v)] >= 0;
      if (!offered)
        for (const WeightedGraph::Edge& e : graph_.of(v)) offered = offered || part_[index(e.to)] != part_[index(v)];
      if (offered) heap_[static_cast<std::size_t>(part_[index(v)])].push_back({gain_[index(v)], v});
    }
    for (std::vector<Candidate>& heap : heap_) std::make_heap(heap.begin(), heap.end());
    std::vector<int> moved;
    std::size_t kept = 0;
    const std::size_t patience = index(50 + n / 16);
    while (now.excess > 0 || moved.size() - kept < patience) {
      int vertex = seed;
      if (seed < 0) {
        const int from_zero = zero_ < bounds_.least ? -1 : top(0), from_one = zero_ > bounds_.most ? -1 : top(1);
        vertex =
            from_zero < 0 || (from_one >= 0 && gain_[index(from_one)] > gain_[index(from_zero)]) ? from_one : from_zero;
      }
      seed = -1;
      if (vertex < 0) break;
      locked_[index(vertex)] = 1;
      now.weight -= gain_[index(vertex)];
      const char from = part_[index(vertex)];
      flip(vertex);
      now.excess = excess();
      for (const WeightedGraph::Edge& e : graph_.of(vertex)) {
        if (locked_[index(e.to)]) continue;
        gain_[index(e.to)] += part_[index(e.to)] == from ? 2 * e.weight : -2 * e.weight;
        offer(e.to);
      }
      moved.push_back(vertex);
      if (now < best) {
        best = now;
        kept = moved.size();
      }
    }
    for (std::size_t i = moved.size(); i-- > kept;) flip(moved[i]);
    return best;
  }

  const WeightedGraph& graph_;
  const PartBounds bounds_;
  std::vector<char> part_;
  std::vector<double> gain_;  // [vertex] what moving it saves
  std::vector<char> locked_;
  std::vector<Candidate> heap_[2];
  std::int64_t zero_ = 0;  // size of part 0
};

// Joins pairs of vertices with heavy edges. [vertex] its coarse vertex.
std::vector<int> matched(const WeightedGraph& graph, std::int64_t most, Random& random, int& coarse) {
  const auto n = static_cast<std::size_t>(graph.vertices());
  std::vector<int> order(n), to(n, -1);
  std::iota(order.begin(), order.end(), 0);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  coarse = 0;
  for (const int v : order) {
    const auto i = static_cast<std::size_t>(v);
    if (to[i] >= 0) continue;
    int partner = -1;
    double heaviest = 0;
    for (const WeightedGraph::Edge& e : graph.of(v)) {
      const auto j = static_cast<std::size_t>(e.to);
      if (to[j] >= 0 || e.to == v || graph.size[i] + graph.size[j] > most) continue;
      const double weight = e.weight / static_cast<double>(graph.size[j]);
      if (weight <= heaviest) continue;
      heaviest = weight;
      partner = e.to;
    }
    to[i] = coarse;
    if (partner >= 0) to[static_cast<std::size_t>(partner)] = coarse;
    ++coarse;
  }
  return to;
}

WeightedGraph contracted(const WeightedGraph& graph, const std::vector<int>& to, int coarse) {
  std::vector<std::vector<int>> members(static_cast<std::size_t>(coarse));
  for (std::size_t v = 0; v < to.size(); ++v) members[static_cast<std::size_t>(to[v])].push_back(static_cast<int>(v));
  WeightedGraph out;
  std::vector<int> at(static_cast<std::size_t>(coarse), -1);  // [coarse vertex] its edge in `ends`
  std::vector<WeightedGraph::Edge> ends;
  for (int c = 0; c < coarse; ++c) {
    std::int64_t size = 0;
    double pull = 0;
    ends.clear();
    for (const int v : members[static_cast<std::size_t>(c)]) {
      size += graph.size[static_cast<std::size_t>(v)];
      pull += graph.pull[static_cast<std::size_t>(v)];
      for (const WeightedGraph::Edge& e : graph.of(v)) {
        const int other = to[static_cast<std::size_t>(e.to)];
        if (other == c) continue;
        int& edge = at[static_cast<std::size_t>(other)];
        if (edge < 0) {
          edge = static_cast<int>(ends.size());
          ends.push_back({other, 0});
        }
        ends[static_cast<std::size_t>(edge)].weight += e.weight;
      }
    }
    for (const WeightedGraph::Edge& e : ends) at[static_cast<std::size_t>(e.to)] = -1;
    out.add_vertex(size, ends, pull);
  }
  return out;
}

// The best of some starts, each of which grows part 0 from a vertex.
std::vector<char> grown(const WeightedGraph& graph, const PartBounds& bounds, Random& random) {
  const auto n = static_cast<std::size_t>(graph.vertices());
  std::vector<char> best(n, 1);
  Bisection::Cost least{std::numeric_limits<std::int64_t>::max(), 0};
  for (int start = 0; start < kStarts && n > 0; ++start) {
    Bisection bisection(graph, bounds, std::vector<char>(n, 1));
    // The first start follows only the pulls.
    const Bisection::Cost cost = bisection.improve(start == 0 ? -1 : static_cast<int>(random.below(n)));
    if (!(cost < least)) continue;
    least = cost;
    best = std::move(bisection).take();
  }
  return best;
}

// One descent to coarser and coarser graphs, and back.
std::vector<char> multilevel(const WeightedGraph& graph, const PartBounds& bounds, Random& random) {
  const int n = graph.vertices();
  if (n > kCoarsest) {
    const std::int64_t total = std::accumulate(graph.size.begin(), graph.size.end(), std::int64_t{0});
    int coarse = 0;
    const std::vector<int> to = matched(graph, std::max<std::int64_t>(2, total / 16), random, coarse);
    if (10 * coarse <= 9 * n) {
      const WeightedGraph smaller = contracted(graph, to, coarse);
      // A coarse vertex is not cut: its size is let go beyond the bounds, and the finer graph puts that right.
      const std::int64_t slack = std::ranges::max(smaller.size) / 2;
      const std::vector<char> rough = multilevel(smaller, {bounds.least - slack, bounds.most + slack}, random);
      std::vector<char> part(static_cast<std::size_t>(n));
      for (std::size_t v = 0; v < part.size(); ++v) part[v] = rough[static_cast<std::size_t>(to[v])];
      Bisection bisection(graph, bounds, std::move(part));
      bisection.improve();
      return std::move(bisection).take();
    }
  }
  return grown(graph, bounds, random);
}

}  // namespace

std::vector<char> bisected(const WeightedGraph& graph, const PartBounds& bounds, Random& random, int tries) {
  std::vector<char> best;
  Bisection::Cost least{std::numeric_limits<std::int64_t>::max(), 0};
  const std::size_t affordable = kEdgesOfTries / std::max<std::size_t>(1, graph.edges.size());
  const int most = graph.vertices() <= kCoarsest ? 1 : static_cast<int>(std::clamp<std::size_t>(affordable, 1, 16));
  for (int i = 0; i < std::min(tries, most); ++i) {
    Bisection bisection(graph, bounds, multilevel(graph, bounds, random));
    const Bisection::Cost cost = bisection.improve();
    if (!(cost < least)) continue;
    least = cost;
    best = std::move(bisection).take();
  }
  return best;
}

}  // namespace atl
