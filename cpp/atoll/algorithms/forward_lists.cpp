// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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
  list_neighbours();
  keep_higher();
}

// All neighbours of each vertex but itself, by dense number.
void ForwardLists::list_neighbours() {
  const std::uint64_t both = 2, one = 1;
  graph_.world().team().for_range(lists_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      auto& list = lists_[v];
      const auto add = [&](const Csr& csr, std::uint64_t directions) {
        Local before = -1;
        for (const Local u : csr.neighbours(static_cast<Local>(v))) {
          if (u != static_cast<Local>(v) && u != before)
            list.push_back({word_of(dense_[static_cast<std::size_t>(u)], directions), u});
          before = u;
        }
      };
      add(graph_.out(), graph_.directed() ? one : both);
      if (graph_.directed()) add(graph_.in(), one);
      std::sort(list.begin(), list.end(), [](const Entry& x, const Entry& y) { return x.dense() < y.dense(); });
      std::size_t kept = 0;
      for (std::size_t i = 0; i < list.size(); ++i) {
        if (kept > 0 && list[kept - 1].local == list[i].local) {
          list[kept - 1].word = word_of(list[i].dense(), both);
        } else {
          list[kept++] = list[i];
        }
      }
      list.resize(kept);
      degree_[v] = static_cast<Local>(kept);
    }
  });
  VertexBits all(graph_.locals());
  all.set_all();
  MirrorExchange<Local, MinOf>(graph_).broadcast({degree_.data(), degree_.size()}, all);
}

bool ForwardLists::is_above(Local u, Local v) const {
  const auto a = static_cast<std::size_t>(u), b = static_cast<std::size_t>(v);
  return degree_[a] != degree_[b] ? degree_[a] > degree_[b] : dense_[a] > dense_[b];
}

void ForwardLists::keep_higher() {
  graph_.world().team().for_range(lists_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) {
      std::erase_if(lists_[v], [&](const Entry& e) { return !is_above(e.local, static_cast<Local>(v)); });
      lists_[v].shrink_to_fit();
    }
  });
}

}  // namespace atl
