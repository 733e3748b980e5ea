// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/relabel.hpp>
#include <vector>

namespace atl {

LocalOrder order_by_degree(Team& team, const Array<Edge>& degree, const RelabelOptions& options) {
  const std::size_t n = degree.size();
  const Edge least_hub = options.sort_hubs ? kHubDegree : INT64_MAX, least_tail = options.drop_isolated ? 1 : 0;
  const auto threads = static_cast<std::size_t>(team.size());
  struct Part {
    std::vector<Local> hubs;
    std::size_t tail = 0, isolated = 0;
  };
  std::vector<Part> parts(threads);
  team.run([&](int thread) {
    Part& part = parts[thread];
    const auto [a, b] = team.share(thread, n);
    for (std::size_t v = a; v < b; ++v) {
      if (degree[v] >= least_hub) {
        part.hubs.push_back(static_cast<Local>(v));
      } else {
        ++(degree[v] >= least_tail ? part.tail : part.isolated);
      }
    }
    std::sort(part.hubs.begin(), part.hubs.end(), [&](Local x, Local y) {
      const Edge dx = degree[x], dy = degree[y];
      return dx != dy ? dx > dy : x < y;
    });
  });

  LocalOrder order{Array<Local>(n), Array<Local>(n), 0, 0};
  std::vector<Local> hubs;
  for (Part& p : parts) {
    const auto middle = static_cast<std::ptrdiff_t>(hubs.size());
    hubs.insert(hubs.end(), p.hubs.begin(), p.hubs.end());
    std::inplace_merge(hubs.begin(), hubs.begin() + middle, hubs.end(), [&](Local x, Local y) {
      const Edge dx = degree[x], dy = degree[y];
      return dx != dy ? dx > dy : x < y;
    });
  }
  for (std::size_t h = 0; h < hubs.size(); ++h) {
    order.owned_index_of[h] = hubs[h];
    order.local_of[hubs[h]] = static_cast<Local>(h);
  }
  std::vector<std::size_t> tail_at(threads), isolated_at(threads);
  std::size_t at = hubs.size();
  for (std::size_t t = 0; t < threads; ++t) {
    tail_at[t] = at;
    at += parts[t].tail;
  }
  order.hubs = static_cast<Local>(hubs.size());
  order.active = static_cast<Local>(at);
  for (std::size_t t = 0; t < threads; ++t) {
    isolated_at[t] = at;
    at += parts[t].isolated;
  }
  team.run([&](int thread) {
    const auto t = static_cast<std::size_t>(thread);
    const auto [a, b] = team.share(thread, n);
    std::size_t tail = tail_at[t], isolated = isolated_at[t];
    for (std::size_t v = a; v < b; ++v) {
      if (degree[v] >= least_hub) continue;
      const std::size_t local = degree[v] >= least_tail ? tail++ : isolated++;
      order.local_of[v] = static_cast<Local>(local);
      order.owned_index_of[local] = static_cast<Local>(v);
    }
  });
  return order;
}

}  // namespace atl
