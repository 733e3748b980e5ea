// SPDX-License-Identifier: Apache-2.0
// Connected components over a vertex-cut. A rank links the ends of its edges, mirrors included, to trees [1]. Every
// tree has a name: that of a rank's largest tree, its giant, is the rank; that of any other is the number of ranks plus
// its least id, so that two trees with one name share a vertex. Masters outside their giant broadcast the names of
// their trees to their mirrors: so for each mirror its rank knows which two trees share the vertex. Every rank gathers
// the few pairs of names. If these need too much memory, ranks propagate labels until none falls: a tree takes the
// least label of its members, mirrors send theirs to their masters (reduce), and masters to their mirrors (broadcast).
//
//   in the paper     here        meaning
//   pi               tree_       parent; after Compress the root
//   Link, Compress   link(), the end of grow_trees()
//   c                giant_      the tree that most vertices are in
//
// Components ignore the direction of edges, so all mirrors take part, whether edges enter or leave them.
//
// [1] M. Sutton, T. Ben-Nun, A. Barak. "Optimizing parallel graph connectivity computation via subgraph sampling."
// IPDPS 2018.
#include <algorithm>
#include <atoll/algorithms/components/vertex_cut.hpp>

namespace atl {
namespace {

constexpr std::size_t kGrain = 4096;

}  // namespace

VertexCutComponents::VertexCutComponents(const Graph& graph)
    : graph_(graph),
      world_(graph.world()),
      team_(world_.team()),
      cut_(graph.vertex_cut(CutRows::sources)),
      exchange_(GraphView::all_of(cut_)),
      locals_(index(cut_.locals())),
      ranks_(static_cast<Name>(world_.size())),
      id_(locals_, kMaxVertex),
      tree_(locals_),
      label_(locals_),
      least_(locals_),
      changed_(cut_.locals()) {
  for (Local v = 0; v < graph.owned(); ++v) id_[v] = graph.id_of(v);
  exchange_.broadcast_all({id_.data(), locals_});
}

void VertexCutComponents::run(ComponentsResult& result) {
  grow_trees();
  giant_ = largest_tree();
  const std::vector<Pair> pairs = broadcast_names();
  if (world_.sum(static_cast<double>(pairs.size())) * sizeof(Pair) <=
      static_cast<double>(world_.plan().replicated_bytes)) {
    join(pairs);
  } else {
    propagate();
  }
  write(result);
}

void VertexCutComponents::grow_trees() {
  for (std::size_t v = 0; v < locals_; ++v) tree_[v] = static_cast<Local>(v);
  team_.for_range(locals_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v)
      for (const Local u : cut_.rows().neighbours(static_cast<Local>(v))) link(static_cast<Local>(v), u);
  });
  // Parents are smaller than their children, so one ascending pass compresses all paths.
  std::fill(least_.begin(), least_.end(), kMaxVertex);
  for (std::size_t v = 0; v < locals_; ++v) {
    tree_[v] = tree_[tree_[v]];
    MinOf{}(least_[tree_[v]], id_[v]);
  }
}

void VertexCutComponents::link(Local u, Local v) {
  const auto parent = [&](Local x) { return std::atomic_ref(tree_[x]); };
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

Local VertexCutComponents::largest_tree() const {
  std::vector<Local> size(locals_, 0);
  for (const Local root : tree_) ++size[root];
  return static_cast<Local>(std::max_element(size.begin(), size.end()) - size.begin());
}

VertexCutComponents::Name VertexCutComponents::name_of(Local root) const {
  return root == giant_ ? static_cast<Name>(world_.rank()) : ranks_ + static_cast<Name>(least_[root]);
}

// Returns the pairs of a tree of this rank and a tree of another that share a vertex. A mirror without a broadcast name
// is in its owner's giant.
std::vector<VertexCutComponents::Pair> VertexCutComponents::broadcast_names() {
  changed_.clear();
  for (Local v = 0; v < graph_.owned(); ++v) {
    label_[v] = static_cast<Vertex>(name_of(tree_[v]));
    if (tree_[v] != giant_) changed_.set_unsynchronized(v);
  }
  exchange_.broadcast({label_.data(), locals_}, changed_);
  std::vector<Pair> pairs;
  for (std::size_t r = 0; r < static_cast<std::size_t>(ranks_); ++r) {
    bool giants = false;
    for (const VertexCut::Kind kind : {VertexCut::only_read, VertexCut::both, VertexCut::only_written})
      for (Local k = 0; k < cut_.mirrors(kind).count[r]; ++k) {
        const Local m = cut_.mirrors(kind).begin[r] + k;
        const Name here = name_of(tree_[m]);
        const Name there = changed_.test(m) ? static_cast<Name>(label_[m]) : static_cast<Name>(r);
        if (here == there || (giants && here < ranks_ && there < ranks_)) continue;
        giants |= here < ranks_ && there < ranks_;
        pairs.push_back({here, there});
      }
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  return pairs;
}

// Unites the trees of all pairs; the label of a set of trees is the least id in it.
void VertexCutComponents::join(const std::vector<Pair>& pairs) {
  std::unordered_map<Name, Name> above;
  std::unordered_map<Name, Vertex> least;  // [least name of a set] least id in it
  const auto top = [&](Name name) {
    Name root = name;
    for (auto at = above.find(root); at != above.end() && at->second != root; at = above.find(root)) root = at->second;
    while (name != root) name = std::exchange(above[name], root);
    return root;
  };
  for (const Pair& pair : world_.all_gather_varying(std::span<const Pair>(pairs))) {
    const Name p = top(pair.one), q = top(pair.other);
    above[std::max(p, q)] = above[std::min(p, q)] = std::min(p, q);
  }
  const std::vector<Vertex> of_giant = world_.all_gather(locals_ > 0 ? least_[giant_] : kMaxVertex);
  for (Name r = 0; r < ranks_; ++r) above.try_emplace(r, r);
  std::vector<Name> names;
  for (const auto& [name, up] : above) names.push_back(name);
  for (const Name name : names) {
    const Vertex id = name < ranks_ ? of_giant[name] : static_cast<Vertex>(name - ranks_);
    MinOf{}(least.try_emplace(top(name), id).first->second, id);
  }
  for (std::size_t v = 0; v < locals_; ++v) {
    if (tree_[v] != static_cast<Local>(v)) continue;
    const auto group = least.find(top(name_of(tree_[v])));
    label_[v] = group != least.end() ? group->second : least_[v];
  }
  for (std::size_t v = 0; v < locals_; ++v) label_[v] = label_[tree_[v]];
}

void VertexCutComponents::propagate() {
  std::copy(id_.begin(), id_.end(), label_.begin());
  changed_.clear();
  for (;;) {
    send_to_members();
    exchange_.reduce({label_.data(), locals_}, changed_);
    if (!world_.any(changed_.any())) break;
    exchange_.broadcast({label_.data(), locals_}, changed_);
    receive_from_members();
  }
}

// Trees take the least of the changed labels of their members.
void VertexCutComponents::receive_from_members() {
  team_.for_range(changed_.words(), kGrain / 64, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t w = a; w < b; ++w)
      for (std::uint64_t bits = std::exchange(changed_.at(w), 0); bits; bits &= bits - 1) {
        const std::size_t v = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
        combine_atomically(least_[tree_[v]], label_[v], MinOf{});
      }
  });
}

// Members take their tree's label.
void VertexCutComponents::send_to_members() {
  team_.for_range(locals_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v)
      if (MinOf{}(label_[v], least_[tree_[v]])) changed_.set(static_cast<Local>(v));
  });
}

void VertexCutComponents::write(ComponentsResult& result) {
  const std::size_t owned = index(graph_.owned());
  if (result.component.size() != owned) result.component = Array<Vertex>(owned);
  Vertex components = 0;
  for (std::size_t v = 0; v < owned; ++v) {
    const std::size_t local = index(graph_.local_of(static_cast<Vertex>(v)));
    result.component[v] = label_[local];
    components += label_[local] == id_[local];
  }
  result.components = world_.sum(components);
}

std::size_t VertexCutComponents::memory_bytes() const {
  return locals_ * (sizeof(Local) + 3 * sizeof(Vertex)) + exchange_.memory_bytes();
}

}  // namespace atl
