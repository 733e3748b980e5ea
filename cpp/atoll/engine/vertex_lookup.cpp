// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/vertex_lookup.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>

namespace atl {
namespace {

constexpr std::size_t kLookupGrain = 1 << 14;

}  // namespace

VertexLookup::VertexLookup(World& world, const IdMap& ids) : world_(world), ids_(ids) {
  if (!ids.is_range()) order_.emplace(world, ids);
}

Array<Vertex> VertexLookup::dense_of(std::span<const Vertex> original) const {
  Array<Vertex> dense(original.size());
  if (!order_) {
    world_.team().for_range(original.size(), kLookupGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) {
        const Vertex id = original[i], d = id - ids_.first();
        dense[i] = id == kNoVertex ? kNoVertex : id < ids_.first() || d >= ids_.count() ? kUnknownVertex : d;
      }
    });
    return dense;
  }

  const IdOrder& order = *order_;
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
  Mailbox answers(world_, of_records<Answer>([&](std::span<const Answer> found) {
                    for (const Answer& a : found) dense[a.index] = a.dense;
                  }),
                  {.handler_sends = false});
  Mailbox asks(world_, of_records<Ask>([&](Rank from, std::span<const Ask> questions) {
                 auto buffers = answers.send_buffers();
                 for (const Ask& q : questions) buffers.send(from, {here(q.id), q.index});
               }),
               {.handler_sends = false});
  world_.team().for_range(original.size(), kLookupGrain, [&](int, std::size_t a, std::size_t b) {
    auto buffers = asks.send_buffers();
    for (std::size_t i = a; i < b; ++i) {
      const Vertex id = original[i];
      const Rank owner = id == kNoVertex ? -1 : order.rank_of(id);
      if (owner < 0) {
        dense[i] = id == kNoVertex ? kNoVertex : kUnknownVertex;
        continue;
      }
      if (owner == world_.rank()) {
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

}  // namespace atl
