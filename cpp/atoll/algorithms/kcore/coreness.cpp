// SPDX-License-Identifier: Apache-2.0
// Core numbers by peeling [1, in the header]. A rank removes all vertices of a level that it can before it broadcasts.
// So the number of exchanges is the number of times that a chain of removals crosses between ranks, not the chain's
// length.
//
//   in the paper        here                meaning
//   degree(v)           left(v)             neighbours not removed yet; after v is removed, its core number
//   bin(d)              Part::near          vertices that will soon be at d, unordered; kernel.hpp
//
// Deviation: vertices of a level are removed in any order. The core numbers do not depend on it.
#include <algorithm>
#include <atoll/algorithms/kcore/coreness.hpp>
#include <atoll/algorithms/kcore/kernel.hpp>
#include <atoll/engine/mirror_exchange.hpp>

namespace atl {
namespace {

const Graph& undirected(const Graph& graph) {
  check(!graph.directed(), "coreness: {} is directed (cores are of undirected graphs). Read it as undirected.",
        graph.name());
  return graph;
}

// The mirrors that other ranks have newly removed. A broadcast may also update unchanged mirrors: `gone` filters these.
std::vector<Local> newly_gone(const CorePeeling& peeling, const VertexBits& received, VertexBits& gone, Local first,
                              Local k) {
  std::vector<Local> mirrors;
  for (auto w = static_cast<std::size_t>(first) / 64; w < received.words(); ++w)
    for (std::uint64_t bits = received.at(w) & ~gone.at(w); bits; bits &= bits - 1)
      if (const Local m = static_cast<Local>(w * 64) + std::countr_zero(bits); peeling.left()[m] <= k) {
        gone.set_unsynchronized(m);
        mirrors.push_back(m);
      }
  return mirrors;
}

}  // namespace

Coreness::Coreness(const Graph& graph) : graph_(undirected(graph)), peeling_(std::make_unique<CorePeeling>(graph)) {}
Coreness::~Coreness() = default;
std::size_t Coreness::memory_bytes() const { return peeling_->memory_bytes(); }

void Coreness::run(CorenessResult& result) {
  World& world = graph_.world();
  CorePeeling& peeling = *peeling_;
  result.rounds = 0;
  Local k = world.min(peeling.begin());
  if (world.size() == 1) {
    for (; k != CorePeeling::kNone; ++result.rounds) k = peeling.take_away(k, {});
  } else {
    MirrorExchange<Local, MinOf> exchange(graph_);
    VertexBits news(graph_.locals()), gone(graph_.locals());
    std::vector<Local> mirrors;
    for (; k != CorePeeling::kNone; ++result.rounds) {
      const Local next = peeling.take_away(k, mirrors);
      peeling.move_taken(news);
      exchange.broadcast(peeling.left(), news);
      mirrors = newly_gone(peeling, news, gone, peeling.first_mirror(), k);
      news.clear();
      k = world.min(mirrors.empty() ? next : k);
    }
  }
  const auto owned = static_cast<std::size_t>(graph_.owned());
  result.core = Array<Vertex>(owned);
  std::vector<Vertex> most(static_cast<std::size_t>(world.team().size()), 0);
  world.team().for_range(owned, std::size_t{1} << 14, [&](int t, std::size_t a, std::size_t b) {
    Vertex here = 0;
    for (std::size_t v = a; v < b; ++v)
      here = std::max(here, result.core[v] = peeling.core_of(graph_.local_of(static_cast<Vertex>(v))));
    most[static_cast<std::size_t>(t)] = std::max(most[static_cast<std::size_t>(t)], here);
  });
  result.degeneracy = world.max(*std::max_element(most.begin(), most.end()));
}

CorenessResult coreness(const Graph& graph) {
  CorenessResult result;
  Coreness(graph).run(result);
  return result;
}

}  // namespace atl
