// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/pagerank/degree_split_csr.hpp>
#include <atoll/engine/vertex_bits.hpp>
#include <span>
#include <utility>

namespace atl {
namespace {

constexpr std::size_t kGrain = 4096;
constexpr std::size_t kChunksPerThread = 32;

using Neighbours = std::span<const Local>;

// Sorts `order` by falling key; stable.
template <class Key>
void counting_sort(Array<Local>& order, std::size_t begin, Key&& key) {
  std::size_t most = 0;
  for (std::size_t i = begin; i < order.size(); ++i) most = std::max(most, key(order[i]));
  std::vector<std::size_t> at(most + 2, 0);
  for (std::size_t i = begin; i < order.size(); ++i) ++at[most - key(order[i]) + 1];
  for (std::size_t k = 1; k < at.size(); ++k) at[k] += at[k - 1];
  Array<Local> sorted(order.size() - begin);
  for (std::size_t i = begin; i < order.size(); ++i) sorted[at[most - key(order[i])]++] = order[i];
  std::copy(sorted.begin(), sorted.end(), order.begin() + begin);
}

// Cuts rows [begin, end) of work(row) each into chunks of about equal work.
template <class Work>
std::vector<DegreeSplitCsr::Chunk> make_chunks(std::size_t begin, std::size_t end, std::size_t chunks, Work&& work) {
  std::size_t all = 0;
  for (std::size_t v = begin; v < end; ++v) all += work(v);
  std::vector<DegreeSplitCsr::Chunk> cuts;
  std::size_t sum = 0, from = begin;
  for (std::size_t v = begin; v < end; ++v) {
    sum += work(v);
    if (sum < all / chunks && v + 1 < end) continue;
    cuts.push_back({.begin = from, .end = v + 1});
    from = v + 1;
    sum = 0;
  }
  return cuts;
}

// Sets where the chunks' lists begin; returns the total length.
template <class Id>
std::size_t place(std::vector<DegreeSplitCsr::Chunk>& chunks, std::size_t DegreeSplitCsr::Chunk::*start,
                  std::size_t first, const DegreeSplitCsr::Lists<Id>& lists) {
  std::size_t sum = 0;
  for (DegreeSplitCsr::Chunk& c : chunks) {
    c.*start = sum;
    for (std::size_t v = c.begin; v < c.end; ++v) sum += lists.count[v - first];
  }
  return sum;
}

}  // namespace

DegreeSplitCsr::DegreeSplitCsr(Team& team, const Graph& graph) {
  const Csr &in = graph.in(), &out = graph.out();
  const auto active = static_cast<std::size_t>(graph.active());
  World& world = graph.world();
  own_hubs = static_cast<std::size_t>(std::min(graph.hubs(), kMostHubs / world.size()));
  hubs = own_hubs;
  const Mirrors& mirrors = graph.mirrors();
  std::vector<std::size_t> hubs_known(mirrors.known_by.size());  // [rank] number of own hubs that it mirrors
  for (std::size_t r = 0; r < hubs_known.size(); ++r)
    for_bits(mirrors.known_by[r], [&](std::size_t v) { hubs_known[r] += v < own_hubs; });
  const std::vector<Edge> mirrored = world.exchange_lengths({hubs_known.begin(), hubs_known.end()});
  for (std::size_t r = 0; r < mirrored.size(); ++r) {
    if (mirrors.count[r] == 0) continue;
    const auto group_hubs = static_cast<std::size_t>(mirrored[r]);
    groups.push_back({.local = mirrors.begin[r],
                      .hubs = group_hubs,
                      .tail = static_cast<std::size_t>(mirrors.count[r]) - group_hubs,
                      .hubs_at = hubs});
    hubs += group_hubs;
  }
  const std::size_t tail = active - own_hubs;
  rows = positions = hubs + tail;
  for (Group& g : groups) g.tail_at = std::exchange(positions, positions + g.tail);

  Array<Local> position_of(static_cast<std::size_t>(graph.locals()));
  for (std::size_t v = 0; v < active; ++v) position_of[v] = static_cast<Local>(v < own_hubs ? v : hubs + v - own_hubs);
  for (const Group& g : groups)
    for (std::size_t k = 0; k < g.hubs + g.tail; ++k)
      position_of[static_cast<std::size_t>(g.local) + k] =
          static_cast<Local>(k < g.hubs ? g.hubs_at + k : g.tail_at + k - g.hubs);
  // The order within the tail is not final yet, but membership is.
  auto is_hub = [&](Local u) { return static_cast<std::size_t>(position_of[u]) < hubs; };
  auto hubs_of = [&](Neighbours list) {
    return static_cast<std::uint32_t>(std::count_if(list.begin(), list.end(), is_hub));
  };
  local_of = Array<Local>(rows, -1);
  Array<std::uint32_t> hub_ends(active);
  team.for_range(active, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      local_of[position_of[v]] = static_cast<Local>(v);
      hub_ends[v] = hubs_of(in.neighbours(static_cast<Local>(v)));
    }
  });
  if (hubs > 0) {
    auto ends = [&](Local v) { return static_cast<std::size_t>(hub_ends[v]); };
    counting_sort(local_of, hubs, [&](Local v) { return static_cast<std::size_t>(in.degree(v)) - ends(v); });
    counting_sort(local_of, hubs, ends);
  }

  hub_from_hub.count = Array<std::uint32_t>(own_hubs);
  tail_from_hub.count = Array<std::uint32_t>(tail);
  tail_from_tail.count = Array<std::uint32_t>(tail);
  if (graph.directed()) tail_to_hub.count = Array<std::uint32_t>(tail);
  team.for_range(own_hubs, kGrain, [&](int, std::size_t a, std::size_t b) {
    std::copy(hub_ends.begin() + a, hub_ends.begin() + b, hub_from_hub.count.begin() + a);
  });
  team.for_range(tail, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t row = a; row < b; ++row) position_of[local_of[hubs + row]] = static_cast<Local>(hubs + row);
  });
  team.for_range(tail, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t row = a; row < b; ++row) {
      const Local local = local_of[hubs + row];
      const std::uint32_t ends = hub_ends[local];
      tail_from_hub.count[row] = ends;
      tail_from_tail.count[row] = static_cast<std::uint32_t>(in.degree(local)) - ends;
      if (graph.directed()) tail_to_hub.count[row] = hubs_of(out.neighbours(local));
    }
  });

  const std::size_t chunks = kChunksPerThread * static_cast<std::size_t>(team.size());
  hub_chunks = make_chunks(0, own_hubs, chunks, [&](std::size_t v) { return std::size_t{hub_from_hub.count[v]} + 4; });
  tail_chunks = make_chunks(hubs, rows, chunks, [&](std::size_t v) {
    const std::size_t row = v - hubs, pushes = graph.directed() ? tail_to_hub.count[row] : tail_from_hub.count[row];
    return std::size_t{tail_from_hub.count[row]} + pushes + 2 * std::size_t{tail_from_tail.count[row]} + 4;
  });
  hub_from_hub.ids = Array<HubId>(place(hub_chunks, &Chunk::hub_from, 0, hub_from_hub) + kSlack, 0);
  tail_from_hub.ids = Array<HubId>(place(tail_chunks, &Chunk::hub_from, hubs, tail_from_hub) + kSlack, 0);
  tail_from_tail.ids = Array<Local>(place(tail_chunks, &Chunk::tail_from, hubs, tail_from_tail) + kSlack, 0);
  if (graph.directed())
    tail_to_hub.ids = Array<HubId>(place(tail_chunks, &Chunk::hub_to, hubs, tail_to_hub) + kSlack, 0);

  auto position = [&](Local u) { return position_of[u]; };
  auto copy_hubs = [&](Neighbours list, HubId* to) {
    for (const Local u : list)
      if (is_hub(u)) *to++ = static_cast<HubId>(position(u));
  };
  team.for_range(hub_chunks.size(), 1, [&](int, std::size_t c, std::size_t) {
    std::size_t at = hub_chunks[c].hub_from;
    for (std::size_t v = hub_chunks[c].begin; v < hub_chunks[c].end; at += hub_from_hub.count[v], ++v)
      copy_hubs(in.neighbours(local_of[v]), hub_from_hub.ids.data() + at);
  });
  team.for_range(tail_chunks.size(), 1, [&](int, std::size_t c, std::size_t) {
    Chunk at = tail_chunks[c];
    for (std::size_t v = at.begin; v < at.end; ++v) {
      const std::size_t row = v - hubs;
      const Neighbours list = in.neighbours(local_of[v]);
      copy_hubs(list, tail_from_hub.ids.data() + at.hub_from);
      at.hub_from += tail_from_hub.count[row];
      for (const Local u : list)
        if (!is_hub(u)) tail_from_tail.ids[at.tail_from++] = position(u);
      if (!graph.directed()) continue;
      copy_hubs(out.neighbours(local_of[v]), tail_to_hub.ids.data() + at.hub_to);
      at.hub_to += tail_to_hub.count[row];
    }
  });
}

std::size_t DegreeSplitCsr::memory_bytes() const {
  auto bytes = [](const auto& lists) { return lists.count.size() * 4 + lists.ids.size() * sizeof(lists.ids[0]); };
  return local_of.size() * sizeof(Local) + bytes(hub_from_hub) + bytes(tail_from_hub) + bytes(tail_from_tail) +
         bytes(tail_to_hub);
}

}  // namespace atl
