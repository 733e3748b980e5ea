// SPDX-License-Identifier: Apache-2.0
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/verify/bfs/edges.hpp>
#include <limits>

namespace atl::bfs_tree {
namespace {

constexpr std::size_t kEdgeGrain = 1 << 14;

/// Rules 3, 4 and 5: compares every tuple with the levels of its endpoints. A tuple whose endpoints are both owned here
/// is checked in place. Otherwise the first endpoint's owner looks up its level and sends it to the other endpoint's
/// owner, which compares. A byte per vertex records that its tree edge was seen.
///
/// A vertex's Word contains its level and the low byte of its parent's number, so that one lookup rules out a tree edge
/// in 255 cases of 256. It has 16 bits if levels fit a byte: two bytes per vertex stay in the caches.
template <class Word>
class Sweep {
 public:
  static constexpr std::int64_t kOut = std::numeric_limits<Word>::max() >> (sizeof(Word) == 8 ? 33 : 8);
  static constexpr std::int64_t kDeepest =
      std::min<std::int64_t>(kOut - 2, kMaxDepth);  // kOut must differ from any level by more than one
  static Word word_of(std::int32_t level, Vertex parent) {
    const auto l = static_cast<std::uint64_t>(level == kOutside ? kOut : level);
    return static_cast<Word>(l << 8 | (static_cast<std::uint64_t>(parent) & 0xFF));
  }

  Sweep(World& world, const BfsTree& tree, const Ownership& blocks, std::span<const Word> word)
      : world_(world),
        tree_(tree),
        blocks_(blocks),
        directed_(
            tree.tuples !=
            TupleKind::
                undirected),  // undirected, or both ways: the rules for both directions together cover both endpoints
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
          world_.team().for_range(tuples.size(), kEdgeGrain, [&](int, std::size_t a, std::size_t b) {
            auto buffers = box.send_buffers();
            for (; a < b; a += kBatch) batch(from, a, std::min(kBatch, b - a), buffers);
          });
        },
        tuples.from());
    box.drain();

    world_.team().for_range(blocks_.count(), kEdgeGrain, [&](int, std::size_t a, std::size_t b) {
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
  /// Sent to the owner of one endpoint. code is kQuery: you own the source `at`; look up its level and send it to the
  /// owner of `other`. Otherwise it is twice the level of `other` (kOutCode if not reached), plus one if `other` is the
  /// target.
  struct Hop {
    std::uint32_t at, code;
    Vertex other;
  };
  static constexpr std::uint32_t kQuery = UINT32_MAX, kOutCode = 0x7FFFFFFE;

  template <class Id, class Buffers>
  void batch(const Tuples::Columns<Id>& columns, std::size_t first, std::size_t count, Buffers& buffers) {
    const auto source = columns.source.subspan(first, count), target = columns.target.subspan(first, count);
    if constexpr (std::is_same_v<Id, std::uint32_t>)
      if (world_.size() == 1) return check_here(source, target);
    distribute(source, target, buffers);
  }
  template <class Buffers>
  void batch(const Tuples::Read& read, std::size_t first, std::size_t count, Buffers& buffers) {
    Vertex source[kBatch], target[kBatch];
    read(first, std::span(source, count), std::span(target, count));
    distribute(std::span<const Vertex>(source, count), std::span<const Vertex>(target, count), buffers);
  }

  /// Keeps the tuples with both endpoints here and sends the others.
  template <class Id, class Buffers>
  void distribute(std::span<const Id> source, std::span<const Id> target, Buffers& buffers) {
    std::uint32_t s[kBatch], t[kBatch];
    std::size_t here = 0;
    for (std::size_t i = 0; i < source.size(); ++i) {
      const auto u = static_cast<Vertex>(source[i]), v = static_cast<Vertex>(target[i]);
      if (blocks_.owns(u)) {
        if (blocks_.owns(v)) {
          s[here] = blocks_.here(u);
          t[here++] = blocks_.here(v);
        } else {
          forward(blocks_.here(u), u, v, /*other_is_target=*/0, buffers);
        }
      } else if (blocks_.owns(v)) {
        forward(blocks_.here(v), v, u, /*other_is_target=*/1, buffers);
      } else {
        const Rank owner = blocks_.owner(u);
        buffers.send(owner, {blocks_.at(owner, u), kQuery, v});
      }
    }
    check_here(std::span<const std::uint32_t>(s, here), std::span<const std::uint32_t>(t, here));
  }

  /// `v` is owned here; sends its level to the owner of the other endpoint.
  template <class Buffers>
  void forward(std::uint32_t at, Vertex v, Vertex other, std::uint32_t is_target, Buffers& buffers) {
    const std::int64_t level = level_at(at);
    if (directed_ && !is_target && level == kOut) return;  // an edge that starts outside imposes no rule
    if ((!directed_ || is_target) && tree_.parents[at] == other) mark_seen(at);
    const Rank owner = blocks_.owner(other);
    const std::uint32_t code = level == kOut ? kOutCode : static_cast<std::uint32_t>(level);
    buffers.send(owner, {blocks_.at(owner, other), code << 1 | is_target, v});
  }

  void arrive(std::span<const Hop> hops) {
    struct Buffers {  // the mailbox's type is not known here
      Sweep& sweep;
      void send(Rank to, const Hop& hop) { sweep.box_send_(sweep.box_, to, hop); }
    } buffers{*this};
    Tally& tally = tallies_[Team::this_thread()];
    for (const Hop& h : hops) {
      const Vertex v = blocks_.first() + h.at;
      if (h.code == kQuery) {
        forward(h.at, v, h.other, 0, buffers);
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
      // `at` may be the child of `other`; the first owner has checked the reverse.
      if (d == (other_is_target ? -1 : 1) && (!directed_ || !other_is_target) && tree_.parents[h.at] == h.other)
        mark_seen(h.at);
    }
  }

  /// Checks tuples with both endpoints here, by position. First compares words without branches; then looks up the
  /// parents of possible tree edges.
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
      if (parents[child[c]] == blocks_.first() + parent[c]) mark_seen(child[c]);
    Tally& tally = tallies_[Team::this_thread()];
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
  /// Multi-edges touch a vertex often: only the first writes, so that its cache line stays shared.
  void mark_seen(std::uint32_t at) {
    const std::atomic_ref seen(seen_[at]);
    if (!seen.load(std::memory_order_relaxed)) seen.store(1, std::memory_order_relaxed);
  }

  World& world_;
  const BfsTree& tree_;
  const Ownership& blocks_;
  const bool directed_;
  std::span<const Word> word_;
  Array<std::uint8_t> seen_;  // whether the input has the edge to the parent
  Findings findings_;
  std::vector<Tally> tallies_;
  void* box_ = nullptr;
  void (*box_send_)(void*, Rank, const Hop&) = nullptr;
};

/// Converts levels to words, then checks all tuples.
template <class Word>
Finding sweep(World& world, const BfsTree& tree, const Ownership& blocks, const Tuples& tuples,
              Array<std::int32_t> level, BfsTreeReport& report) {
  Array<Word> word(level.size());
  world.team().for_range(level.size(), kEdgeGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t i = a; i < b; ++i) word[i] = Sweep<Word>::word_of(level[i], tree.parents[i]);
  });
  level = {};
  return Sweep<Word>(world, tree, blocks, std::span<const Word>(word.data(), word.size())).run(tuples, report);
}

}  // namespace

Finding check_edges(World& world, const BfsTree& tree, const Ownership& blocks, const Tuples& tuples,
                    Array<std::int32_t> level, std::int64_t depth, BfsTreeReport& report) {
  return depth <= Sweep<std::uint16_t>::kDeepest
             ? sweep<std::uint16_t>(world, tree, blocks, tuples, std::move(level), report)
             : sweep<std::uint64_t>(world, tree, blocks, tuples, std::move(level), report);
}

}  // namespace atl::bfs_tree
