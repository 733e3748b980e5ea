// SPDX-License-Identifier: Apache-2.0
// Connected components over ranks: each finds a tree with most of its vertices, its giant, by a few edges of each [1].
// A bit for each mirror says whether its master is in its rank's giant: so the vertices apart, when they look at all of
// their edges, join those of all ranks. Every tree has a name: a giant's is its rank's number; of any other, a number
// above those. A rank tells the others the names of its vertices that are in no giant: so all ranks together know which
// trees an edge joins. The few pairs that are left to join are united over a tree of ranks; were they too many for the one
// at its top, the trees pass the least name on, from tree to tree.
//
//   in the paper        here              meaning
//   pi, Link, Compress  forest_           trees of this rank's edges
//   c                   forest_.giant()   tree whose vertices do not look at all of their edges
//                       in_giant_         of every vertex, mirrors included: it is in its rank's giant, and was early
//                       name_             [local] a root's: the least name that its tree is known to be joined to; a
//                                         mirror's: the same of its master's tree
// A vertex apart that hangs on a giant of another rank by its first edge is believed to be done. An edge between two such
// is then seen by neither rank: where giants are left that nothing has joined, all edges are looked at after all.
//
// [1] M. Sutton, T. Ben-Nun, A. Barak. "Optimizing parallel graph connectivity computation via subgraph sampling."
// IPDPS 2018.
#include <algorithm>
#include <atoll/algorithms/components.hpp>
#include <atoll/algorithms/components_cut.hpp>
#include <atoll/algorithms/components_forest.hpp>
#include <atoll/algorithms/joined_names.hpp>
#include <atoll/engine/mirror_bits.hpp>
#include <atoll/engine/mirror_exchange.hpp>
#include <numeric>

namespace atl {

class Components::Search {
 public:
  virtual ~Search() = default;
  virtual void run(ComponentsResult& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

class Components::Alone final : public Search {
 public:
  explicit Alone(const Graph& graph) : graph_(graph), forest_(graph) {}

  void run(ComponentsResult& result) override {
    forest_.sprout();
    forest_.settle(none_);
    const Local giant = forest_.giant();
    const auto id = [&](Local root) { return graph_.ids().id_of(forest_.lowest(root)); };
    forest_.write(giant >= 0 ? id(giant) : kNoVertex, id, result.component);
    result.components = graph_.owned() - graph_.active() + (giant >= 0) + forest_.trees_apart();
  }
  std::size_t memory_bytes() const override { return forest_.memory_bytes(); }

 private:
  const Graph& graph_;
  ComponentForest forest_;
  const VertexBits none_{0};  // no mirrors
};

class Components::Across final : public Search {
 public:
  explicit Across(const Graph& graph) : cut_(graph) {}
  void run(ComponentsResult& result) override { cut_.run(result); }
  std::size_t memory_bytes() const override { return cut_.memory_bytes(); }

 private:
  ComponentsCut cut_;
};

class Components::Together final : public Search {
 public:
  explicit Together(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        forest_(graph),
        exchange_(graph),
        mirror_bits_(graph),
        in_giant_(graph.locals()),
        locals_(static_cast<std::size_t>(graph.locals())),
        name_(locals_),
        beside_(static_cast<std::size_t>(graph.active())),
        told_(graph.locals()),
        ranks_(static_cast<Name>(world_.size())) {
    std::fill(name_.begin(), name_.end(), own_rank());
  }

  void run(ComponentsResult& result) override {
    forest_.sprout();
    tell_giant();
    forest_.settle(in_giant_);
    join_trees();
    if (!all_joined()) {
      for (const Local v : forest_.apart()) name(v) = own_rank();
      forest_.settle_all(in_giant_);
      join_trees();
    }
    write(result);
  }

  std::size_t memory_bytes() const override {
    return forest_.memory_bytes() + locals_ * sizeof(Name) + beside_.size() + mirror_bits_.memory_bytes() +
           exchange_.memory_bytes();
  }

 private:
  /// Unsigned: ids have 63 bits, and ranks are counted below them.
  using Name = JoinedNames::Name;
  struct Pair {
    Name one, other;
    auto operator<=>(const Pair&) const = default;
  };
  /// A mirror in a small tree of this rank.
  struct Hanging {
    Local mirror, root;
    Name name;  // of its master's tree
  };
  struct LeastId {
    Name name;
    Vertex id;
  };
  // Of a small tree: it is beside others of other ranks; it has a name that those have not heard of.
  static constexpr std::uint8_t kTrees = 1, kChanged = 2;

  Name own_rank() const { return static_cast<Name>(world_.rank()); }
  bool is_giant(Name name) const { return name < ranks_; }
  Name& name(Local v) { return name_[static_cast<std::size_t>(v)]; }
  std::uint8_t& beside(Local root) { return beside_[static_cast<std::size_t>(root)]; }
  // Of a small tree of this rank: above all giants', and in the order of the least ids.
  Name own_name(Local root) const { return ranks_ + static_cast<Name>(graph_.ids().id_of(forest_.lowest(root))); }

  void tell_giant() {
    in_giant_.clear();
    const auto active = static_cast<std::size_t>(graph_.active());
    for (std::size_t w = 0; w < (active + 63) / 64; ++w)
      in_giant_.at(w) = active - w * 64 >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << (active - w * 64)) - 1;
    for (const Local v : forest_.apart())
      in_giant_.at(static_cast<std::size_t>(v) / 64) &= ~(std::uint64_t{1} << (v % 64));
    mirror_bits_.broadcast(in_giant_);
  }

  void join_trees() {
    group_.resize(static_cast<std::size_t>(ranks_));
    std::iota(group_.begin(), group_.end(), Name{0});
    names_.clear();
    tell_names();
    look_across();
    const auto pairs = world_.sum(static_cast<double>(joined_.size() + between_.size()));
    if (pairs * sizeof(Pair) <= static_cast<double>(world_.plan().replicated_bytes)) {
      join_all();
    } else {
      join_giants();
      pass_on();
      join_giants();
    }
  }

  // A mirror that nothing was told about is in its rank's giant, early or late.
  Name name_of_mirror(Local m, Name rank) { return told_.test(m) ? name(m) : rank; }

  void tell_names() {
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

  // Which trees the mirrors join: small trees take the least name that they are beside. Of a mirror that is a tree of its
  // own, the master looks at all edges that lead here.
  void look_across() {
    joined_.clear();
    between_.clear();
    hanging_.clear();
    const Mirrors& mirrors = graph_.mirrors();
    const Local giant = forest_.giant();
    for (Name r = 0; r < ranks_; ++r) {
      if (const Local m = forest_.giant_of(r); m >= 0) {
        if (const Local root = forest_.tree(m); root == giant) {
          joined_.push_back({own_rank(), r});
        } else if (root < graph_.active()) {
          hanging_.push_back({m, root, r});
          beside(root) |= kTrees;  // it may be, along an edge that only the others have looked at
        }
      }
      const auto first = static_cast<std::size_t>(mirrors.begin[r]), count = static_cast<std::size_t>(mirrors.count[r]);
      for (std::size_t k = 0; k < count; k += 64) {
        std::uint64_t others = ~in_giant_.at((first + k) / 64);
        if (count - k < 64) others &= (std::uint64_t{1} << (count - k)) - 1;
        for (; others; others &= others - 1) {
          const auto m = static_cast<Local>(first + k + static_cast<std::size_t>(std::countr_zero(others)));
          const Local root = forest_.tree(m);
          if (root == m) continue;
          const Name there = name_of_mirror(m, r);
          if (root != giant) {
            hanging_.push_back({m, root, there});
          } else if (is_giant(there)) {
            joined_.push_back({own_rank(), there});
          }
        }
      }
    }
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
  bool hear(Local root, Name there) {
    Name& here = name(root);
    if (is_giant(there) && is_giant(here) && there != here) joined_.push_back({here, there});
    if (there >= here) return false;
    here = there;
    return true;
  }

  // All trees of a group are known by the least one's name, which is a giant's where there is one.
  void join_all() {
    for (const Pair& pair : between_) names_.join(pair.one, pair.other);
    join_giants();
    for_small_trees([&](Local root) { name(root) = names_.top(beside(root) & kTrees ? own_name(root) : name(root)); });
  }

  void join_giants() {
    for (const Pair& pair : joined_) names_.join(pair.one, pair.other);
    joined_.clear();
    names_.unite(world_, ranks_);
    for (Name r = 0; r < ranks_; ++r) group_[r] = names_.top(r);
  }

  Name group_of(Name giant) const { return group_[giant]; }

  // The same on all ranks.
  bool all_joined() const {
    return std::all_of(group_.begin(), group_.end(), [](Name r) { return r == 0; });
  }

  template <class F>
  void for_small_trees(F&& f) {
    for (const Local v : forest_.apart())
      if (const Local root = forest_.tree(v); root == v && root != forest_.giant()) f(root);
  }

  // Small trees beside small trees of other ranks, until nobody has heard of a lesser name. A tree that is beside giants
  // only has nothing to tell: its own rank sees all of its edges.
  void pass_on() {
    for_small_trees([&](Local root) {
      if (is_giant(name(root))) name(root) = group_of(name(root));
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

  void write(ComponentsResult& result) {
    const Local giant = forest_.giant();
    const Name group = group_of(own_rank());
    Vertex firsts = graph_.owned() - graph_.active() + (giant >= 0 && group == own_rank());
    std::vector<Vertex> least(static_cast<std::size_t>(ranks_), kUnreachable);
    const auto meet = [&](Name name, Vertex id) {
      Vertex& known = least[name];
      known = std::min(known, id);
    };
    if (giant >= 0) meet(group, graph_.ids().id_of(forest_.lowest(giant)));
    for_small_trees([&](Local root) {
      if (is_giant(name(root))) {
        name(root) = group_of(name(root));
        meet(name(root), graph_.ids().id_of(forest_.lowest(root)));
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
    forest_.write(
        id_of(group), [&](Local root) { return id_of(root == giant ? group : name(root)); }, result.component);
    // All values travel where that is shorter: so those that nobody needs are right too, also next time.
    for (const Local v : forest_.apart()) name(v) = own_rank();
  }

  const Graph& graph_;
  World& world_;
  ComponentForest forest_;
  MirrorExchange<Name, MinOf> exchange_;
  MirrorBits mirror_bits_;
  VertexBits in_giant_;
  const std::size_t locals_;
  Array<Name> name_;
  Array<std::uint8_t> beside_;  // [root]
  VertexBits told_;
  const Name ranks_;
  JoinedNames names_;
  std::vector<Name> group_;   // [rank] least giant that its giant is joined to
  std::vector<Pair> joined_;  // giants that are joined, as seen here
  std::vector<Hanging> hanging_;
  std::vector<Pair> between_;  // small trees beside others of other ranks, and what else these are beside
};

Components::Components(const Graph& graph) {
  if (graph.world().size() == 1) {
    search_ = std::make_unique<Alone>(graph);
  } else if (graph.cut().cut() != Cut::edge) {
    search_ = std::make_unique<Across>(graph);
  } else {
    search_ = std::make_unique<Together>(graph);
  }
}

Components::~Components() = default;

void Components::run(ComponentsResult& result) { search_->run(result); }

std::size_t Components::memory_bytes() const { return search_->memory_bytes(); }

}  // namespace atl
