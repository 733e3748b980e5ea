// SPDX-License-Identifier: Apache-2.0
// Pointer jumping: J. JaJa, "An Introduction to Parallel Algorithms", 1992, section 2.2.
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/verify/bfs/levels.hpp>

namespace atl::bfs_tree {
namespace {

constexpr std::size_t kLevelGrain = 1 << 14;

/// Computes levels from the parents alone. Within a rank, the walk from every vertex leads to its exit: the last vertex
/// of the path whose parent is on another rank. Only exits use pointer jumping between ranks: an exit knows an ancestor
/// and the distance to it, asks the ancestor's owner how far that one has got, and so at least doubles its reach in
/// each round. On one rank nothing is sent.
class Levels {
 public:
  Levels(World& world, const BfsTree& tree, const Ownership& blocks)
      : world_(world), tree_(tree), blocks_(blocks), top_(blocks.count()), level_(blocks.count()) {}

  /// The levels are valid if no flaw is found. Collective.
  Finding compute() {
    for (std::size_t i = 0; i < blocks_.count(); ++i) top_[i] = kUnknown;
    for (std::size_t i = 0; i < blocks_.count(); ++i)
      if (top_[i] == kUnknown) walk(static_cast<std::uint32_t>(i));
    reach_.resize(exits_.size());
    for (std::size_t e = 0; e < exits_.size(); ++e) reach_[e] = {tree_.parents[exits_[e]], 1};
    while (world_.any(!settled())) jump();
    world_.collective_try([&] {
      for (std::size_t i = 0; i < blocks_.count(); ++i) {
        const std::uint32_t t = top_[i];
        if (t == kKnown || t == kNotReached) continue;
        if (t < kNotReached && reach_[t].ancestor == kAtRoot) {
          const std::int64_t level = std::int64_t{level_[i]} + reach_[t].distance;
          check(level <= kMaxDepth,
                "the tree is {} levels deep (at most {} can be verified). Leave the verification out.", level,
                kMaxDepth);
          level_[i] = static_cast<std::int32_t>(level);
        } else {
          worst_.note({Flaw::cycle, blocks_.first() + static_cast<Vertex>(i), tree_.parents[i]});
        }
      }
    });
    return world_.fold(worst_, [](const Finding& a, const Finding& b) { return b < a ? b : a; });
  }
  Array<std::int32_t> take() { return std::move(level_); }

 private:
  // top_[v]: index of v's exit, or one of
  static constexpr std::uint32_t kUnknown = UINT32_MAX, kOnPath = UINT32_MAX - 1, kLost = UINT32_MAX - 2,
                                 kKnown = UINT32_MAX - 3, kNotReached = UINT32_MAX - 4;
  // instead of an ancestor
  static constexpr Vertex kAtRoot = -2, kNever = -3, kOrphan = -4;
  struct Reach {
    Vertex ancestor;  // or why there is none
    std::int64_t distance;
  };

  /// Gives every vertex from `v` up a top: its exit, the root, or none.
  void walk(std::uint32_t v) {
    path_.clear();
    while (top_[v] == kUnknown) {
      const Vertex p = tree_.parents[v];
      level_[v] = 0;
      if (p == kNoVertex) {
        top_[v] = kNotReached;
        level_[v] = kOutside;
      } else if (blocks_.first() + static_cast<Vertex>(v) == tree_.root) {
        top_[v] = kKnown;
      } else if (!blocks_.owns(p)) {
        top_[v] = static_cast<std::uint32_t>(exits_.size());
        exits_.push_back(v);
      } else {
        top_[v] = kOnPath;
        path_.push_back(v);
        v = blocks_.here(p);
      }
    }
    if (path_.empty()) return;
    std::uint32_t top = top_[v];
    if (top == kNotReached) {
      worst_.note({Flaw::orphan, blocks_.first() + static_cast<Vertex>(path_.back()), tree_.parents[path_.back()]});
      top = kLost;
    }
    if (top == kOnPath) top = kLost;
    std::int32_t level = top == kLost ? 0 : level_[v];
    for (auto x = path_.rbegin(); x != path_.rend(); ++x) {
      top_[*x] = top;
      level_[*x] = ++level;
    }
  }

  bool settled() const {
    for (const Reach& r : reach_)
      if (r.ancestor >= 0) return false;
    return true;
  }

  void jump() {
    struct Ask {
      std::uint32_t at, exit;
    };
    struct Answer {
      std::int64_t ancestor;
      std::uint32_t exit, distance;
    };
    std::vector<Reach> next = reach_;  // queries see the state at the beginning of the round
    const std::int64_t most = std::min<std::int64_t>(blocks_.n(), kMaxDepth);
    Mailbox answers(world_, of_records<Answer>([&](const Answer& a) {
                      Reach& reach = next[a.exit];
                      if (a.ancestor == kOrphan && reach.distance == 1) {
                        const std::uint32_t v = exits_[a.exit];
                        worst_.note({Flaw::orphan, blocks_.first() + static_cast<Vertex>(v), tree_.parents[v]});
                      }
                      reach.distance += a.distance;
                      reach.ancestor = a.ancestor == kOrphan || reach.distance >= most ? kNever : a.ancestor;
                    }),
                    {.handling = Handling::serial, .handler_sends = false});
    Mailbox asks(world_, of_records<Ask>([&](Rank from, std::span<const Ask> questions) {
                   auto buffers = answers.send_buffers();
                   for (const Ask& q : questions) buffers.send(from, answer<Answer>(q.at, q.exit));
                 }),
                 {.handler_sends = false});
    auto buffers = asks.send_buffers();
    for (std::size_t e = 0; e < reach_.size(); ++e) {
      if (reach_[e].ancestor < 0) continue;
      const Rank owner = blocks_.owner(reach_[e].ancestor);
      buffers.send(owner, {blocks_.at(owner, reach_[e].ancestor), static_cast<std::uint32_t>(e)});
    }
    asks.drain();
    answers.drain();
    reach_.swap(next);
  }

  template <class Answer>
  Answer answer(std::uint32_t v, std::uint32_t exit) const {
    const std::uint32_t top = top_[v];
    if (top == kNotReached) return {kOrphan, exit, 0};
    if (top == kLost) return {kNever, exit, 0};
    const auto level = static_cast<std::uint32_t>(level_[v]);
    if (top == kKnown) return {kAtRoot, exit, level};
    return {reach_[top].ancestor, exit, static_cast<std::uint32_t>(level + reach_[top].distance)};
  }

  World& world_;
  const BfsTree& tree_;
  const Ownership& blocks_;
  Array<std::uint32_t> top_;
  Array<std::int32_t> level_;  // distance to the top until the end
  std::vector<std::uint32_t> exits_, path_;
  std::vector<Reach> reach_;  // [exit]
  Finding worst_;
};

}  // namespace

bool depths_hold(World& world, const BfsTree& tree, const Ownership& blocks) {
  std::atomic<bool> good{true};
  const auto wrong = [&] { good.store(false, std::memory_order_relaxed); };
  struct Child {
    std::uint32_t parent, depth;
  };
  Mailbox box(world, of_records<Child>([&](std::span<const Child> children) {
                for (const Child& c : children)
                  // Not depths + 1: a given depth may have any value, also the greatest.
                  if (tree.depths[c.parent] != static_cast<std::int64_t>(c.depth) - 1) wrong();
              }),
              {.handler_sends = false});
  world.team().for_range(blocks.count(), kLevelGrain, [&](int, std::size_t a, std::size_t b) {
    auto buffers = box.send_buffers();
    for (std::size_t i = a; i < b; ++i) {
      const Vertex v = blocks.first() + static_cast<Vertex>(i), p = tree.parents[i];
      const std::int64_t depth = tree.depths[i];
      if (p == kNoVertex) {
        if (depth != kUnreachable) wrong();
      } else if (v == tree.root) {
        if (depth != 0) wrong();
      } else if (depth < 1 || depth > kMaxDepth) {
        wrong();
      } else if (blocks.owns(p)) {
        if (tree.depths[blocks.here(p)] != depth - 1) wrong();
      } else {
        const Rank owner = blocks.owner(p);
        buffers.send(owner, {blocks.at(owner, p), static_cast<std::uint32_t>(depth)});
      }
    }
  });
  box.drain();
  return world.all(good.load());
}

Finding find_levels(World& world, const BfsTree& tree, const Ownership& blocks, Array<std::int32_t>& level) {
  Levels levels(world, tree, blocks);
  const Finding finding = levels.compute();
  level = levels.take();
  return finding;
}

}  // namespace atl::bfs_tree
