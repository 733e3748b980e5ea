// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/hub_tail.hpp>
#include <span>

namespace atl {
namespace {

constexpr std::size_t kGrain = 4096;
constexpr std::size_t kChunksPerThread = 32;

using Neighbours = std::span<const Local>;

// Lists are sorted by local number: the hubs of a list are its front.
std::size_t hubs_of(Neighbours list, std::size_t hubs) {
  return static_cast<std::size_t>(std::lower_bound(list.begin(), list.end(), static_cast<Local>(hubs)) - list.begin());
}

// `order` by falling key, equal ones as they stand.
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
std::vector<HubTail::Chunk> cut(std::size_t begin, std::size_t end, std::size_t chunks, Work&& work) {
  std::size_t all = 0;
  for (std::size_t v = begin; v < end; ++v) all += work(v);
  std::vector<HubTail::Chunk> cuts;
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

// Where the chunks' lists begin; returns the length of all.
template <class Id>
std::size_t place(std::vector<HubTail::Chunk>& chunks, std::size_t HubTail::Chunk::*start, std::size_t first,
                  const HubTail::Lists<Id>& lists) {
  std::size_t sum = 0;
  for (HubTail::Chunk& c : chunks) {
    c.*start = sum;
    for (std::size_t v = c.begin; v < c.end; ++v) sum += lists.count[v - first];
  }
  return sum;
}

}  // namespace

HubTail::HubTail(Team& team, const Graph& graph)
    : hubs(static_cast<std::size_t>(std::min(graph.hubs(), kMostHubs))),
      positions(static_cast<std::size_t>(graph.active())),
      local_of(positions) {
  const Csr &in = graph.in(), &out = graph.out();
  const std::size_t tail = positions - hubs;
  Array<std::uint32_t> hub_ends(positions);
  team.for_range(positions, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      local_of[v] = static_cast<Local>(v);
      hub_ends[v] = static_cast<std::uint32_t>(hubs_of(in.neighbours(static_cast<Local>(v)), hubs));
    }
  });
  if (hubs > 0) {
    auto ends = [&](Local v) { return static_cast<std::size_t>(hub_ends[static_cast<std::size_t>(v)]); };
    counting_sort(local_of, hubs, [&](Local v) { return static_cast<std::size_t>(in.degree(v)) - ends(v); });
    counting_sort(local_of, hubs, ends);
  }

  Array<Local> position_of(positions);
  hub_from_hub.count = Array<std::uint32_t>(hubs);
  tail_from_hub.count = Array<std::uint32_t>(tail);
  tail_from_tail.count = Array<std::uint32_t>(tail);
  if (graph.directed()) tail_to_hub.count = Array<std::uint32_t>(tail);
  team.for_range(positions, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      const Local local = local_of[v];
      position_of[static_cast<std::size_t>(local)] = static_cast<Local>(v);
      const std::uint32_t ends = hub_ends[static_cast<std::size_t>(local)];
      if (v < hubs) {
        hub_from_hub.count[v] = ends;
      } else {
        tail_from_hub.count[v - hubs] = ends;
        tail_from_tail.count[v - hubs] = static_cast<std::uint32_t>(in.degree(local)) - ends;
        if (graph.directed())
          tail_to_hub.count[v - hubs] = static_cast<std::uint32_t>(hubs_of(out.neighbours(local), hubs));
      }
    }
  });

  const std::size_t chunks = kChunksPerThread * static_cast<std::size_t>(team.size());
  hub_chunks = cut(0, hubs, chunks, [&](std::size_t v) { return std::size_t{hub_from_hub.count[v]} + 4; });
  tail_chunks = cut(hubs, positions, chunks, [&](std::size_t v) {
    const std::size_t row = v - hubs, pushes = graph.directed() ? tail_to_hub.count[row] : tail_from_hub.count[row];
    return std::size_t{tail_from_hub.count[row]} + pushes + 2 * std::size_t{tail_from_tail.count[row]} + 4;
  });
  hub_from_hub.ids = Array<HubId>(place(hub_chunks, &Chunk::hub_from, 0, hub_from_hub) + kSlack, 0);
  tail_from_hub.ids = Array<HubId>(place(tail_chunks, &Chunk::hub_from, hubs, tail_from_hub) + kSlack, 0);
  tail_from_tail.ids = Array<Local>(place(tail_chunks, &Chunk::tail_from, hubs, tail_from_tail) + kSlack, 0);
  if (graph.directed())
    tail_to_hub.ids = Array<HubId>(place(tail_chunks, &Chunk::hub_to, hubs, tail_to_hub) + kSlack, 0);

  auto copy_hubs = [&](Neighbours list, HubId* to) {
    for (const Local u : list) *to++ = static_cast<HubId>(u);
  };
  team.for_range(hub_chunks.size(), 1, [&](int, std::size_t c, std::size_t) {
    std::size_t at = hub_chunks[c].hub_from;
    for (std::size_t v = hub_chunks[c].begin; v < hub_chunks[c].end; at += hub_from_hub.count[v], ++v)
      copy_hubs(in.neighbours(local_of[v]).first(hub_from_hub.count[v]), hub_from_hub.ids.data() + at);
  });
  team.for_range(tail_chunks.size(), 1, [&](int, std::size_t c, std::size_t) {
    Chunk at = tail_chunks[c];
    for (std::size_t v = at.begin; v < at.end; ++v) {
      const std::size_t row = v - hubs;
      const Neighbours list = in.neighbours(local_of[v]);
      copy_hubs(list.first(tail_from_hub.count[row]), tail_from_hub.ids.data() + at.hub_from);
      at.hub_from += tail_from_hub.count[row];
      for (const Local u : list.subspan(tail_from_hub.count[row]))
        tail_from_tail.ids[at.tail_from++] = position_of[static_cast<std::size_t>(u)];
      if (!graph.directed()) continue;
      copy_hubs(out.neighbours(local_of[v]).first(tail_to_hub.count[row]), tail_to_hub.ids.data() + at.hub_to);
      at.hub_to += tail_to_hub.count[row];
    }
  });
}

std::size_t HubTail::memory_bytes() const {
  auto bytes = [](const auto& lists) { return lists.count.size() * 4 + lists.ids.size() * sizeof(lists.ids[0]); };
  return local_of.size() * sizeof(Local) + bytes(hub_from_hub) + bytes(tail_from_hub) + bytes(tail_from_tail) +
         bytes(tail_to_hub);
}

}  // namespace atl
