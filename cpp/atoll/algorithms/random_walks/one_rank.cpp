// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/random_walks/one_rank.hpp>
#include <utility>

namespace atl {
namespace {

// Walks that a thread advances together.
constexpr std::size_t kTogether = 32;
constexpr std::size_t kWalkGrain = 8 * kTogether;

struct Walk {
  Random random{0};
  Local at = -1;
  Transition::Drawn drawn{0, 0};
};

// Steps of first order. Each loop over the walks asks for the memory that the next one reads.
template <bool kWeighted, class Id>
void walk_together(const Transition& transition, const Array<Id>& ids, std::span<Walk> walks, std::size_t width,
                   Vertex* rows) {
  const IdOrderedRows& lists = transition.rows();
  for (std::size_t step = 1; step < width; ++step) {
    for (Walk& walk : walks) {
      if (walk.at < 0) continue;
      if (lists.degree(walk.at) == 0) {
        walk.at = -1;
        continue;
      }
      walk.drawn = transition.draw_edge(walk.at, walk.random());
      if constexpr (kWeighted) {
        __builtin_prefetch(&transition.alias().at(walk.drawn.edge));
      } else {
        __builtin_prefetch(lists.all_targets() + walk.drawn.edge);
      }
    }
    for (Walk& walk : walks) {
      if (walk.at < 0) continue;
      walk.at =
          kWeighted ? transition.alias().at(walk.drawn.edge).drawn(walk.drawn.fraction) : lists.target(walk.drawn.edge);
      if (walk.at < 0) continue;
      __builtin_prefetch(lists.offsets() + walk.at);
      __builtin_prefetch(&ids[walk.at]);
    }
    for (std::size_t k = 0; k < walks.size(); ++k)
      rows[k * width + step] = walks[k].at < 0 ? kNoVertex : static_cast<Vertex>(ids[walks[k].at]);
  }
}

Local next_of_second_order(const Transition& transition, Local v, Local previous, const SecondOrder& order,
                           Random& random) {
  if (transition.has_one_way(v)) return transition.draw(v, random);
  const Graph& graph = transition.graph();
  const double returning = transition.returning_area(v, previous, order);
  for (;;) {
    const Dart dart = transition.throw_dart(v, previous, returning, order, random);
    const Local x = dart.candidate;
    if (x < 0) return -1;
    switch (order.judge(dart, x == previous)) {
      case SecondOrder::Verdict::accepted:
        return x;
      case SecondOrder::Verdict::rejected:
        break;
      case SecondOrder::Verdict::by_adjacency: {
        const bool from_x = !graph.directed() && graph.out().degree(x) < graph.out().degree(previous);
        if (order.accepts(dart.height, from_x ? transition.has_edge(x, previous) : transition.has_edge(previous, x)))
          return x;
      }
    }
  }
}

void walk_of_second_order(const Transition& transition, Walk walk, const SecondOrder& order, std::span<Vertex> row) {
  Local previous = -1;
  for (Vertex& id : row) {
    if (walk.at >= 0) {
      const Local next = previous < 0 ? transition.draw(walk.at, walk.random)
                                      : next_of_second_order(transition, walk.at, previous, order, walk.random);
      previous = std::exchange(walk.at, next);
    }
    id = walk.at < 0 ? kNoVertex : transition.graph().id_of(walk.at);
  }
}

}  // namespace

void walk_on_one_rank(const Transition& transition, std::span<const WalkStart> starts, std::span<const Local> locals,
                      const WalkOptions& options, std::span<Vertex> rows) {
  const SecondOrder order(options);
  const std::size_t width = static_cast<std::size_t>(options.length) + 1;
  transition.graph().world().team().for_range(starts.size(), kWalkGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t first = a; first < b; first += kTogether) {
      Walk walks[kTogether];
      const std::size_t count = std::min(kTogether, b - first);
      for (std::size_t k = 0; k < count; ++k) {
        walks[k].random = Random(random_at(options.seed, starts[first + k].number));
        walks[k].at = locals[first + k];
        rows[(first + k) * width] = starts[first + k].vertex;
      }
      if (order.is_needed) {
        for (std::size_t k = 0; k < count; ++k)
          walk_of_second_order(transition, walks[k], order, rows.subspan((first + k) * width + 1, width - 1));
        continue;
      }
      std::visit(
          [&](const auto& ids) {
            Vertex* const to = rows.data() + first * width;
            if (transition.weighted()) {
              walk_together<true>(transition, ids, {walks, count}, width, to);
            } else {
              walk_together<false>(transition, ids, {walks, count}, width, to);
            }
          },
          transition.graph().id_column());
    }
  });
}

}  // namespace atl
