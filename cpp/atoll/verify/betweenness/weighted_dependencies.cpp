// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/betweenness/weighted_dependencies.hpp>
#include <queue>
#include <ranges>

namespace atl {
namespace {

constexpr double kUnreached = std::numeric_limits<double>::infinity();

}  // namespace

WeightedDependencies::WeightedDependencies(const Graph& graph)
    : graph_(graph),
      world_(graph.world()),
      values_(graph),
      distance_(index(graph.locals())),
      value_(distance_.size()),
      edges_(distance_.size(), 0),
      paths_(index(graph.owned())),
      changed_(graph.locals()) {
  bool good = graph.weighted();
  for (Local v = 0; v < graph.active() && good; ++v)
    for (Edge e = graph.out().offsets[v]; e < graph.out().offsets[index(v) + 1]; ++e) {
      const double w = weight(graph.out(), static_cast<std::size_t>(e));
      good &= w < kUnreached && (w > 0 || (w == 0 && graph.out().targets[e] == v));
    }
  world_.agree(good,
               fmt::format("verify: {} has no weights, or one that is not finite and above 0 (betweenness by weight "
                           "is defined for those). Verify what counts edges.",
                           graph.name()));
}

double WeightedDependencies::weight(const Csr& lists, std::size_t e) const {
  if (const auto* narrow = std::get_if<Array<float>>(&lists.weights)) return (*narrow)[e];
  return std::get<Array<double>>(lists.weights)[e];
}

void WeightedDependencies::find_distances(Local source) {
  std::priority_queue<std::pair<double, Local>, std::vector<std::pair<double, Local>>, std::greater<>> queue;
  std::fill(distance_.begin(), distance_.end(), kUnreached);
  changed_.clear();
  if (source >= 0) queue.emplace(distance_[source] = 0, source);
  const Csr& out = graph_.out();
  for (;;) {
    while (!queue.empty()) {
      const auto [d, v] = queue.top();
      queue.pop();
      if (d > distance_[v]) continue;
      for (auto e = static_cast<std::size_t>(out.offsets[v]); e < static_cast<std::size_t>(out.offsets[index(v) + 1]);
           ++e) {
        const Local u = out.targets[e];
        const double there = d + weight(out, e);
        if (there >= distance_[u]) continue;
        distance_[u] = there;
        if (u < graph_.owned()) {
          queue.emplace(there, u);
        } else {
          changed_.set(u);
        }
      }
    }
    values_.reduce({distance_.data(), distance_.size()}, changed_);
    for (Local v = 0; v < graph_.owned(); ++v)
      if (changed_.test(v)) queue.emplace(distance_[v], v);
    changed_.clear();
    if (!world_.any(!queue.empty())) break;
  }
  values_.broadcast_all({distance_.data(), distance_.size()});
}

// f(neighbour) for the tight edges that enter v, or leave it: those on a shortest path.
template <class F>
void WeightedDependencies::for_tight(const Csr& lists, bool entering, Local v, F&& f) const {
  for (auto e = static_cast<std::size_t>(lists.offsets[v]); e < static_cast<std::size_t>(lists.offsets[index(v) + 1]);
       ++e) {
    const Local u = lists.targets[e];
    const double from = distance_[entering ? u : v], to = distance_[entering ? v : u];
    if (from < to && from + weight(lists, e) == to) f(u);
  }
}

template <class Order, class F>
void WeightedDependencies::propagate(const Order& order, const Csr& lists, bool entering, F&& f) {
  std::fill(value_.begin(), value_.end(), 0.0);
  std::vector<Local> waiting(order.begin(), order.end()), still;
  while (world_.any(!waiting.empty())) {
    for (const Local v : waiting) {
      bool known = true;
      for_tight(lists, entering, v, [&](Local u) { known &= value_[u] != 0; });
      if (known) {
        f(v);
        changed_.set(v);
      } else {
        still.push_back(v);
      }
    }
    values_.broadcast({value_.data(), value_.size()}, changed_);
    values_.broadcast({edges_.data(), edges_.size()}, changed_);
    changed_.clear();
    waiting.swap(still);
    still.clear();
  }
}

double WeightedDependencies::search(Vertex source) {
  const auto [owner, owned_index] = graph_.find(source);
  const Local here = owner == world_.rank() ? graph_.local_of(owned_index) : -1;
  find_distances(here);
  order_.clear();
  for (Local v = 0; v < graph_.owned(); ++v)
    if (distance_[v] < kUnreached) order_.push_back(v);
  std::sort(order_.begin(), order_.end(), [&](Local a, Local b) { return distance_[a] < distance_[b]; });
  double sum = 0;
  propagate(order_, graph_.in(), true, [&](Local v) {
    double paths = v == here, edges = 0;  // edges: over all paths together
    for_tight(graph_.in(), true, v, [&](Local u) {
      paths += value_[u];
      edges += value_[u] * (edges_[u] + 1);
    });
    value_[v] = paths_[v] = paths;
    edges_[v] = edges / paths;
    if (v != here) sum += edges / paths - 1;
  });
  return world_.sum(sum);
}

void WeightedDependencies::add_to(Array<double>& sums) {
  propagate(std::views::reverse(order_), graph_.out(), false, [&](Local v) {
    double sum = 0;
    for_tight(graph_.out(), false, v, [&](Local w) { sum += value_[w]; });
    const double dependency = paths_[v] * sum;
    if (distance_[v] > 0) sums[v] += dependency;
    value_[v] = (1 + dependency) / paths_[v];
  });
}

}  // namespace atl
