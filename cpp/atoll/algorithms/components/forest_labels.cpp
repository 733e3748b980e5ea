// SPDX-License-Identifier: Apache-2.0
// Labels of the trees of a ComponentForest: the smallest owned index of each tree, and writing the giant's label.
#include <atoll/algorithms/components/forest.hpp>

namespace atl {
// Finds the roots of the vertices outside the giant and the smallest owned index of each tree; counts the trees.
void ComponentForest::label_outside_giant() {
  std::atomic<Vertex> roots{0};
  team_.for_range(outside_count_, kGrain, [&](int, std::size_t a, std::size_t b) {
    Vertex found = 0;
    for (std::size_t i = a; i < b; ++i) {
      const Local v = outside_giant_[i];
      if (find(v) != v) continue;
      lowest_[v] = static_cast<Local>(graph_.owned_index_of(v));
      found += v != giant_;
    }
    roots += found;
  });
  team_.for_range(outside_count_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) {
      const auto owned_index = static_cast<Local>(graph_.owned_index_of(outside_giant_[i]));
      std::atomic_ref low(lowest_[load(outside_giant_[i])]);
      for (Local old = low.load(std::memory_order_relaxed); owned_index < old;)
        if (low.compare_exchange_weak(old, owned_index, std::memory_order_relaxed)) break;
    }
  });
  trees_outside_giant_ = roots;
}

Vertex ComponentForest::first_owned_index_of(Local giant, const VertexBits& in_giant) {
  for (Vertex v = 0;; ++v) {
    const Local local = graph_.local_of(v);
    if (local >= graph_.active()) continue;
    if (find(local) == giant ||
        (remote_only_attached_ && !has_local_neighbour_.test(local) && touches_remote_giant(local, in_giant)))
      return v;
  }
}

// Writes the giant's label to all active masters without finding their trees; write() then overwrites those outside it.
void ComponentForest::write_giant(Vertex giant, Array<Vertex>& component) const {
  const auto owned = index(graph_.owned());
  if (component.size() != owned) component = Array<Vertex>(owned);
  const IdMap& ids = graph_.ids();
  const Local active = graph_.active();
  auto fill = [&](std::size_t a, std::size_t b, auto&& id_of) {
    Vertex* const out = component.data();
    for (auto v = static_cast<Vertex>(a); v < static_cast<Vertex>(b); ++v) {
      // Branch-free: which vertices have no edge is unpredictable.
      const Vertex mask = -static_cast<Vertex>(graph_.local_of(v) < active);
      out[v] = (giant & mask) | (id_of(v) & ~mask);
    }
  };
  team_.for_range(owned, kGrain, [&](int, std::size_t a, std::size_t b) {
    if (ids.is_range()) {
      fill(a, b, [first = ids.id_of(0)](Vertex v) { return first + v; });
    } else {
      fill(a, b, [&](Vertex v) { return ids.id_of(v); });
    }
  });
}

}  // namespace atl
