// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/closeness/source_order.hpp>

namespace atl {
namespace {

std::vector<Local> by_nearness(const Csr& lists, Local vertices, const VertexBits& wanted, std::size_t together) {
  VertexBits grouped(index(vertices)), queued(index(vertices));
  std::vector<Local> order, queue, waiting;  // queue: of this group; waiting: beside the groups before
  std::size_t next_waiting = 0;
  Local next_vertex = 0;
  const auto enqueue = [&](Local v) {
    if (grouped.test(index(v)) || queued.test(index(v))) return;
    queued.set_unsynchronized(index(v));
    queue.push_back(v);
  };
  for (;;) {
    std::size_t members = 0, at = 0;
    for (;;) {
      while (at == queue.size() && next_waiting < waiting.size()) enqueue(waiting[next_waiting++]);
      while (at == queue.size() && next_vertex < vertices) enqueue(next_vertex++);
      if (at == queue.size() || members == together) break;
      const Local v = queue[at++];
      grouped.set_unsynchronized(index(v));
      if (wanted.test(index(v))) {
        order.push_back(v);
        ++members;
      }
      for (const Local u : lists.neighbours(v))
        if (u < vertices) enqueue(u);
    }
    if (at == queue.size()) return order;
    for (; at < queue.size(); ++at) {
      queued.reset_unsynchronized(index(queue[at]));
      waiting.push_back(queue[at]);
    }
    queue.clear();
  }
}

int degree_class(Edge degree) {
  int powers = 0;
  for (; degree > 4; degree /= 4) ++powers;
  return powers;
}

}  // namespace

std::vector<Local> order_sources(const Csr& lists, Local vertices, const VertexBits& wanted, std::size_t together) {
  std::vector<Local> sources = by_nearness(lists, vertices, wanted, together);
  std::stable_sort(sources.begin(), sources.end(),
                   [&](Local a, Local b) { return degree_class(lists.degree(a)) > degree_class(lists.degree(b)); });
  return sources;
}

}  // namespace atl
