// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/base/random.hpp>
#include <type_traits>
#include <vector>

/// Random arcs for the tests of all pairs: each test says what its arcs weigh, and whether loops stay.
namespace samples {

using namespace atl;

/// `count` arcs between ends drawn from n vertices, loops and parallel arcs among them; weight(tail, head) follows each.
template <class Weight>
auto random_arcs(Random& random, std::size_t n, std::size_t count, Weight&& weight) {
  std::vector<Arc<std::invoke_result_t<Weight&, Local, Local>>> arcs;
  for (std::size_t e = 0; e < count; ++e) {
    const auto tail = static_cast<Local>(random.below(n));
    const auto head = static_cast<Local>(random.below(n));
    arcs.push_back({tail, head, weight(tail, head)});
  }
  return arcs;
}

template <class T>
std::vector<Arc<T>> without_loops(std::vector<Arc<T>> arcs) {
  std::erase_if(arcs, [](const Arc<T>& arc) { return arc.tail == arc.head; });
  return arcs;
}

}  // namespace samples
