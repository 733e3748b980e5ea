// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/array.hpp>
#include <atoll/base/random.hpp>
#include <atoll/runtime/mailbox.hpp>
#include <atoll/verify/bfs_tree.hpp>
#include <atoll/verify/dense.hpp>
#include <tuple>

// The rules: Graph500 specification 2.0, 2017, section "Validation".
// Pointer jumping: J. JaJa, "An Introduction to Parallel Algorithms", 1992, section 2.2.

namespace atl {
namespace {

/// What can be wrong, in the order in which it is reported.
enum class Flaw : int {
  root_parent,   // rule 1
  outside,       // rule 1: the parent is no vertex
  second_root,   // rule 1
  orphan,        // rule 1: the parent is not in the tree
  cycle,         // rule 1
  depth,         // rule 2
  long_edge,     // rule 3
  leaving_edge,  // rule 4
  no_edge,       // rule 5
  none
};

struct Finding {
  Flaw flaw = Flaw::none;
  Vertex a = kNoVertex, b = kNoVertex;  // the edge, or the vertex and its parent
  std::int64_t x = 0, y = 0;            // levels or depths that go with them

  bool operator<(const Finding& other) const { return std::tie(flaw, a, b) < std::tie(other.flaw, other.a, other.b); }
  void note(const Finding& other) {
    if (other < *this) *this = other;
  }
};

constexpr std::int64_t kMaxDepth = (std::int64_t{1} << 31) - 4;

/// Who owns what, seen from one rank.
class Ownership {
 public:
  Ownership(const Blocks& blocks, Rank rank) : blocks_(blocks), first_(blocks.begin(rank)), count_(blocks.size(rank)) {}
  Vertex n() const { return blocks_.count(); }
  Vertex first() const { return first_; }
  std::size_t count() const { return static_cast<std::size_t>(count_); }
  bool owns(Vertex v) const { return static_cast<std::uint64_t>(v - first_) < static_cast<std::uint64_t>(count_); }
  std::uint32_t here(Vertex v) const { return static_cast<std::uint32_t>(v - first_); }
  Rank owner(Vertex v) const { return blocks_.owner(v); }
  std::uint32_t at(Rank owner, Vertex v) const { return static_cast<std::uint32_t>(v - blocks_.begin(owner)); }

 private:
  const Blocks& blocks_;
  const Vertex first_, count_;
};

/// One Finding per thread, on lines of their own, and their least.
class Findings {
 public:
  explicit Findings(World& world) : world_(world), mine_(static_cast<std::size_t>(world.team().size())) {}
  void note(const Finding& finding) { mine_[static_cast<std::size_t>(Team::this_thread())].finding.note(finding); }
  /// Collective: the least of all ranks.
  Finding worst() {
    Finding least;
    for (const Padded& p : mine_) least.note(p.finding);
    return world_.fold(least, [](const Finding& a, const Finding& b) { return b < a ? b : a; });
  }

 private:
  struct alignas(128) Padded {
    Finding finding;
  };
  World& world_;
  std::vector<Padded> mine_;
};

constexpr std::size_t kGrain = 1 << 14;

/// What one look at each vertex tells.
Finding check_parents(World& world, const BfsTree& tree, const Ownership& blocks) {
  Findings findings(world);
  world.team().for_range(blocks.count(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) {
      const Vertex v = blocks.first() + static_cast<Vertex>(i), p = tree.parents[i];
      if (v == tree.root) {
        if (p != v) findings.note({Flaw::root_parent, v, p});
      } else if (p < kNoVertex || p >= blocks.n()) {
        findings.note({Flaw::outside, v, p});
      } else if (p == v) {
        findings.note({Flaw::second_root, v, p});
      }
    }
  });
  return findings.worst();
}

/// Whether the given depths are the tree's levels: 0 at the root alone, and one more than the parent's. As depths fall
/// along parents down to the only 0, there is no cycle either.
bool depths_hold(World& world, const BfsTree& tree, const Ownership& blocks) {
  std::atomic<bool> good{true};
  const auto wrong = [&] { good.store(false, std::memory_order_relaxed); };
  struct Child {
    std::uint32_t parent, depth;
  };
  Mailbox box(world, of_records<Child>([&](std::span<const Child> children) {
                for (const Child& c : children)
                  // Not depths + 1: a given depth may be anything, the greatest number too.
                  if (tree.depths[c.parent] != static_cast<std::int64_t>(c.depth) - 1) wrong();
              }),
              {.handler_sends = false});
  world.team().for_range(blocks.count(), kGrain, [&](int, std::size_t a, std::size_t b) {
    auto lanes = box.lanes();
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
        lanes.send(owner, {blocks.at(owner, p), static_cast<std::uint32_t>(depth)});
      }
    }
  });
  box.drain();
  return world.all(good.load());
}

/// Levels from the parents alone.
///
/// Inside a rank every vertex is walked up to its EXIT, the last vertex of its path whose parent is elsewhere; then only
/// exits jump over ranks. An exit knows an ancestor and the distance to it, asks the ancestor's owner how far that one
/// has got, and so at least doubles its reach in each round. On one rank nothing is sent.
class Levels {
 public:
  Levels(World& world, const BfsTree& tree, const Ownership& blocks)
      : world_(world), tree_(tree), blocks_(blocks), top_(blocks.count()), level_(blocks.count()) {}

  /// kOutside where not reached.
  static constexpr std::int32_t kOutside = INT32_MAX;

  /// Collective. The levels are good if this finds no flaw.
  Finding compute() {
    for (std::size_t i = 0; i < blocks_.count(); ++i) top_[i] = kUnknown;
    for (std::size_t i = 0; i < blocks_.count(); ++i)
      if (top_[i] == kUnknown) walk(static_cast<std::uint32_t>(i));
    reach_.resize(exits_.size());
    for (std::size_t e = 0; e < exits_.size(); ++e) reach_[e] = {tree_.parents[exits_[e]], 1};
    while (world_.any(!settled())) jump();
    world_.together([&] {
      for (std::size_t i = 0; i < blocks_.count(); ++i) {
        const std::uint32_t t = top_[i];
        if (t == kKnown || t == kNotReached) continue;
        if (t < kNotReached && reach_[t].ancestor == kAtRoot) {
          const std::int64_t level = std::int64_t{level_[i]} + reach_[t].distance;
          check(level <= kMaxDepth, "the tree is {} levels deep (at most {} can be verified).", level, kMaxDepth);
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
  // top_[v]: number of v's exit, or one of
  static constexpr std::uint32_t kUnknown = UINT32_MAX, kOnPath = UINT32_MAX - 1, kLost = UINT32_MAX - 2,
                                 kKnown = UINT32_MAX - 3, kNotReached = UINT32_MAX - 4;
  // in place of an ancestor
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
    std::vector<Reach> next = reach_;  // questions see the state of the round's beginning
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
                   auto lanes = answers.lanes();
                   for (const Ask& q : questions) lanes.send(from, answer<Answer>(q.at, q.exit));
                 }),
                 {.handler_sends = false});
    auto lanes = asks.lanes();
    for (std::size_t e = 0; e < reach_.size(); ++e) {
      if (reach_[e].ancestor < 0) continue;
      const Rank owner = blocks_.owner(reach_[e].ancestor);
      lanes.send(owner, {blocks_.at(owner, reach_[e].ancestor), static_cast<std::uint32_t>(e)});
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

/// Rules 3, 4 and 5: every tuple against the levels of its ends.
/// A tuple whose ends have one owner, here, is checked in place. Else the first end's owner looks up its level and
/// sends it to the other end's owner, who compares. A byte per vertex notes that its tree edge was seen.
///
/// A vertex' Word is its level and the low byte of its parent's number, so that one look tells also, in 255 cases of
/// 256, that a tuple is no tree edge. 16 bits where levels fit a byte: two bytes per vertex stay in the caches.
template <class Word>
class Sweep {
 public:
  static constexpr std::int64_t kOut = std::numeric_limits<Word>::max() >> (sizeof(Word) == 8 ? 33 : 8);
  static constexpr std::int64_t kDeepest = std::min<std::int64_t>(kOut - 2, kMaxDepth);  // kOut is far from any
  static Word word_of(std::int32_t level, Vertex parent) {
    const auto l = static_cast<std::uint64_t>(level == Levels::kOutside ? kOut : level);
    return static_cast<Word>(l << 8 | (static_cast<std::uint64_t>(parent) & 0xFF));
  }

  Sweep(World& world, const BfsTree& tree, const Ownership& blocks, std::span<const Word> word)
      : world_(world),
        tree_(tree),
        blocks_(blocks),
        directed_(tree.tuples != TupleKind::undirected),  // both ways: the rules for each way together bind both ends
        word_(word),
        seen_(blocks.count(), 0),
        findings_(world),
        tallies_(static_cast<std::size_t>(world.team().size())) {}

  /// Collective; fills the counts of the report.
  Finding run(const Tuples& tuples, BfsTreeReport& report) {
    Mailbox box(world_, of_records<Hop>([this](Rank, std::span<const Hop> hops) { arrive(hops); }));
    box_send_ = [](void* b, Rank to, const Hop& hop) { static_cast<decltype(box)*>(b)->send(to, hop); };
    box_ = &box;
    std::visit(
        [&](const auto& from) {
          world_.team().for_range(tuples.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
            auto lanes = box.lanes();
            for (; a < b; a += kBatch) batch(from, a, std::min(kBatch, b - a), lanes);
          });
        },
        tuples.from());
    box.drain();

    world_.team().for_range(blocks_.count(), kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) {
        const Vertex v = blocks_.first() + static_cast<Vertex>(i);
        if (level_at(i) != kOut && !seen_[i] && v != tree_.root) findings_.note({Flaw::no_edge, v, tree_.parents[i]});
      }
    });
    Tally all;
    for (const Tally& t : tallies_) {
      all.edges += t.edges;
      all.loops += t.loops;
    }
    report.loops_in_component = world_.sum(all.loops);
    report.edges_in_component = world_.sum(all.edges);
    if (tree_.tuples == TupleKind::both_ways)
      report.edges_in_component = (report.edges_in_component + report.loops_in_component) / 2;
    return findings_.worst();
  }

 private:
  static constexpr std::size_t kBatch = 1024;
  struct alignas(128) Tally {
    Edge edges = 0, loops = 0;
  };
  /// To the owner of one end. code: kAsk: you own the source `at`; look it up and tell the owner of `other`. Else
  /// twice the level of `other` (kOutCode if outside), plus one if `other` is the target.
  struct Hop {
    std::uint32_t at, code;
    Vertex other;
  };
  static constexpr std::uint32_t kAsk = UINT32_MAX, kOutCode = 0x7FFFFFFE;

  template <class Id, class Lanes>
  void batch(const Tuples::Columns<Id>& columns, std::size_t first, std::size_t count, Lanes& lanes) {
    const auto source = columns.source.subspan(first, count), target = columns.target.subspan(first, count);
    if constexpr (std::is_same_v<Id, std::uint32_t>)
      if (world_.size() == 1) return check_here(source, target);
    deal(source, target, lanes);
  }
  template <class Lanes>
  void batch(const Tuples::Read& read, std::size_t first, std::size_t count, Lanes& lanes) {
    Vertex source[kBatch], target[kBatch];
    read(first, std::span(source, count), std::span(target, count));
    deal(std::span<const Vertex>(source, count), std::span<const Vertex>(target, count), lanes);
  }

  /// Keeps the tuples with both ends here and sends the others off.
  template <class Id, class Lanes>
  void deal(std::span<const Id> source, std::span<const Id> target, Lanes& lanes) {
    std::uint32_t s[kBatch], t[kBatch];
    std::size_t here = 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
      const auto u = static_cast<Vertex>(source[i]), v = static_cast<Vertex>(target[i]);
      if (blocks_.owns(u)) {
        if (blocks_.owns(v)) {
          s[here] = blocks_.here(u);
          t[here++] = blocks_.here(v);
        } else {
          pass_on(blocks_.here(u), u, v, /*other_is_target=*/0, lanes);
        }
      } else if (blocks_.owns(v)) {
        pass_on(blocks_.here(v), v, u, /*other_is_target=*/1, lanes);
      } else {
        const Rank owner = blocks_.owner(u);
        lanes.send(owner, {blocks_.at(owner, u), kAsk, v});
      }
    }
    check_here(std::span<const std::uint32_t>(s, here), std::span<const std::uint32_t>(t, here));
  }

  /// `v` is here; tells the owner of its other end.
  template <class Lanes>
  void pass_on(std::uint32_t at, Vertex v, Vertex other, std::uint32_t is_target, Lanes& lanes) {
    const std::int64_t level = level_at(at);
    if (directed_ && !is_target && level == kOut) return;  // an edge that starts outside binds nobody
    if ((!directed_ || is_target) && tree_.parents[at] == other) see(at);
    const Rank owner = blocks_.owner(other);
    const std::uint32_t code = level == kOut ? kOutCode : static_cast<std::uint32_t>(level);
    lanes.send(owner, {blocks_.at(owner, other), code << 1 | is_target, v});
  }

  void arrive(std::span<const Hop> hops) {
    struct Lanes {  // the mailbox's type is not known here
      Sweep& sweep;
      void send(Rank to, const Hop& hop) { sweep.box_send_(sweep.box_, to, hop); }
    } lanes{*this};
    Tally& tally = tallies_[static_cast<std::size_t>(Team::this_thread())];
    for (const Hop& h : hops) {
      const Vertex v = blocks_.first() + h.at;
      if (h.code == kAsk) {
        pass_on(h.at, v, h.other, 0, lanes);
        continue;
      }
      const bool other_is_target = h.code & 1;
      const std::uint32_t code = h.code >> 1;
      const std::int64_t level = level_at(h.at), here = level == kOut ? kOutCode : level;
      const std::int64_t ls = other_is_target ? here : code, lt = other_is_target ? code : here;
      const std::int64_t d = lt - ls;
      tally.edges += ls != kOutCode;
      tally.loops += v == h.other && ls != kOutCode;
      if (d > 1 || (d < -1 && !directed_))
        note_edge(other_is_target ? v : h.other, other_is_target ? h.other : v, ls, lt, kOutCode);
      // `at` may be the child of `other`; the other way round the first owner has looked.
      if (d == (other_is_target ? -1 : 1) && (!directed_ || !other_is_target) && tree_.parents[h.at] == h.other)
        see(h.at);
    }
  }

  /// Tuples with both ends here, by place. First words only, without branches; then the parents of those that could
  /// be tree edges.
  void check_here(std::span<const std::uint32_t> source, std::span<const std::uint32_t> target) {
    if (directed_) {
      check_here<true>(source, target);
    } else {
      check_here<false>(source, target);
    }
  }
  template <bool Directed>
  void check_here(std::span<const std::uint32_t> source, std::span<const std::uint32_t> target) {
    std::uint32_t child[kBatch + 1], parent[kBatch + 1];
    std::size_t candidates = 0;
    std::uint32_t edges = 0, loops = 0;
    bool bad = false;
    const Word* const word = word_.data();
    const auto first = static_cast<std::uint32_t>(blocks_.first());
    for (std::size_t i = 0; i < source.size(); ++i) {
      const std::uint32_t s = source[i], t = target[i];
      const Word ws = word[s], wt = word[t];
      const auto d = static_cast<std::int32_t>(wt >> 8) - static_cast<std::int32_t>(ws >> 8);
      const bool inside = static_cast<std::int64_t>(ws >> 8) != kOut;
      edges += inside;
      loops += (s == t) & inside;
      bad |= Directed ? d > 1 : static_cast<std::uint32_t>(d + 1) > 2;
      const bool down = (d == 1) & ((((first + s) ^ wt) & 0xFF) == 0);  // t may be the child of s
      const bool up = !Directed & (d == -1) & ((((first + t) ^ ws) & 0xFF) == 0);
      child[candidates] = down ? t : s;
      parent[candidates] = down ? s : t;
      candidates += down | up;
    }
    const Vertex* const parents = tree_.parents.data();
    for (std::size_t c = 0; c < candidates; ++c)
      if (parents[child[c]] == blocks_.first() + parent[c]) see(child[c]);
    Tally& tally = tallies_[static_cast<std::size_t>(Team::this_thread())];
    tally.edges += edges;
    tally.loops += loops;
    if (!bad) return;
    for (std::size_t i = 0; i < source.size(); ++i) {
      const std::int64_t ls = level_at(source[i]), lt = level_at(target[i]), d = lt - ls;
      if (d > 1 || (d < -1 && !Directed))
        note_edge(blocks_.first() + source[i], blocks_.first() + target[i], ls, lt, kOut);
    }
  }

  void note_edge(Vertex u, Vertex v, std::int64_t lu, std::int64_t lv, std::int64_t out) {
    const bool leaves = lu == out || lv == out;
    findings_.note({leaves ? Flaw::leaving_edge : Flaw::long_edge, u, v, lu == out ? kUnreachable : lu,
                    lv == out ? kUnreachable : lv});
  }
  std::int64_t level_at(std::size_t at) const { return static_cast<std::int64_t>(word_[at] >> 8); }
  /// Multi-edges see one vertex often: only the first writes, so that its cache line stays shared.
  void see(std::uint32_t at) {
    const std::atomic_ref seen(seen_[at]);
    if (!seen.load(std::memory_order_relaxed)) seen.store(1, std::memory_order_relaxed);
  }

  World& world_;
  const BfsTree& tree_;
  const Ownership& blocks_;
  const bool directed_;
  std::span<const Word> word_;
  Array<std::uint8_t> seen_;  // the input has the edge to the parent
  Findings findings_;
  std::vector<Tally> tallies_;
  void* box_ = nullptr;
  void (*box_send_)(void*, Rank, const Hop&) = nullptr;
};

int rule_of(Flaw flaw) {
  switch (flaw) {
    case Flaw::none:
      return 0;
    case Flaw::depth:
      return 2;
    case Flaw::long_edge:
      return 3;
    case Flaw::leaving_edge:
      return 4;
    case Flaw::no_edge:
      return 5;
    default:
      return 1;
  }
}

/// The sentence, with original ids. Collective.
std::string describe(World& world, const BfsTree& tree, const Ownership& blocks, const Finding& f) {
  const auto original = [&](Vertex v) {
    if (v < 0 || v >= blocks.n()) return v;  // the same on all ranks
    Vertex id = -1;
    if (blocks.owns(v)) id = tree.original ? tree.original(v) : v;
    return world.max(id);
  };
  const Vertex root = original(tree.root), a = original(f.a), b = original(f.b);
  const auto edge = [&] { return fmt::format("edge {} {} {}", a, tree.tuples == TupleKind::directed ? "->" : "-", b); };
  const std::string rule = fmt::format("rule {}: ", rule_of(f.flaw));
  switch (f.flaw) {
    case Flaw::none:
      return "";
    case Flaw::root_parent:
      if (b == kNoVertex) return rule + fmt::format("the root {} was not reached", a);
      return rule + fmt::format("the root {} has {} as parent (not itself)", a, b);
    case Flaw::outside:
      if (f.b == kUnknownVertex) return rule + fmt::format("the parent of vertex {} is no vertex", a);
      return rule + fmt::format("the parent of vertex {} has number {} (no vertex has it)", a, f.b);
    case Flaw::second_root:
      return rule + fmt::format("vertex {} is its own parent (the root is {})", a, root);
    case Flaw::orphan:
      return rule + fmt::format("vertex {} has the parent {}, which was not reached", a, b);
    case Flaw::cycle:
      return rule + fmt::format("the parents of vertex {} never lead to the root {} (a cycle)", a, root);
    case Flaw::depth:
      if (f.y == kUnreachable) return rule + fmt::format("vertex {} has depth {} but no parent", a, f.x);
      return rule + fmt::format("vertex {} with parent {} has depth {} (the tree puts it on level {})", a, b,
                                f.x == kUnreachable ? std::string("of the unreached") : std::to_string(f.x), f.y);
    case Flaw::long_edge:
      return rule + fmt::format("{} joins the levels {} and {}", edge(), f.x, f.y);
    case Flaw::leaving_edge: {
      const bool second = f.y == kUnreachable;
      return rule + fmt::format("{} leaves the tree: {} is on level {}, {} was not reached", edge(), second ? a : b,
                                second ? f.x : f.y, second ? b : a);
    }
    case Flaw::no_edge:
      return rule + fmt::format("no input edge joins vertex {} and its parent {}", a, b);
  }
  return rule;
}

/// Levels become words, then the tuples are swept.
template <class Word>
Finding sweep(World& world, const BfsTree& tree, const Ownership& blocks, const Tuples& tuples,
              Array<std::int32_t> level, BfsTreeReport& report) {
  Array<Word> word(level.size());
  world.team().for_range(level.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) word[i] = Sweep<Word>::word_of(level[i], tree.parents[i]);
  });
  level = {};
  return Sweep<Word>(world, tree, blocks, std::span<const Word>(word.data(), word.size())).run(tuples, report);
}

Finding find(World& world, const BfsTree& tree, const Ownership& blocks, const Tuples& tuples, BfsTreeReport& report) {
  if (const Finding f = check_parents(world, tree, blocks); f.flaw != Flaw::none) return f;

  const std::size_t n = blocks.count();
  Array<std::int32_t> level;
  const bool given = world.any(!tree.depths.empty());
  world.agree(!given || tree.depths.size() == n, "some ranks gave depths, some gave none.");
  if (given && depths_hold(world, tree, blocks)) {
    level = Array<std::int32_t>(n);
    world.team().for_range(n, kGrain, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i)
        level[i] = tree.depths[i] == kUnreachable ? Levels::kOutside : static_cast<std::int32_t>(tree.depths[i]);
    });
  } else {
    Levels levels(world, tree, blocks);
    if (const Finding f = levels.compute(); f.flaw != Flaw::none) return f;
    level = levels.take();
    if (given) {
      Findings findings(world);
      for (std::size_t i = 0; i < n; ++i) {
        const std::int64_t l = level[i] == Levels::kOutside ? kUnreachable : level[i];
        if (tree.depths[i] != l)
          findings.note({Flaw::depth, blocks.first() + static_cast<Vertex>(i), tree.parents[i], tree.depths[i], l});
      }
      return findings.worst();  // there is one, else the depths had held
    }
  }

  std::int64_t depth = 0;
  Vertex reached = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const bool inside = level[i] != Levels::kOutside;
    reached += inside;
    depth = std::max<std::int64_t>(depth, inside ? level[i] : 0);
  }
  report.depth = world.max(depth);
  report.reached = world.sum(reached);
  return report.depth <= Sweep<std::uint16_t>::kDeepest
             ? sweep<std::uint16_t>(world, tree, blocks, tuples, std::move(level), report)
             : sweep<std::uint64_t>(world, tree, blocks, tuples, std::move(level), report);
}

}  // namespace

BfsTreeReport verify_bfs_tree(World& world, const BfsTree& tree, const Tuples& tuples) {
  const Ownership blocks(*tree.blocks, world.rank());
  world.together([&] {
    check(tree.blocks->ranks() == world.size(), "there are blocks for {} ranks (the world has {}).",
          tree.blocks->ranks(), world.size());
    check(tree.parents.size() == blocks.count(), "rank {} gave {} parents (it owns {} vertices).", world.rank(),
          tree.parents.size(), blocks.count());
    check(tree.depths.empty() || tree.depths.size() == blocks.count(), "rank {} gave {} depths (it owns {} vertices).",
          world.rank(), tree.depths.size(), blocks.count());
    check(tree.root >= 0 && tree.root < blocks.n(), "the root's number is {} (there are {} vertices).", tree.root,
          blocks.n());
  });
  BfsTreeReport report;
  const Finding finding = find(world, tree, blocks, tuples, report);
  report.ok = finding.flaw == Flaw::none;
  report.rule = rule_of(finding.flaw);
  report.what = describe(world, tree, blocks, finding);
  return report;
}

BfsTreeReport verify_bfs(const Graph& graph, Vertex source, std::span<const Vertex> parents,
                         std::span<const Vertex> depths, const Tuples& tuples, TupleKind kind) {
  World& world = graph.world();
  const Vertex begin = graph.blocks().begin(world.rank());
  const auto [owner, natural] = graph.find(source);
  const Array<Vertex> dense = dense_of(world, graph.ids(), parents);
  return verify_bfs_tree(world,
                         {.blocks = &graph.blocks(),
                          .root = graph.blocks().begin(owner) + natural,
                          .parents = std::span<const Vertex>(dense.data(), dense.size()),
                          .depths = depths,
                          .tuples = kind,
                          .original = [&](Vertex v) { return graph.ids().id_of(v - begin); }},
                         tuples);
}

BfsTreeReport verify_bfs(const Graph& graph, Vertex source, std::span<const Vertex> parents,
                         std::span<const Vertex> depths) {
  const DenseLists lists(graph);
  return verify_bfs(graph, source, parents, depths, lists.tuples(),
                    graph.directed() ? TupleKind::directed : TupleKind::both_ways);
}

}  // namespace atl
