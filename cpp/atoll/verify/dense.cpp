// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/id_order.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/verify/dense.hpp>

namespace atl {
namespace {

constexpr std::size_t kDenseGrain = 1 << 14;

}  // namespace

Array<Vertex> dense_of(World& world, const IdMap& ids, std::span<const Vertex> original) {
  Array<Vertex> dense(original.size());
  if (ids.is_range()) {
    world.team().for_range(original.size(), kDenseGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) {
        const Vertex id = original[i], d = id - ids.first();
        dense[i] = id == kNoVertex ? kNoVertex : id < ids.first() || d >= ids.count() ? kUnknownVertex : d;
      }
    });
    return dense;
  }

  const IdOrder order(world, ids);
  struct Ask {
    Vertex id;
    std::uint64_t index;
  };
  struct Answer {
    Vertex dense;
    std::uint64_t index;
  };
  const auto here = [&](Vertex id) {
    const Vertex position = order.find_here(id);
    return position < 0 ? kUnknownVertex : order.dense_at(position);
  };
  Mailbox answers(world, of_records<Answer>([&](std::span<const Answer> found) {
                    for (const Answer& a : found) dense[a.index] = a.dense;
                  }),
                  {.handler_sends = false});
  Mailbox asks(world, of_records<Ask>([&](Rank from, std::span<const Ask> questions) {
                 auto buffers = answers.send_buffers();
                 for (const Ask& q : questions) buffers.send(from, {here(q.id), q.index});
               }),
               {.handler_sends = false});
  world.team().for_range(original.size(), kDenseGrain, [&](int, std::size_t a, std::size_t b) {
    auto buffers = asks.send_buffers();
    for (std::size_t i = a; i < b; ++i) {
      const Vertex id = original[i];
      const Rank owner = id == kNoVertex ? -1 : order.rank_of(id);
      if (owner < 0) {
        dense[i] = id == kNoVertex ? kNoVertex : kUnknownVertex;
        continue;
      }
      if (owner == world.rank()) {
        dense[i] = here(id);
      } else {
        buffers.send(owner, {id, i});
      }
    }
  });
  asks.drain();
  answers.drain();
  return dense;
}

DenseLists::DenseLists(const Graph& graph) : graph_(graph), dense_(static_cast<std::size_t>(graph.locals())) {
  World& world = graph.world();
  const Vertex begin = graph.blocks().begin(world.rank());
  const auto owned = static_cast<std::size_t>(graph.owned());
  for (Local v = 0; v < graph.owned(); ++v) dense_[v] = begin + graph.owned_index_of(v);
  std::vector<Vertex> mirrors;
  for (std::size_t v = owned; v < dense_.size(); ++v) mirrors.push_back(graph.id_of(static_cast<Local>(v)));
  const Array<Vertex> dense = dense_of(world, graph.ids(), mirrors);
  std::copy(dense.begin(), dense.end(), dense_.begin() + owned);
}

Tuples DenseLists::tuples() const {
  return {static_cast<std::size_t>(graph_.out().size()),
          [this](std::size_t first, std::span<Vertex> source, std::span<Vertex> target) {
            const Csr& out = graph_.out();
            const auto at = static_cast<Edge>(first);
            const Edge* row = std::upper_bound(out.offsets.begin(), out.offsets.end(), at) - 1;
            auto v = static_cast<std::size_t>(row - out.offsets.begin());
            for (std::size_t k = 0; k < source.size(); ++k) {
              const std::size_t e = first + k;
              while (out.offsets[v + 1] <= static_cast<Edge>(e)) ++v;
              source[k] = dense_[v];
              target[k] = dense_[out.targets[e]];
            }
          }};
}

}  // namespace atl
