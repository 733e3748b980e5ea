// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/edge_order.hpp>
#include <atoll/algorithms/truss/gathered_peeling.hpp>
#include <atoll/engine/first_rank.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <numeric>

namespace atl {
namespace {

constexpr std::size_t kSortedAtATime = 256;

}  // namespace

GatheredTrussPeeling::GatheredTrussPeeling(const Graph& graph) : graph_(graph), world_(graph.world()) {
  const std::vector<Vertex> dense = dense_numbers(graph);
  std::vector<Ends> mine;
  for_each_edge(
      graph, [&](Local v, Local u) { mine.push_back({static_cast<Local>(dense[v]), static_cast<Local>(dense[u])}); });
  edges_ = on_first_rank(world_, std::move(mine));
  world_.collective_try([&] {
    if (world_.rank() == 0) gather();
  });
}

void GatheredTrussPeeling::gather() {
  const std::size_t nodes = index(graph_.vertices());
  std::vector<Edge> degree(nodes, 0);
  for (const auto& part : edges_)
    for (const auto [a, b] : part) {
      ++degree[a];
      ++degree[b];
    }
  std::vector<Local> order(nodes), number(nodes);
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&](Local u, Local v) { return degree[u] > degree[v]; });
  for (std::size_t k = 0; k < nodes; ++k) number[order[k]] = static_cast<Local>(k);
  Csr lists;
  lists.offsets = Array<Edge>(nodes + 1, 0);
  for (std::size_t k = 0; k < nodes; ++k) lists.offsets[k + 1] = lists.offsets[k] + degree[order[k]];
  lists.targets = Array<Local>(static_cast<std::size_t>(lists.offsets[nodes]));
  std::vector<Edge> next(lists.offsets.begin(), lists.offsets.end());
  for (auto& part : edges_)
    for (auto& [a, b] : part) {
      a = number[a];
      b = number[b];
      lists.targets[static_cast<std::size_t>(next[a]++)] = b;
      lists.targets[static_cast<std::size_t>(next[b]++)] = a;
    }
  world_.team().for_range(nodes, kSortedAtATime, [&](int, std::size_t first, std::size_t end) {
    for (std::size_t v = first; v < end; ++v)
      std::sort(lists.targets.data() + lists.offsets[v], lists.targets.data() + lists.offsets[v + 1]);
  });
  peeling_.emplace(world_.team(), nodes, lists, graph_.name());
}

void GatheredTrussPeeling::run(Array<Vertex>& of_edge) {
  std::vector<std::vector<Local>> outgoing(edges_.size());
  world_.collective_try([&] {
    if (!peeling_) return;
    peeling_->run();
    for (std::size_t r = 0; r < edges_.size(); ++r)
      for (const auto [a, b] : edges_[r]) outgoing[r].push_back(peeling_->truss(a, b));
  });
  const std::vector<Local> values = world_.exchange(std::move(outgoing))[0];
  std::copy(values.begin(), values.end(), of_edge.begin());
}

std::size_t GatheredTrussPeeling::memory_bytes() const {
  std::size_t bytes = peeling_ ? peeling_->memory_bytes() : 0;
  for (const auto& part : edges_) bytes += part.size() * sizeof(Ends);
  return bytes;
}

}  // namespace atl
