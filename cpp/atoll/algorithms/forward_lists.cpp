// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/clustering_local.hpp>
#include <atoll/algorithms/forward_lists.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <atoll/graph/mirror_values.hpp>

namespace atl {
namespace {

constexpr std::size_t kGrain = 64;

}  // namespace

ForwardLists::ForwardLists(const Graph& graph)
    : graph_(graph),
      dense_(dense_numbers(graph)),
      lists_(static_cast<std::size_t>(graph.active())),
      degree_(static_cast<std::size_t>(graph.locals()), 0) {
  count_neighbours();
  list_higher();
}

// Neighbours of each vertex but itself; mirrors hear how many their masters have.
void ForwardLists::count_neighbours() {
  graph_.world().team().for_range(lists_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v)
      for_neighbours(graph_, static_cast<Local>(v), [&](Local, std::uint8_t) { ++degree_[v]; });
  });
  MirrorExchange<Local, MinOf>(graph_).broadcast_all({degree_.data(), degree_.size()});
}

bool ForwardLists::is_above(Local u, Local v) const {
  const auto a = static_cast<std::size_t>(u), b = static_cast<std::size_t>(v);
  return degree_[a] != degree_[b] ? degree_[a] > degree_[b] : dense_[a] > dense_[b];
}

void ForwardLists::list_higher() {
  graph_.world().team().for_range(lists_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      auto& list = lists_[v];
      for_neighbours(graph_, static_cast<Local>(v), [&](Local u, std::uint8_t directions) {
        if (is_above(u, static_cast<Local>(v)))
          list.push_back({word_of(dense_[static_cast<std::size_t>(u)], directions), u});
      });
      list.shrink_to_fit();
      std::sort(list.begin(), list.end(), [](const Entry& x, const Entry& y) { return x.word < y.word; });
    }
  });
}

}  // namespace atl
