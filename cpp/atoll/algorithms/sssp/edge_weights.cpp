// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/sssp/edge_weights.hpp>
#include <atomic>
#include <cmath>
#include <limits>

namespace atl {
namespace {

constexpr std::size_t kWeightGrain = 1024;

// The first vertex with an edge whose weight fails is_good; active() if there is none.
template <class Real, class F>
Local first_bad(const Graph& graph, const EdgeWeights<Real>& weights, F&& is_good) {
  std::atomic<Local> first{graph.active()};
  const Csr& lists = graph.out();
  graph.world().team().for_range(
      static_cast<std::size_t>(graph.active()), kWeightGrain, [&](int, std::size_t a, std::size_t b) {
        for (std::size_t v = a; v < b; ++v)
          for (auto e = static_cast<std::size_t>(lists.offsets[v]); e < static_cast<std::size_t>(lists.offsets[v + 1]);
               ++e) {
            if (is_good(static_cast<Local>(v), lists.targets[e], weights[e])) continue;
            Local known = first;
            while (static_cast<Local>(v) < known && !first.compare_exchange_weak(known, static_cast<Local>(v))) {
            }
          }
      });
  return first;
}

}  // namespace

template <class Real>
void check_weights(std::string_view algorithm, const Graph& graph, ZeroWeights zero) {
  graph.world().collective_try([&] {
    const EdgeWeights<Real> weights(algorithm, graph, graph.out());
    // No path may become infinitely long: infinity means unreachable.
    const Real most = std::numeric_limits<Real>::max() / static_cast<Real>(std::max<Vertex>(1, graph.vertices() - 1));
    const auto is_good = [zero, most](Local v, Local u, Real w) {
      return w >= 0 && w <= most && (w > 0 || zero == ZeroWeights::allowed || u == v);
    };
    const Local v = first_bad(graph, weights, is_good);
    if (v == graph.active()) return;
    const Csr& lists = graph.out();
    auto e = static_cast<std::size_t>(lists.offsets[v]);
    while (is_good(v, lists.targets[e], weights[e])) ++e;
    const Real w = weights[e];
    std::string_view why = "a path's weights are added up: they are finite and not negative", then = "Correct it.";
    if (w == 0) {
      why = "then the number of shortest paths is not defined: a weight is finite and above 0";
    } else if (w > most && std::isfinite(w)) {
      why = sizeof(Real) == sizeof(float) ? "a path of such edges can be longer than a float32 holds, 3.4e38"
                                          : "a path of such edges can be longer than a float64 holds, 1.8e308";
      then = "Scale the weights down.";
    } else if (w < 0 && graph.directed()) {
      then = "Correct it; by bellman_ford, and for all pairs by apsp, paths take negative weights of directed edges.";
    }
    check(false, "{}: {}: the edge between {} and {} weighs {} ({}). {}", algorithm, graph.name(), graph.id_of(v),
          graph.id_of(lists.targets[e]), w, why, then);
  });
}

template void check_weights<float>(std::string_view, const Graph&, ZeroWeights);
template void check_weights<double>(std::string_view, const Graph&, ZeroWeights);

}  // namespace atl
