// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <atoll/runtime/world.hpp>
#include <bit>

namespace atl {

/// [rank][k] the k-th own master that the rank mirrors.
inline std::vector<std::vector<Local>> known_masters(const Mirrors& mirrors) {
  std::vector<std::vector<Local>> masters;
  for (const Array<std::uint64_t>& known : mirrors.known_by) {
    auto& of_rank = masters.emplace_back();
    for (std::size_t w = 0; w < known.size(); ++w)
      for (std::uint64_t bits = known[w]; bits; bits &= bits - 1)
        of_rank.push_back(static_cast<Local>(w * 64) + std::countr_zero(bits));
  }
  return masters;
}

/// Copies the masters' values to their mirrors on the other ranks. `values` are by local number. Collective.
template <Plain T>
void broadcast_to_mirrors(const Graph& graph, std::span<T> values) {
  const Mirrors& mirrors = graph.mirrors();
  const std::size_t ranks = mirrors.known_by.size();
  std::vector<std::vector<T>> sent(ranks);
  std::vector<std::span<const std::byte>> outgoing(ranks);
  std::vector<std::span<std::byte>> incoming(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const Array<std::uint64_t>& known = mirrors.known_by[r];
    for (std::size_t w = 0; w < known.size(); ++w)
      for (std::uint64_t bits = known[w]; bits; bits &= bits - 1)
        sent[r].push_back(values[w * 64 + static_cast<std::size_t>(std::countr_zero(bits))]);
    outgoing[r] = std::as_bytes(std::span(std::as_const(sent[r])));
    if (mirrors.count[r] > 0)
      incoming[r] = std::as_writable_bytes(
          values.subspan(static_cast<std::size_t>(mirrors.begin[r]), static_cast<std::size_t>(mirrors.count[r])));
  }
  graph.world().exchange_bytes(outgoing, incoming);
}

/// The dense number of each local vertex, mirrors included. Collective.
inline std::vector<Vertex> dense_numbers(const Graph& graph) {
  std::vector<Vertex> dense(static_cast<std::size_t>(graph.locals()), kNoVertex);
  const Vertex begin = graph.blocks().begin(graph.world().rank());
  for (Local v = 0; v < graph.owned(); ++v) dense[v] = begin + graph.owned_index_of(v);
  broadcast_to_mirrors(graph, std::span(dense));
  return dense;
}

/// Calls f(neighbour, weight of the edge) for the lists of v, entering edges as leaving ones.
template <class F>
void for_each_neighbour(const Graph& graph, Local v, F&& f) {
  const auto visit = [&](Local u, auto weight) { f(u, static_cast<double>(weight)); };
  graph.out().for_edges(v, visit);
  if (graph.directed()) graph.in().for_edges(v, visit);
}

}  // namespace atl
