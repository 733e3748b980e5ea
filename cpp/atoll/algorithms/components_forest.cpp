// SPDX-License-Identifier: Apache-2.0
// Connected components by Afforest [1]: link a few neighbours of every vertex, find the tree that has most of them, and
// look at all edges only of the vertices outside it.
//
//   in the paper        here              meaning
//   pi                  parent_           a forest, parent <= vertex; roots point to themselves
//   Link, Compress      link, compress
//   neighbour rounds    start, then link_round
//   c, sampled          giant             root of the largest tree so far
//
// Deviation: the first round is not linked but written, pi(v) = min(v, first neighbour). Lists are sorted by local
// number and the hubs have the smallest ones, so on skewed graphs a vertex's first neighbour is its largest hub, and
// the forest of one round has nearly everything in one tree: no compare-and-swap, no second round. Where the sample
// says otherwise (uniform graphs) one of the paper's rounds follows.
//
// [1] M. Sutton, T. Ben-Nun, A. Barak. "Optimizing parallel graph connectivity computation via subgraph sampling."
// IPDPS 2018.
#include <algorithm>
#include <atoll/algorithms/components_forest.hpp>
#include <atoll/base/random.hpp>
#include <tuple>
#include <utility>
#include <vector>

namespace atl {
namespace {

constexpr std::size_t kSamples = 1024;
// A tree with so large a part of the sample is worth skipping; below, another round is cheaper.
constexpr double kGiant = 0.5;
// Vertices fetched ahead of their link.
constexpr Local kAhead = 16;
// From this share of vertices that hang on a hub on, the others are left to the end, as those outside the giant are.
constexpr double kHung = 0.75;

std::size_t index(Local v) { return static_cast<std::size_t>(v); }

}  // namespace

ComponentForest::ComponentForest(const Graph& graph)
    : graph_(graph),
      team_(graph.world().team()),
      active_(index(graph.active())),
      first_mirror_(graph.world().size() == 1 ? active_ : index(graph.mirrors().begin[0])),
      first_(active_),
      second_(active_),
      parent_(graph.world().size() == 1 ? active_ : index(graph.locals())),
      lowest_(active_),
      apart_(active_),
      giants_(graph.world().size() == 1 ? 0 : static_cast<std::size_t>(graph.world().size()), -1) {
  std::atomic<std::size_t> hung{0};
  team_.for_range(first_.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    std::size_t here = 0;
    for (std::size_t v = a; v < b; ++v) {
      first_[v] = second_[v] = static_cast<Local>(v);
      for (const Csr* lists : {&graph.out(), &graph.in()}) {
        const auto list = lists->neighbours(static_cast<Local>(v));
        if (!list.empty()) first_[v] = std::min(first_[v], list[0]);
        if (list.size() > 1) second_[v] = list[1];
        if (!list.empty() && index(list[0]) >= first_mirror_) second_[v] = list[0];
      }
      here += first_[v] < graph.hubs();
    }
    hung += here;
  });
  hangs_on_hubs_ = static_cast<double>(hung) >= kHung * static_cast<double>(first_.size());
}

// The written round. Hubs first and whole: then one step takes a vertex of the tail from its hub to the root.
void ComponentForest::start() {
  const auto hubs = index(graph_.hubs());
  std::copy(first_.begin(), first_.begin() + hubs, parent_.begin());
  compress(hubs);
  team_.for_range(active_ - hubs, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = hubs + a; v < hubs + b; ++v) {
      const std::size_t first = index(first_[v]);
      parent_[v] = first < hubs ? parent_[first] : static_cast<Local>(first);
    }
  });
  team_.for_range(parent_.size() - first_mirror_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = first_mirror_ + a; v < first_mirror_ + b; ++v) parent_[v] = static_cast<Local>(v);
  });
  if (!hangs_on_hubs_) compress(active_);
}

Local ComponentForest::root_of(Local v) const {
  for (Local above; (above = load(v)) != v;) v = above;
  return v;
}

// The root of v's tree; the way there is shortened. Others may link roots and shorten meanwhile: what is written is an
// ancestor, and only while the number is above it: an ancestor below it would become its own descendant.
Local ComponentForest::find(Local v) {
  const Local parent = load(v), root = root_of(parent);
  for (Local p = parent; p > root; p = load(v)) {
    store(v, root);
    v = p;
  }
  return root;
}

void ComponentForest::compress(std::size_t vertices) {
  // Rising: a parent is below its vertex, so most ways are one step.
  team_.for_range(vertices, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) find(static_cast<Local>(v));
  });
}

// Joins the trees of u and v: the higher root gets the lower one as its parent.
void ComponentForest::link(Local u, Local v) {
  Local p = load(u), q = load(v);
  while (p != q) {
    const Local high = std::max(p, q), low = std::min(p, q);
    Local above = load(high);
    if (above == low) return;
    if (above == high && std::atomic_ref(parent_[index(high)]).compare_exchange_strong(above, low)) return;
    p = load(load(high));
    q = load(low);
  }
}

// The paper's second round, from a column of its own: vertices ahead are known, and fetched.
void ComponentForest::link_round() {
  const auto last = static_cast<Local>(active_) - 1;
  team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
      __builtin_prefetch(parent_.data() + second_[index(std::min(v + kAhead, last))]);
      link(v, second_[index(v)]);
    }
  });
}

std::pair<Local, double> ComponentForest::largest_tree() {
  std::vector<Local> roots(kSamples);
  for (std::size_t i = 0; i < kSamples; ++i) roots[i] = find(static_cast<Local>(random_at(1, i) % active_));
  std::sort(roots.begin(), roots.end());
  Local best = roots[0];
  std::ptrdiff_t most = 0;
  for (auto at = roots.begin(); at != roots.end();) {
    const auto end = std::upper_bound(at, roots.end(), *at);
    if (end - at > most) {
      most = end - at;
      best = *at;
    }
    at = end;
  }
  return {best, static_cast<double>(most) / kSamples};
}

void ComponentForest::collect_apart(Local giant) {
  aparts_ = 0;
  team_.for_range(active_, kGrain, [&](int, std::size_t a, std::size_t b) {
    Local here[kGrain];
    std::size_t count = 0;
    for (std::size_t v = a; v < b; ++v) {
      here[count] = static_cast<Local>(v);
      count += parent_[v] != giant;
    }
    std::copy(here, here + count, apart_.begin() + aparts_.fetch_add(count, std::memory_order_relaxed));
  });
}

void ComponentForest::link_all(Local v) {
  for (const Local u : graph_.out().neighbours(v)) link(v, u);
  if (!graph_.directed()) return;
  for (const Local u : graph_.in().neighbours(v)) link(v, u);
}

// An edge between the giant and the others is in a list of the other end, whatever its direction. On one rank whoever is
// seen in the giant's tree needs no look: if the other end is not in it, that one looks.
void ComponentForest::link_apart(Local giant) {
  const bool alone = giants_.empty();
  team_.for_range(aparts_, kGrain / 16, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i)
      if (!alone || find(apart_[i]) != giant) link_all(apart_[i]);
  });
}

// The mirrors with a bit become one tree for each rank.
void ComponentForest::adopt(const VertexBits& in_giant) {
  const Mirrors& mirrors = graph_.mirrors();
  for (std::size_t r = 0; r < giants_.size(); ++r) {
    giants_[r] = -1;
    const std::size_t first = index(mirrors.begin[r]) / 64, words = (index(mirrors.count[r]) + 63) / 64;
    for (std::size_t w = first; w < first + words && giants_[r] < 0; ++w)
      if (const std::uint64_t bits = in_giant.at(w))
        giants_[r] = static_cast<Local>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
    const Local root = giants_[r];
    team_.for_range(words, kGrain / 64, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t w = first + a; w < first + b; ++w)
        for (std::uint64_t bits = in_giant.at(w); bits; bits &= bits - 1) {
          const auto m = static_cast<Local>(w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
          if (load(m) != m) {
            link(m, root);  // a second neighbour
          } else if (m != root) {
            store(m, root);
          }
        }
    });
  }
}

// Vertices apart whose first neighbour is a mirror in a giant: they join it, and are put behind the others.
void ComponentForest::hang(const VertexBits& in_giant) {
  const auto hangs = [&](Local v) {
    const Local m = second_[index(v)];
    return index(m) >= first_mirror_ && in_giant.test(m);
  };
  const auto begin = apart_.begin(), end = begin + aparts_;
  const auto middle = std::partition(begin, end, [&](Local v) { return !hangs(v); });
  team_.for_range(static_cast<std::size_t>(end - middle), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (const Local* v = middle + a; v != middle + b; ++v) link(*v, second_[index(*v)]);
  });
  hung_ = static_cast<std::size_t>(end - middle);
  aparts_ = static_cast<std::size_t>(middle - begin);
}

// The giants of other ranks that nobody apart has joined to this rank's: the first edge to one does. Mostly a hub has it.
void ComponentForest::join_giants(const VertexBits& in_giant) {
  auto is_left = [&](Local m) { return m >= 0 && find(m) != find(giant_); };
  if (std::none_of(giants_.begin(), giants_.end(), is_left)) return;
  std::atomic<bool> all{false};
  const auto begin = static_cast<Local>(first_mirror_);
  team_.for_range(active_, kGrain / 16, [&](int, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
      if (all.load(std::memory_order_relaxed)) return;
      if (find(v) != find(giant_)) continue;
      bool joined = false;
      auto look = [&](std::span<const Local> list) {
        for (auto at = list.rbegin(); at != list.rend() && *at >= begin; ++at)  // mirrors are at the end
          if (in_giant.test(*at) && find(*at) != find(v)) {
            link(v, *at);
            joined = true;
          }
      };
      look(graph_.out().neighbours(v));
      if (graph_.directed()) look(graph_.in().neighbours(v));
      if (joined && std::none_of(giants_.begin(), giants_.end(), is_left)) all = true;
    }
  });
}

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

Vertex ComponentForest::first_natural_of(Local giant) {
  for (Vertex v = 0;; ++v)
    if (const Local local = graph_.local_of(v); local < graph_.active() && find(local) == giant) return v;
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

void ComponentForest::sprout() {
  aparts_ = 0;
  hung_ = 0;
  trees_apart_ = 0;
  giant_ = -1;
  start();
  if (active_ == 0) return;
  auto [giant, share] = largest_tree();
  if (share < kGiant) {
    link_round();
    compress(active_);
    std::tie(giant, share) = largest_tree();
  }
  giant_ = giant;
  collect_apart(giant);
}

// The masters outside the giant look at all of their edges; then every tree's lowest.
void ComponentForest::settle(const VertexBits& in_giant) {
  if (!giants_.empty()) adopt(in_giant);
  if (active_ == 0) return;
  if (!giants_.empty()) hang(in_giant);
  finish(in_giant);
}

void ComponentForest::settle_all(const VertexBits& in_giant) {
  if (active_ == 0) return;
  aparts_ += std::exchange(hung_, 0);
  finish(in_giant);
}

void ComponentForest::finish(const VertexBits& in_giant) {
  link_apart(giant_);
  if (!giants_.empty()) join_giants(in_giant);
  giant_ = find(giant_);
  // Whoever hangs on a giant is in this rank's own, or in a tree apart.
  if (hung_ > 0 && std::any_of(giants_.begin(), giants_.end(), [&](Local m) { return m >= 0 && find(m) != giant_; }))
    aparts_ += std::exchange(hung_, 0);
  label_apart();
  lowest_[index(giant_)] = static_cast<Local>(first_natural_of(giant_));
}

std::size_t ComponentForest::memory_bytes() const {
  return (first_.size() + second_.size() + parent_.size() + lowest_.size() + apart_.size()) * sizeof(Local);
}

}  // namespace atl
