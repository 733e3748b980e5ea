// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/components/labels.hpp>
#include <numeric>

namespace atl {

ComponentLabels::ComponentLabels(const Graph& graph, ComponentForest& forest)
    : graph_(graph),
      world_(graph.world()),
      forest_(forest),
      exchange_(graph),
      locals_(static_cast<std::size_t>(graph.locals())),
      label_(locals_),
      state_(static_cast<std::size_t>(graph.active())),
      changed_(graph.locals()),
      ranks_(static_cast<Label>(world_.size())),
      giant_label_(static_cast<std::size_t>(ranks_)) {
  std::fill(label_.begin(), label_.end(), own_rank());
}

void ComponentLabels::reset() {
  for (const Local v : forest_.outside_giant()) label(v) = own_rank();
}

template <class F>
void ComponentLabels::for_small_trees(F&& f) {
  for (const Local v : forest_.outside_giant())
    if (const Local root = forest_.tree(v); root == v && root != forest_.giant()) f(root);
}

void ComponentLabels::exchange(const VertexBits& in_giant) {
  std::iota(giant_label_.begin(), giant_label_.end(), Label{0});
  union_find_.clear();
  broadcast_labels();
  collect_joins(in_giant);
  lower_labels();
}

double ComponentLabels::pair_bytes() const {
  return world_.sum(static_cast<double>((giant_pairs_.size() + tree_pairs_.size()) * sizeof(Pair)));
}

void ComponentLabels::broadcast_labels() {
  changed_.clear();
  for (const Local v : forest_.outside_giant())
    if (const Local root = forest_.tree(v); root != forest_.giant()) {
      label(v) = own_label(root);
      state(root) = 0;
      changed_.set(v);
    }
  exchange_.broadcast({label_.data(), locals_}, changed_);
  for (const Local v : forest_.outside_giant())
    if (const Local root = forest_.tree(v); root != forest_.giant()) label(root) = own_label(root);
}

// Finds the joins of trees by mirrors. A mirror that is its own root is skipped: its master links its edges to this
// rank.
void ComponentLabels::collect_joins(const VertexBits& in_giant) {
  giant_pairs_.clear();
  crossing_mirrors_.clear();
  const Mirrors& mirrors = graph_.mirrors();
  for (Label r = 0; r < ranks_; ++r) {
    if (const Local m = forest_.giant_of(r); m >= 0)
      if (const Local root = forest_.tree(m); root < graph_.active()) {
        add_join(m, root, r);
        // The tree may border small trees of that rank, by an edge that only that rank has linked.
        if (root != forest_.giant()) state(root) |= kBordersSmall;
      }
    const auto first = static_cast<std::size_t>(mirrors.begin[r]), count = static_cast<std::size_t>(mirrors.count[r]);
    for (std::size_t k = 0; k < count; k += 64) {
      std::uint64_t others = ~in_giant.at((first + k) / 64);
      if (count - k < 64) others &= (std::uint64_t{1} << (count - k)) - 1;
      for (; others; others &= others - 1) {
        const auto m = static_cast<Local>(first + k + static_cast<std::size_t>(std::countr_zero(others)));
        if (const Local root = forest_.tree(m); root != m) add_join(m, root, label_of_mirror(m, r));
      }
    }
  }
}

// `root`: the mirror's tree on this rank; `theirs`: the label of its master's tree.
void ComponentLabels::add_join(Local mirror, Local root, Label theirs) {
  if (root != forest_.giant()) {
    crossing_mirrors_.push_back({mirror, root, theirs});
  } else if (is_giant(theirs)) {
    giant_pairs_.push_back({own_rank(), theirs});
  }
}

// Small trees take the least label among the trees that they are joined to.
void ComponentLabels::lower_labels() {
  tree_pairs_.clear();
  for (const CrossingMirror& h : crossing_mirrors_) {
    if (!is_giant(h.label)) state(h.root) |= kBordersSmall;
    receive(h.root, h.label);
  }
  for (const CrossingMirror& h : crossing_mirrors_)
    if (state(h.root) & kBordersSmall) tree_pairs_.push_back({own_label(h.root), h.label});
  for (auto* pairs : {&giant_pairs_, &tree_pairs_}) {
    std::sort(pairs->begin(), pairs->end());
    pairs->erase(std::unique(pairs->begin(), pairs->end()), pairs->end());
  }
}

// Combines a label into that of a small tree; returns whether it changed. Two giants that border one tree are joined.
bool ComponentLabels::receive(Local root, Label theirs) {
  Label& mine = label(root);
  if (is_giant(theirs) && is_giant(mine) && theirs != mine) giant_pairs_.push_back({mine, theirs});
  if (theirs >= mine) return false;
  mine = theirs;
  return true;
}

// Every tree gets the least label of its component, which is a giant's if the component has one.
void ComponentLabels::join_all() {
  for (const Pair& pair : tree_pairs_) union_find_.join(pair.one, pair.other);
  join_giants();
  for_small_trees(
      [&](Local root) { label(root) = union_find_.top(state(root) & kBordersSmall ? own_label(root) : label(root)); });
}

void ComponentLabels::join_giants() {
  for (const Pair& pair : giant_pairs_) union_find_.join(pair.one, pair.other);
  giant_pairs_.clear();
  union_find_.unite(world_, ranks_);
  for (Label r = 0; r < ranks_; ++r) giant_label_[r] = union_find_.top(r);
}

bool ComponentLabels::giants_are_joined() const {
  return std::all_of(giant_label_.begin(), giant_label_.end(), [](Label r) { return r == 0; });
}

// Propagates the least label between small trees of different ranks until no label changes. A tree that borders only
// giants has nothing to send: its own rank has linked all of its edges.
void ComponentLabels::propagate() {
  for_small_trees([&](Local root) {
    if (is_giant(label(root))) label(root) = giant_label_[label(root)];
    if ((state(root) & kBordersSmall) && label(root) != own_label(root)) state(root) |= kChanged;
  });
  for (;;) {
    changed_.clear();
    double masters = 0;
    for (const Local v : forest_.outside_giant())
      if (const Local root = forest_.tree(v); root != forest_.giant()) {
        label(v) = label(root);
        if (!(state(root) & kChanged)) continue;
        changed_.set(v);
        ++masters;
      }
    if (!world_.any(masters > 0)) return;
    for_small_trees([&](Local root) { state(root) &= static_cast<std::uint8_t>(~kChanged); });
    exchange_.broadcast({label_.data(), locals_}, changed_);
    for (const CrossingMirror& h : crossing_mirrors_)
      if (changed_.test(h.mirror) && receive(h.root, label(h.mirror))) state(h.root) |= kChanged;
  }
}

void ComponentLabels::write(ComponentsResult& result) {
  const Local giant = forest_.giant();
  const Label group = giant_label_[own_rank()];
  Vertex firsts = graph_.owned() - graph_.active() + (giant >= 0 && group == own_rank());
  std::vector<Vertex> least_id_of(static_cast<std::size_t>(ranks_), kUnreachable);
  const auto lower_least = [&](Label label, Vertex id) {
    Vertex& known = least_id_of[label];
    known = std::min(known, id);
  };
  if (giant >= 0) lower_least(group, least_id(giant));
  for_small_trees([&](Local root) {
    if (is_giant(label(root))) {
      label(root) = giant_label_[label(root)];
      lower_least(label(root), least_id(root));
    } else {
      firsts += label(root) == own_label(root);
    }
  });
  result.components = world_.sum(firsts);

  // The least id of each component that has a giant.
  std::vector<LeastId> known;
  for (Label r = 0; r < ranks_; ++r)
    if (const Vertex id = least_id_of[r]; id != kUnreachable) known.push_back({r, id});
  for (const auto& [label, id] : world_.all_gather_varying(std::span<const LeastId>(known))) lower_least(label, id);
  const auto id_of = [&](Label label) {
    return is_giant(label) ? least_id_of[label] : static_cast<Vertex>(label - ranks_);
  };
  forest_.write(id_of(group), [&](Local root) { return id_of(root == giant ? group : label(root)); }, result.component);
  // A broadcast may send all values where that is shorter, so the labels that are not marked as changed must be right
  // too.
  reset();
}

std::size_t ComponentLabels::memory_bytes() const {
  return locals_ * sizeof(Label) + state_.size() + exchange_.memory_bytes();
}

}  // namespace atl
