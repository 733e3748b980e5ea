// SPDX-License-Identifier: Apache-2.0
// Checks distances and parents against the tuples from which the graph was built.
//
// A tuple whose endpoints are both owned by this rank is checked in place. Otherwise the owner of one endpoint sends
// its distance to the owner of the other, which compares. Each vertex keeps the smallest weight of the tuples between
// it and its parent, then sends it with its distance to the parent's owner, which checks the sum.
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/verify/bfs/levels.hpp>
#include <atoll/verify/dense.hpp>
#include <atoll/verify/shortest_paths/path_violations.hpp>
#include <atoll/verify/shortest_paths/shortest_paths.hpp>
#include <atomic>
#include <limits>

namespace atl {
namespace {

using namespace path_violations;

constexpr std::size_t kTupleGrain = 1 << 14;

template <class Real>
class TupleSweep {
 public:
  TupleSweep(const Graph& graph, Vertex source, std::span<const Real> distance, std::span<const Vertex> parent)
      : graph_(graph),
        world_(graph.world()),
        blocks_(graph.blocks(), world_.rank()),
        directed_(graph.directed()),
        distance_(distance),
        parent_id_(parent),
        parent_(dense_of(world_, graph.ids(), parent)),
        least_(blocks_.count(), kUnreached),
        violations_(world_),
        tallies_(static_cast<std::size_t>(world_.team().size())) {
    const auto [owner, owned_index] = graph.find(source);
    root_ = graph.blocks().begin(owner) + owned_index;
  }

  Violation run(const EdgeList& tuples) {
    for_own([&](std::size_t i) { look_at(i); });
    if (const Violation b = first(); b.rule) return b;  // the values cannot be compared
    sweep(tuples);
    check_tree_edges();
    if (const Violation b = first(); b.rule) return b;
    // If distances decrease along every tree edge, the paths end at the source; otherwise the tree must be checked.
    if (world_.any(some_same_distance_.load())) check_tree();
    return first();
  }

  Edge edges_in_component() const {
    Edge all = 0;
    for (const Tally& t : tallies_) all += t.edges;
    return world_.sum(all);
  }

 private:
  static constexpr Real kUnreached = std::numeric_limits<Real>::infinity();

  /// To the owner of one endpoint of a tuple, `at`; `other` is the tuple's source or target.
  struct Look {
    std::uint32_t at, other_is_source;
    Vertex other;
    Real weight, distance;  // of the other end
  };
  /// To the owner of a tuple's source, from a rank that owns neither endpoint.
  struct Ask {
    std::uint32_t at;
    Real weight;
    Vertex target;
  };
  /// To the owner of a parent.
  struct Child {
    std::uint32_t at;
    Real weight, distance;
    Vertex vertex;
  };
  struct alignas(128) Tally {
    Edge edges = 0;
  };

  template <class F>
  void for_own(F&& f) {
    world_.team().for_range(blocks_.count(), kTupleGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) f(i);
    });
  }
  Vertex dense(std::size_t i) const { return blocks_.first() + static_cast<Vertex>(i); }

  void look_at(std::size_t i) {
    const Real d = distance_[i];
    const Vertex v = dense(i), p = parent_id_[i];
    const auto note = [&](PathRule rule) {
      violations_.note({.rule = rule, .a = v, .p = p, .x = static_cast<double>(d)});
    };
    if (v == root_) {
      if (d != 0) note(source_value);
      if (parent_[i] != v) note(source_parent);
      return;
    }
    if (!(d >= 0)) note(value);
    if (d == kUnreached && p != kNoVertex) note(stray_parent);
    if (d < kUnreached && p == kNoVertex) note(no_parent);
  }

  void sweep(const EdgeList& tuples) {
    Mailbox looks(world_, of_records<Look>([&](std::span<const Look> all) {
                    for (const Look& look : all) arrive(look);
                  }),
                  {.handler_sends = false});
    Mailbox asks(world_, of_records<Ask>([&](std::span<const Ask> all) {
                   auto buffers = looks.send_buffers();
                   for (const Ask& ask : all)
                     forward(ask.at, dense(ask.at), ask.target, /*other_is_source=*/false, ask.weight, buffers);
                 }),
                 {.handler_sends = false});
    std::visit(
        [&](const auto& source, const auto& weight) {
          if constexpr (!std::is_same_v<std::decay_t<decltype(weight)>, std::monostate>) {
            const auto& target = std::get<std::decay_t<decltype(source)>>(tuples.target);
            world_.team().for_range(source.size(), kTupleGrain, [&](int, std::size_t a, std::size_t b) {
              auto look_buffers = looks.send_buffers();
              auto ask_buffers = asks.send_buffers();
              for (std::size_t i = a; i < b; ++i)
                deal(static_cast<Vertex>(source[i]), static_cast<Vertex>(target[i]), static_cast<Real>(weight[i]),
                     look_buffers, ask_buffers);
            });
          }
        },
        tuples.source, tuples.weight);
    asks.drain();
    looks.drain();
  }

  template <class Looks, class Asks>
  void deal(Vertex u, Vertex v, Real w, Looks& looks, Asks& asks) {
    if (blocks_.owns(u)) {
      const std::uint32_t at = blocks_.here(u);
      if (!blocks_.owns(v)) return forward(at, u, v, /*other_is_source=*/false, w, looks);
      compare(u, v, distance_[at], distance_[blocks_.here(v)], w);
      join(blocks_.here(v), u, w);
      if (!directed_) join(at, v, w);
    } else if (blocks_.owns(v)) {
      forward(blocks_.here(v), v, u, /*other_is_source=*/true, w, looks);
    } else {
      const Rank owner = blocks_.owner(u);
      asks.send(owner, {blocks_.at(owner, u), w, v});
    }
  }

  /// `v` is owned here; sends its distance to the owner of the other endpoint.
  template <class Buffers>
  void forward(std::uint32_t at, Vertex v, Vertex other, bool other_is_source, Real w, Buffers& buffers) {
    if (!directed_ || other_is_source) join(at, other, w);
    const Rank owner = blocks_.owner(other);
    buffers.send(owner, {blocks_.at(owner, other), !other_is_source, v, w, distance_[at]});
  }

  void arrive(const Look& look) {
    const Vertex v = dense(look.at);
    if (look.other_is_source) {
      compare(look.other, v, look.distance, distance_[look.at], look.weight);
    } else {
      compare(v, look.other, distance_[look.at], look.distance, look.weight);
    }
    if (!directed_ || look.other_is_source) join(look.at, look.other, look.weight);
  }

  void compare(Vertex u, Vertex v, Real du, Real dv, Real w) {
    tallies_[Team::this_thread()].edges += du != kUnreached;
    if (du + w < dv) note_edge(u, v, du, dv, w);
    if (!directed_ && dv + w < du) note_edge(v, u, dv, du, w);
  }
  void note_edge(Vertex u, Vertex v, Real du, Real dv, Real w) {
    violations_.note({.rule = dv < kUnreached ? long_edge : leaving_edge,
                      .a = u,
                      .b = v,
                      .x = static_cast<double>(du),
                      .y = static_cast<double>(dv),
                      .z = static_cast<double>(w)});
  }

  /// Records that a tuple of this weight joins the owned vertex and `other`.
  void join(std::uint32_t at, Vertex other, Real w) {
    if (parent_[at] != other) return;
    const std::atomic_ref least(least_[at]);
    for (Real before = least.load(std::memory_order_relaxed); w < before;)
      if (least.compare_exchange_weak(before, w, std::memory_order_relaxed)) return;
  }

  void check_tree_edges() {
    Mailbox children(world_, of_records<Child>([&](std::span<const Child> all) {
                       for (const Child& child : all) {
                         const Real d = distance_[child.at], sum = d + child.weight;
                         if (sum != child.distance) {
                           violations_.note({.rule = tree_edge,
                                             .a = child.vertex,
                                             .p = graph_.ids().id_of(static_cast<Vertex>(child.at)),
                                             .x = static_cast<double>(child.distance),
                                             .y = static_cast<double>(sum)});
                         } else if (d == child.distance) {
                           some_same_distance_.store(true, std::memory_order_relaxed);
                         }
                       }
                     }),
                     {.handler_sends = false});
    world_.team().for_range(blocks_.count(), kTupleGrain, [&](int, std::size_t a, std::size_t b) {
      auto buffers = children.send_buffers();
      for (std::size_t i = a; i < b; ++i) {
        const Vertex v = dense(i), p = parent_[i];
        if (v == root_ || p == kNoVertex) continue;
        if (least_[i] == kUnreached) {
          violations_.note({.rule = no_edge, .a = v, .p = parent_id_[i]});
        } else {
          const Rank owner = blocks_.owner(p);
          buffers.send(owner, {blocks_.at(owner, p), least_[i], distance_[i], v});
        }
      }
    });
    children.drain();
  }

  void check_tree() {
    Array<std::int32_t> level;
    const BfsTree tree{
        .blocks = &graph_.blocks(), .root = root_, .parents = std::span<const Vertex>(parent_.data(), parent_.size())};
    const bfs_tree::Finding finding = bfs_tree::find_levels(world_, tree, blocks_, level);
    if (finding.flaw != bfs_tree::Flaw::none) violations_.note({.rule = no_path_to_source, .a = finding.a});
  }

  /// With original ids. Collective.
  Violation first() const {
    Violation b = violations_.first();
    for (Vertex* v : {&b.a, &b.b})
      if (b.rule && *v != kNoVertex)
        *v = world_.max(blocks_.owns(*v) ? graph_.ids().id_of(*v - blocks_.first()) : kNoVertex);
    return b;
  }

  const Graph& graph_;
  World& world_;
  const bfs_tree::Ownership blocks_;
  const bool directed_;
  Vertex root_ = 0;                       // dense, like all vertices here except parent_id_
  const std::span<const Real> distance_;  // [own]
  const std::span<const Vertex> parent_id_;
  const Array<Vertex> parent_;
  Array<Real> least_;  // smallest weight of the tuples between a vertex and its parent
  std::atomic<bool> some_same_distance_{false};
  Violations violations_;
  std::vector<Tally> tallies_;
};

}  // namespace

template <class Real>
PathsVerdict verify_sssp(const Graph& graph, Vertex source, std::span<const Real> distance,
                         std::span<const Vertex> parent, const EdgeList& tuples) {
  check_one_for_each(graph, distance.size(), "distances");
  check_one_for_each(graph, parent.size(), "parents");
  check_sums<Real>(graph, tuples.size() > 0 ? tuples.weight.index() : 1);
  TupleSweep<Real> sweep(graph, source, distance, parent);
  const Violation violation = sweep.run(tuples);
  PathsVerdict verdict;
  verdict.ok = violation.rule == 0;
  verdict.what = describe<Real>(violation, graph.directed(), source, "distance", true);
  verdict.edges_in_component = sweep.edges_in_component();
  return verdict;
}
template PathsVerdict verify_sssp(const Graph&, Vertex, std::span<const float>, std::span<const Vertex>,
                                  const EdgeList&);
template PathsVerdict verify_sssp(const Graph&, Vertex, std::span<const double>, std::span<const Vertex>,
                                  const EdgeList&);

}  // namespace atl
