// SPDX-License-Identifier: Apache-2.0
// From the trees of a ComponentForest to labels: the lowest vertex of each, and the giant's written out.
#include <atoll/algorithms/components/forest.hpp>

namespace atl {
namespace {

std::size_t index(Local v) { return static_cast<std::size_t>(v); }

}  // namespace

// Finds the roots of the vertices apart, and the smallest natural number of each tree; counts them.
void ComponentForest::label_apart() {
  std::atomic<Vertex> roots{0};
  team_.for_range(aparts_, kGrain, [&](int, std::size_t a, std::size_t b) {
    Vertex here = 0;
    for (std::size_t i = a; i < b; ++i) {
      const Local v = apart_[i];
      if (find(v) != v) continue;
      lowest_[index(v)] = static_cast<Local>(graph_.natural_of(v));
      here += v != giant_;
    }
    roots += here;
  });
  team_.for_range(aparts_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) {
      const auto natural = static_cast<Local>(graph_.natural_of(apart_[i]));
      std::atomic_ref low(lowest_[index(load(apart_[i]))]);
      for (Local old = low.load(std::memory_order_relaxed); natural < old;)
        if (low.compare_exchange_weak(old, natural, std::memory_order_relaxed)) break;
    }
  });
  trees_apart_ = roots;
}

Vertex ComponentForest::first_natural_of(Local giant, const VertexBits& in_giant) {
  for (Vertex v = 0;; ++v) {
    const Local local = graph_.local_of(v);
    if (local >= graph_.active()) continue;
    if (find(local) == giant || (abroad_hang_ && !near_.test(local) && hangs(local, in_giant))) return v;
  }
}

// Without looking at the trees: nearly all have the same label. The others are written over afterwards.
void ComponentForest::write_giant(Vertex giant, Array<Vertex>& component) const {
  const auto owned = index(graph_.owned());
  if (component.size() != owned) component = Array<Vertex>(owned);
  const IdMap& ids = graph_.ids();
  const Local active = graph_.active();
  auto fill = [&](std::size_t a, std::size_t b, auto&& id_of) {
    Vertex* const out = component.data();
    for (auto v = static_cast<Vertex>(a); v < static_cast<Vertex>(b); ++v) {
      // Without a branch: which vertices have no edge is a matter of chance.
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
