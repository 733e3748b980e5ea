// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/pagerank/transition.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/engine/vertex_program.hpp>
#include <cmath>

namespace atl {

double leaving_weight(const Graph& graph, Transition transition, Local master) {
  const Csr& out = graph.out();
  if (transition == Transition::uniform) return static_cast<double>(out.degree(master));
  double sum = 0;
  with_weights(out, [&](const auto& weight) {
    const auto v = static_cast<std::size_t>(master);
    for (auto e = static_cast<std::size_t>(out.offsets[v]); e < static_cast<std::size_t>(out.offsets[v + 1]); ++e)
      sum += static_cast<double>(weight(e));
  });
  return sum;
}

void check_transition_weights(const Graph& graph) {
  check(graph.weighted(),
        "pagerank: {} has no weights (edges are to be taken by weight). Give edges with weights, or leave that out.",
        graph.name());
  graph.world().collective_try([&] {
    const Csr& out = graph.out();
    with_weights(out, [&](const auto& weight) {
      for (Local v = 0; v < graph.active(); ++v) {
        const auto begin = static_cast<std::size_t>(out.offsets[v]);
        for (std::size_t e = begin; e < begin + static_cast<std::size_t>(out.degree(v)); ++e)
          if (!(weight(e) >= 0 && std::isfinite(static_cast<double>(weight(e)))))
            throw InputError(
                fmt::format("pagerank: edge {} -> {} has the weight {} (a walk takes edges in proportion to weights "
                            "that are finite "
                            "and not negative). Correct it, or leave the weights out.",
                            graph.id_of(v), graph.id_of(out.targets[e]), weight(e)));
        if (!std::isfinite(leaving_weight(graph, Transition::by_weight, v)))
          throw InputError(fmt::format(
              "pagerank: the weights of the edges that leave vertex {} add up to infinity (a double holds no more than "
              "1.8e308). Divide all weights by a large number.",
              graph.id_of(v)));
      }
    });
  });
}

Array<double> leaving_weights(const Graph& graph, const GraphView& view) {
  Array<double> leaving(static_cast<std::size_t>(view.locals), 0.0);
  for (Local v = 0; v < graph.active(); ++v) leaving[v] = leaving_weight(graph, Transition::by_weight, v);
  MirrorExchange<double, SumOf>(view).broadcast_all({leaving.data(), leaving.size()});
  return leaving;
}

template <class Real>
Array<Real> transition_probabilities(Team& team, const Csr& in, const Array<double>& leaving) {
  constexpr std::size_t kGrain = 1 << 16;
  Array<Real> probability(in.targets.size());
  with_weights(in, [&](const auto& weight) {
    team.for_range(in.targets.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t e = a; e < b; ++e) {
        const double all = leaving[in.targets[e]];
        probability[e] = all > 0 ? static_cast<Real>(static_cast<double>(weight(e)) / all) : Real(0);
      }
    });
  });
  return probability;
}

template Array<float> transition_probabilities(Team&, const Csr&, const Array<double>&);
template Array<double> transition_probabilities(Team&, const Csr&, const Array<double>&);

}  // namespace atl
