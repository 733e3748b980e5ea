// SPDX-License-Identifier: Apache-2.0
// Connected components over a vertex-cut. A rank joins the ends of its edges, mirrors too, to trees by linking roots [1],
// once. Then labels are passed on until none falls: a tree takes the least label of its members in one step, members
// tell their masters (reduce), and masters their mirrors (broadcast).
//
//   in the paper     here        meaning
//   pi               tree_       parent; after Compress the root
//   Link, Compress   link(), the end of grow_trees()
//
// Edges go both ways here, so all mirrors are told and heard, whichever edges they have.
//
// [1] M. Sutton, T. Ben-Nun, A. Barak. "Optimizing parallel graph connectivity computation via subgraph sampling."
// IPDPS 2018.
#include <atoll/algorithms/components_cut.hpp>

namespace atl {
namespace {

constexpr std::size_t kGrain = 4096;

}  // namespace

ComponentsCut::ComponentsCut(const Graph& graph)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      cut_(graph, graph.cut(), VertexCut::Rows::sources),
      exchange_(SharedVertices::all_of(cut_)),
      locals_(static_cast<std::size_t>(cut_.locals())),
      tree_(locals_),
      label_(locals_),
      least_(locals_),
      changed_(cut_.locals()) {}

void ComponentsCut::run(ComponentsResult& result) {
  grow_trees();
  start();
  for (;;) {
    hear();
    say();
    exchange_.reduce({label_.data(), locals_}, changed_);
    if (!world_.any(changed_.any())) break;
    exchange_.broadcast({label_.data(), locals_}, changed_);
  }

  const auto owned = static_cast<std::size_t>(graph_.owned());
  if (result.component.size() != owned) result.component = Array<Vertex>(owned);
  Vertex firsts = 0;
  for (std::size_t v = 0; v < owned; ++v) {
    const Local local = graph_.local_of(static_cast<Vertex>(v));
    const Vertex label = label_[static_cast<std::size_t>(local)];
    result.component[v] = label;
    firsts += label == graph_.id_of(local);
  }
  result.components = world_.sum(firsts);
}

void ComponentsCut::grow_trees() {
  for (std::size_t v = 0; v < locals_; ++v) tree_[v] = static_cast<Local>(v);
  team_.for_range(locals_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v)
      for (const Local u : cut_.rows().neighbours(static_cast<Local>(v))) link(static_cast<Local>(v), u);
  });
  // Parents are below their children.
  for (std::size_t v = 0; v < locals_; ++v) tree_[v] = tree_[static_cast<std::size_t>(tree_[v])];
}

void ComponentsCut::link(Local u, Local v) {
  const auto parent = [&](Local x) { return std::atomic_ref(tree_[static_cast<std::size_t>(x)]); };
  Local one = parent(u).load(std::memory_order_relaxed), other = parent(v).load(std::memory_order_relaxed);
  while (one != other) {
    const Local high = std::max(one, other), low = std::min(one, other);
    Local above = parent(high).load(std::memory_order_relaxed);
    if (above == low) return;
    if (above == high && parent(high).compare_exchange_strong(above, low, std::memory_order_relaxed)) return;
    one = parent(parent(high).load(std::memory_order_relaxed)).load(std::memory_order_relaxed);
    other = parent(low).load(std::memory_order_relaxed);
  }
}

// All labels are own ids.
void ComponentsCut::start() {
  std::fill(label_.begin(), label_.end(), kMaxVertex);
  for (Local v = 0; v < graph_.owned(); ++v) label_[static_cast<std::size_t>(v)] = graph_.id_of(v);
  exchange_.broadcast_all({label_.data(), locals_});
  std::fill(least_.begin(), least_.end(), kMaxVertex);
  changed_.set_all();
}

// Trees hear of the labels of their members.
void ComponentsCut::hear() {
  team_.for_range(changed_.words(), kGrain / 64, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t w = a; w < b; ++w)
      for (std::uint64_t bits = std::exchange(changed_.at(w), 0); bits; bits &= bits - 1)
        if (const std::size_t v = w * 64 + static_cast<std::size_t>(std::countr_zero(bits)); v < locals_)
          combine_atomically(least_[static_cast<std::size_t>(tree_[v])], label_[v], MinOf{});
  });
}

// Members take their tree's.
void ComponentsCut::say() {
  team_.for_range(locals_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v)
      if (MinOf{}(label_[v], least_[static_cast<std::size_t>(tree_[v])])) changed_.set(static_cast<Local>(v));
  });
}

std::size_t ComponentsCut::memory_bytes() const {
  return locals_ * (sizeof(Local) + 2 * sizeof(Vertex)) + exchange_.memory_bytes() + cut_.memory_bytes();
}

}  // namespace atl
