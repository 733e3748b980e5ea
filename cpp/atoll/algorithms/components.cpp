// SPDX-License-Identifier: Apache-2.0
// Connected components over ranks: each finds the trees of its own edges, mirrors included, once [1]; from then on a tree
// is one vertex. Labels travel between mirrors and masters, and a label that reaches one vertex of a tree is all of the
// tree's at once: as many rounds as a component has ranks on its longest way, not vertices (label propagation with
// shortcuts).
//
//   in the paper        here              meaning
//   pi                  tree_             a forest over the local vertices, flat once the edges are linked
//   Link                link()
//                       label_            [local] smallest original id that is known; the tree's is its root's
//
// [1] M. Sutton, T. Ben-Nun, A. Barak. "Optimizing parallel graph connectivity computation via subgraph sampling."
// IPDPS 2018 (Afforest; its sampling, of which many ranks' parts are too small to gain, is in components_local.cpp).
#include <atoll/algorithms/components.hpp>
#include <atoll/algorithms/components_local.hpp>
#include <atoll/engine/mirror_exchange.hpp>

namespace atl {

class Components::Search {
 public:
  virtual ~Search() = default;
  virtual void run(ComponentsResult& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

class Components::Alone final : public Search {
 public:
  explicit Alone(const Graph& graph) : local_(graph) {}
  void run(ComponentsResult& result) override { local_.run(result); }
  std::size_t memory_bytes() const override { return local_.memory_bytes(); }

 private:
  ComponentsLocal local_;
};

class Components::Together final : public Search {
 public:
  explicit Together(const Graph& graph)
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        exchange_(graph),
        locals_(static_cast<std::size_t>(graph.locals())),
        tree_(locals_),
        label_(locals_),
        lowered_(graph.locals()),
        told_(graph.locals()) {}

  void run(ComponentsResult& result) override {
    plant();
    lowered_.clear();
    told_.clear();
    for_mirrors([&](Local v) { lowered_.set(v); });
    while (world_.any(lowered_.any())) {
      exchange_.reduce({label_.data(), locals_}, lowered_);
      spread(lowered_);
      told_.take_below(graph_.mirrors().begin[0], lowered_);
      exchange_.broadcast({label_.data(), locals_}, told_);
      spread(told_);
      told_.clear();
    }
    write(result);
  }

  std::size_t memory_bytes() const override {
    return locals_ * (sizeof(Local) + sizeof(Vertex)) + exchange_.memory_bytes();
  }

 private:
  static constexpr std::size_t kGrain = 4096;

  template <class F>
  void for_mirrors(F&& f) {
    const Mirrors& mirrors = graph_.mirrors();
    for (std::size_t r = 0; r < mirrors.count.size(); ++r)
      for (Local k = 0; k < mirrors.count[r]; ++k) f(mirrors.begin[r] + k);
  }
  Local parent(Local v) {
    return std::atomic_ref(tree_[static_cast<std::size_t>(v)]).load(std::memory_order_relaxed);
  }
  Local root(Local v) {
    for (Local above; (above = parent(v)) != v;) v = above;
    return v;
  }
  void link(Local u, Local v) {
    for (Local p = root(u), q = root(v); p != q; p = root(p), q = root(q)) {
      const Local low = std::min(p, q);
      Local high = std::max(p, q);
      if (std::atomic_ref(tree_[static_cast<std::size_t>(high)]).compare_exchange_strong(high, low)) return;
      if (p == low) q = high;
      if (q == low) p = high;
    }
  }

  // The forest of this rank's edges, and each tree's smallest id.
  void plant() {
    team_.for_range(locals_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) tree_[v] = static_cast<Local>(v);
    });
    team_.for_range(static_cast<std::size_t>(graph_.active()), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
        for (const Local u : graph_.out().neighbours(v)) link(v, u);
        if (graph_.directed())
          for (const Local u : graph_.in().neighbours(v)) link(v, u);
      }
    });
    team_.for_range(locals_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        std::atomic_ref(tree_[v]).store(root(static_cast<Local>(v)), std::memory_order_relaxed);
        label_[v] = kUnreachable;
      }
    });
    const auto name = [&](Local v) {
      const Local top = tree_[static_cast<std::size_t>(v)];
      combine_atomically(label_[static_cast<std::size_t>(top)], graph_.id_of(v), MinOf{});
    };
    team_.for_range(static_cast<std::size_t>(graph_.owned()), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) name(static_cast<Local>(v));
    });
    for_mirrors(name);
    take_roots();
  }

  // What vertices have heard is their trees', and so their trees' vertices'.
  void spread(const VertexBits& heard) {
    team_.for_range(heard.words(), kGrain / 64, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t w = a; w < b; ++w)
        for (std::uint64_t bits = heard.at(w); bits; bits &= bits - 1) {
          const std::size_t v = w * 64 + static_cast<std::size_t>(std::countr_zero(bits));
          const auto top = static_cast<std::size_t>(tree_[v]);
          const Vertex label = std::atomic_ref(label_[v]).load(std::memory_order_relaxed);
          if (top != v && combine_atomically(label_[top], label, MinOf{})) lowered_.set(static_cast<Local>(top));
        }
    });
    take_roots();
  }

  void take_roots() {
    team_.for_range(locals_, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t v = a; v < b; ++v) {
        const auto top = static_cast<std::size_t>(tree_[v]);
        const Vertex label = std::atomic_ref(label_[top]).load(std::memory_order_relaxed);
        if (label >= label_[v]) continue;
        label_[v] = label;
        lowered_.set(static_cast<Local>(v));
      }
    });
  }

  void write(ComponentsResult& result) {
    const auto owned = static_cast<std::size_t>(graph_.owned());
    if (result.component.size() != owned) result.component = Array<Vertex>(owned);
    std::atomic<Vertex> firsts{0};
    team_.for_range(owned, kGrain, [&](int, std::size_t a, std::size_t b) {
      Vertex here = 0;
      for (std::size_t v = a; v < b; ++v) {
        const Local local = graph_.local_of(static_cast<Vertex>(v));
        result.component[v] = label_[static_cast<std::size_t>(local)];
        here += result.component[v] == graph_.id_of(local);
      }
      firsts += here;
    });
    result.components = world_.sum(firsts.load());
  }

  const Graph& graph_;
  World& world_;
  Team& team_;
  MirrorExchange<Vertex, MinOf> exchange_;
  const std::size_t locals_;
  Array<Local> tree_;    // [local]
  Array<Vertex> label_;  // [local]
  VertexBits lowered_;   // mirrors since they told their masters, masters since they told their mirrors
  VertexBits told_;
};

Components::Components(const Graph& graph) {
  if (graph.world().size() == 1) {
    search_ = std::make_unique<Alone>(graph);
  } else {
    search_ = std::make_unique<Together>(graph);
  }
}

Components::~Components() = default;

void Components::run(ComponentsResult& result) { search_->run(result); }

std::size_t Components::memory_bytes() const { return search_->memory_bytes(); }

}  // namespace atl
