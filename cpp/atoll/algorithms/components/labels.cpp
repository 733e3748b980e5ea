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
      name_(locals_),
      beside_(static_cast<std::size_t>(graph.active())),
      told_(graph.locals()),
      ranks_(static_cast<Name>(world_.size())),
      group_(static_cast<std::size_t>(ranks_)) {
  std::fill(name_.begin(), name_.end(), own_rank());
}

void ComponentLabels::forget() {
  for (const Local v : forest_.apart()) name(v) = own_rank();
}

template <class F>
void ComponentLabels::for_small_trees(F&& f) {
  for (const Local v : forest_.apart())
    if (const Local root = forest_.tree(v); root == v && root != forest_.giant()) f(root);
}

void ComponentLabels::learn(const VertexBits& in_giant) {
  std::iota(group_.begin(), group_.end(), Name{0});
  names_.clear();
  tell_names();
  look_across(in_giant);
  settle_hanging();
}

double ComponentLabels::pair_bytes() const {
  return world_.sum(static_cast<double>((joined_.size() + between_.size()) * sizeof(Pair)));
}

void ComponentLabels::tell_names() {
  told_.clear();
  for (const Local v : forest_.apart())
    if (const Local root = forest_.tree(v); root != forest_.giant()) {
      name(v) = own_name(root);
      beside(root) = 0;
      told_.set(v);
    }
  exchange_.broadcast({name_.data(), locals_}, told_);
  for (const Local v : forest_.apart())
    if (const Local root = forest_.tree(v); root != forest_.giant()) name(root) = own_name(root);
}

// Which trees the mirrors join. Of a mirror that is a tree of its own, the master looks at all edges that lead here.
void ComponentLabels::look_across(const VertexBits& in_giant) {
  joined_.clear();
  hanging_.clear();
  const Mirrors& mirrors = graph_.mirrors();
  for (Name r = 0; r < ranks_; ++r) {
    if (const Local m = forest_.giant_of(r); m >= 0)
      if (const Local root = forest_.tree(m); root < graph_.active()) {
        look_at(m, root, r);
        // It may be beside others of that rank, along an edge that only the others have looked at.
        if (root != forest_.giant()) beside(root) |= kTrees;
      }
    const auto first = static_cast<std::size_t>(mirrors.begin[r]), count = static_cast<std::size_t>(mirrors.count[r]);
    for (std::size_t k = 0; k < count; k += 64) {
      std::uint64_t others = ~in_giant.at((first + k) / 64);
      if (count - k < 64) others &= (std::uint64_t{1} << (count - k)) - 1;
      for (; others; others &= others - 1) {
        const auto m = static_cast<Local>(first + k + static_cast<std::size_t>(std::countr_zero(others)));
        if (const Local root = forest_.tree(m); root != m) look_at(m, root, name_of_mirror(m, r));
      }
    }
  }
}

// `root` and `there`: the tree that the mirror is in here, and the name of that which its master is in.
void ComponentLabels::look_at(Local mirror, Local root, Name there) {
  if (root != forest_.giant()) {
    hanging_.push_back({mirror, root, there});
  } else if (is_giant(there)) {
    joined_.push_back({own_rank(), there});
  }
}

// Small trees take the least name that they are beside.
void ComponentLabels::settle_hanging() {
  between_.clear();
  for (const Hanging& h : hanging_) {
    if (!is_giant(h.name)) beside(h.root) |= kTrees;
    hear(h.root, h.name);
  }
  for (const Hanging& h : hanging_)
    if (beside(h.root) & kTrees) between_.push_back({own_name(h.root), h.name});
  for (auto* pairs : {&joined_, &between_}) {
    std::sort(pairs->begin(), pairs->end());
    pairs->erase(std::unique(pairs->begin(), pairs->end()), pairs->end());
  }
}

// Whether the small tree has another name now. Two giants that are beside one tree are joined.
bool ComponentLabels::hear(Local root, Name there) {
  Name& here = name(root);
  if (is_giant(there) && is_giant(here) && there != here) joined_.push_back({here, there});
  if (there >= here) return false;
  here = there;
  return true;
}

// All trees of a group are known by the least one's name, which is a giant's where there is one.
void ComponentLabels::join_all() {
  for (const Pair& pair : between_) names_.join(pair.one, pair.other);
  join_giants();
  for_small_trees([&](Local root) { name(root) = names_.top(beside(root) & kTrees ? own_name(root) : name(root)); });
}

void ComponentLabels::join_giants() {
  for (const Pair& pair : joined_) names_.join(pair.one, pair.other);
  joined_.clear();
  names_.unite(world_, ranks_);
  for (Name r = 0; r < ranks_; ++r) group_[r] = names_.top(r);
}

bool ComponentLabels::giants_are_joined() const {
  return std::all_of(group_.begin(), group_.end(), [](Name r) { return r == 0; });
}

// Small trees beside small trees of other ranks, until nobody has heard of a lesser name. A tree that is beside giants
// only has nothing to tell: its own rank sees all of its edges.
void ComponentLabels::pass_on() {
  for_small_trees([&](Local root) {
    if (is_giant(name(root))) name(root) = group_[name(root)];
    if ((beside(root) & kTrees) && name(root) != own_name(root)) beside(root) |= kChanged;
  });
  for (;;) {
    told_.clear();
    double masters = 0;
    for (const Local v : forest_.apart())
      if (const Local root = forest_.tree(v); root != forest_.giant()) {
        name(v) = name(root);
        if (!(beside(root) & kChanged)) continue;
        told_.set(v);
        ++masters;
      }
    if (!world_.any(masters > 0)) return;
    for_small_trees([&](Local root) { beside(root) &= static_cast<std::uint8_t>(~kChanged); });
    exchange_.broadcast({name_.data(), locals_}, told_);
    for (const Hanging& h : hanging_)
      if (told_.test(h.mirror) && hear(h.root, name(h.mirror))) beside(h.root) |= kChanged;
  }
}

void ComponentLabels::write(ComponentsResult& result) {
  const Local giant = forest_.giant();
  const Name group = group_[own_rank()];
  Vertex firsts = graph_.owned() - graph_.active() + (giant >= 0 && group == own_rank());
  std::vector<Vertex> least(static_cast<std::size_t>(ranks_), kUnreachable);
  const auto meet = [&](Name name, Vertex id) {
    Vertex& known = least[name];
    known = std::min(known, id);
  };
  if (giant >= 0) meet(group, least_id(giant));
  for_small_trees([&](Local root) {
    if (is_giant(name(root))) {
      name(root) = group_[name(root)];
      meet(name(root), least_id(root));
    } else {
      firsts += name(root) == own_name(root);
    }
  });
  result.components = world_.sum(firsts);

  // The least id of each group of giants and what hangs on them.
  std::vector<LeastId> known;
  for (Name r = 0; r < ranks_; ++r)
    if (const Vertex id = least[r]; id != kUnreachable) known.push_back({r, id});
  for (const auto& [name, id] : world_.all_gather_varying(std::span<const LeastId>(known))) meet(name, id);
  const auto id_of = [&](Name name) { return is_giant(name) ? least[name] : static_cast<Vertex>(name - ranks_); };
  forest_.write(id_of(group), [&](Local root) { return id_of(root == giant ? group : name(root)); }, result.component);
  // All values travel where that is shorter: so those that nobody needs are right too, also next time.
  forget();
}

std::size_t ComponentLabels::memory_bytes() const {
  return locals_ * sizeof(Name) + beside_.size() + exchange_.memory_bytes();
}

}  // namespace atl
