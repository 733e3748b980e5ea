// SPDX-License-Identifier: Apache-2.0
// Core numbers by repeated h-index [1, in the header]: all look in each round, and mirrors are told of the numbers that
// have fallen.
#include <algorithm>
#include <atoll/algorithms/coreness.hpp>
#include <atoll/engine/mirror_exchange.hpp>

namespace atl {
namespace {

// One a thread; alone on its cache lines.
struct alignas(128) Counts {
  std::vector<Local> of;  // [number] neighbours that have it
};

// The largest h such that h of v's neighbours, each counted once, have at least h; at most v's own number. Most have kept
// their number, and hubs come first in a list: it is seldom read to its end.
Local h_index(const Graph& graph, Local v, const Array<Local>& core, Counts& counts) {
  const Local own = core[static_cast<std::size_t>(v)];
  if (own == 0) return 0;
  counts.of.assign(static_cast<std::size_t>(own), 0);
  Local* const count = counts.of.data();
  Local have = 0, before = -1;
  for (const Local u : graph.out().neighbours(v)) {
    if (u == v || u == before) continue;
    before = u;
    if (const Local number = core[static_cast<std::size_t>(u)]; number < own) {
      ++count[number];
    } else if (++have == own) {
      return own;
    }
  }
  Local h = own - 1;
  while (h > 0 && (have += count[h]) < h) --h;
  return h;
}

}  // namespace

CorenessResult coreness(const Graph& graph) {
  check(!graph.directed(), "coreness: {} is directed (cores are of undirected graphs). Read it as undirected.",
        graph.name());
  World& world = graph.world();
  Team& team = world.team();
  constexpr std::size_t kGrain = 512, kHubGrain = 4;
  const auto owned = static_cast<std::size_t>(graph.owned()), active = static_cast<std::size_t>(graph.active()),
             locals = static_cast<std::size_t>(graph.locals()),
             hubs = std::min(active, static_cast<std::size_t>(graph.hubs()));
  MirrorExchange<Local, MinOf> exchange(graph);
  Array<Local> core(locals, 0), next(owned, 0);
  VertexBits changed(graph.locals());
  std::vector<Counts> counts(static_cast<std::size_t>(team.size()));
  for (std::size_t v = 0; v < active; ++v)
    core[v] = static_cast<Local>(std::min<Edge>(graph.out().degree(static_cast<Local>(v)), INT32_MAX - 1));
  changed.set_all();
  CorenessResult result;
  for (bool any = true; any; ++result.rounds) {
    exchange.broadcast({core.data(), locals}, changed);
    const auto look = [&](std::size_t first, std::size_t end, std::size_t grain) {
      team.for_range(end - first, grain, [&](int thread, std::size_t a, std::size_t b) {
        for (std::size_t v = first + a; v < first + b; ++v)
          next[v] = h_index(graph, static_cast<Local>(v), core, counts[static_cast<std::size_t>(thread)]);
      });
    };
    look(0, hubs, kHubGrain);
    look(hubs, active, kGrain);
    changed.clear();
    std::atomic<bool> here{false};
    team.for_range(active, kGrain * 64, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        if (next[v] == core[v]) continue;
        core[v] = next[v];
        changed.set(static_cast<Local>(v));
        here.store(true, std::memory_order_relaxed);
      }
    });
    any = world.any(here);
  }
  result.core = Array<Vertex>(owned);
  Vertex most = 0;
  for (std::size_t v = 0; v < owned; ++v) {
    result.core[v] = core[static_cast<std::size_t>(graph.local_of(static_cast<Vertex>(v)))];
    most = std::max(most, result.core[v]);
  }
  result.degeneracy = world.max(most);
  return result;
}

}  // namespace atl
