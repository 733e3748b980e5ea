// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/betweenness/tight_edges.hpp>
#include <limits>

namespace atl {
namespace {

// Masters of a block: their tight edges are stored together, and one thread processes them at a time.
constexpr std::size_t kBlock = 64;
constexpr double kUnreached = std::numeric_limits<double>::infinity();

}  // namespace

TightEdges::TightEdges(const Graph& graph, PathLength length)
    : graph_(graph),
      length_(length),
      team_(graph.world().team()),
      targets_((static_cast<std::size_t>(graph.active()) + kBlock - 1) / kBlock),
      begin_(static_cast<std::size_t>(graph.active())),
      threads_(static_cast<std::size_t>(team_.size())) {}

void TightEdges::find(std::span<const double> distance, const std::function<void(int, std::span<const Local>)>& found) {
  const Csr& out = graph_.out();
  with_lengths(out, length_, [&](const auto& length) {
    team_.for_range(begin_.size(), kBlock, [&](int thread, std::size_t a, std::size_t b) {
      std::vector<Local>& block = targets_[a / kBlock];
      block.clear();
      for (std::size_t u = a; u < b; ++u) {
        begin_[u] = block.size();
        if (distance[u] == kUnreached) continue;
        for (auto e = static_cast<std::size_t>(out.offsets[u]); e < static_cast<std::size_t>(out.offsets[u + 1]); ++e) {
          const Local v = out.targets[e];
          const double there = distance[v];
          if (distance[u] + length(e) != there || static_cast<Local>(u) == v) continue;
          if (there == distance[u]) {
            threads_[thread].light = static_cast<Edge>(e);
          } else {
            block.push_back(v);
          }
        }
      }
      found(thread, block);
    });
  });
  Edge light = -1;
  for (Thread& t : threads_) light = std::max(light, std::exchange(t.light, -1));
  if (graph_.world().any(light >= 0)) refuse(light, distance);
}

// Collective.
void TightEdges::refuse(Edge light, std::span<const double> distance) const {
  graph_.world().collective_try([&] {
    if (light < 0) return;
    const auto& offsets = graph_.out().offsets;
    const auto from = static_cast<Local>(std::upper_bound(offsets.begin(), offsets.end(), light) - offsets.begin() - 1);
    check(false,
          "betweenness: {}: the edge between {} and {} weighs so little that the distance {} plus it is the same (then "
          "the number of shortest paths is not defined). Take weights that differ less.",
          graph_.name(), graph_.id_of(from), graph_.id_of(graph_.out().targets[light]), distance[from]);
  });
}

std::span<const Local> TightEdges::from(Local u) const {
  const std::size_t at = static_cast<std::size_t>(u), next = at + 1;
  const std::vector<Local>& block = targets_[at / kBlock];
  const std::size_t end = next % kBlock == 0 || next == begin_.size() ? block.size() : begin_[next];
  return std::span(block).subspan(begin_[at], end - begin_[at]);
}

std::size_t TightEdges::memory_bytes() const {
  std::size_t bytes = begin_.size() * sizeof(std::size_t);
  for (const auto& block : targets_) bytes += block.capacity() * sizeof(Local);
  return bytes;
}

}  // namespace atl
