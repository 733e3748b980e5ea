// SPDX-License-Identifier: Apache-2.0
#include <atoll/verify/propagated_labels.hpp>
#include <atoll/verify/violations.hpp>
#include <bit>

namespace atl {
namespace {

constexpr std::size_t kLabelGrain = 256;

/// Counts labels: a hash table with open addressing, at most half full.
class Ballot {
 public:
  void open(std::size_t votes) {
    mask_ = std::bit_ceil(2 * votes + 1) - 1;
    slots_.assign(mask_ + 1, {kNoVertex, 0});
    winner_ = {kNoVertex, 0};
  }
  void vote(Vertex label) {
    std::size_t at = static_cast<std::size_t>(static_cast<std::uint64_t>(label) * 0x9E3779B97F4A7C15u >> 32) & mask_;
    while (slots_[at].label != label && slots_[at].votes > 0) at = (at + 1) & mask_;
    slots_[at] = {label, slots_[at].votes + 1};
    const Slot& slot = slots_[at];
    if (slot.votes > winner_.votes || (slot.votes == winner_.votes && label < winner_.label)) winner_ = slot;
  }
  Vertex winner() const { return winner_.label; }

 private:
  struct Slot {
    Vertex label;
    Edge votes;
  };
  std::vector<Slot> slots_;
  std::size_t mask_ = 0;
  Slot winner_{kNoVertex, 0};
};

}  // namespace

Verdict verify_label_propagation(const Graph& graph, std::span<const Vertex> label, const LabelRounds& rounds) {
  World& world = graph.world();
  world.agree(rounds.iterations >= 0,
              fmt::format("verify cdlp: iterations is {} (at least 0). Change it.", rounds.iterations));
  check_one_for_each(graph, label.size(), "labels");
  const bool given = world.any(!rounds.previous.empty());
  if (given) check_one_for_each(graph, rounds.previous.size(), "previous labels");

  const auto owned = static_cast<std::size_t>(graph.owned());
  Array<Vertex> now(static_cast<std::size_t>(graph.locals()), kNoVertex), next(owned);
  for (std::size_t k = 0; k < owned; ++k) {
    const Local v = graph.local_of(static_cast<Vertex>(k));
    now[v] = given ? rounds.previous[k] : graph.id_of(v);
  }
  MirrorExchange<Vertex, MinOf> exchange(graph);
  VertexBits changed(graph.locals());
  changed.set_all();
  std::vector<Ballot> ballots(static_cast<std::size_t>(world.team().size()));
  bool any = true;
  for (int round = 0; round < rounds.iterations && any; ++round) {
    exchange.broadcast({now.data(), now.size()}, changed);
    world.team().for_range(owned, kLabelGrain, [&](int thread, std::size_t a, std::size_t b) {
      Ballot& ballot = ballots[thread];
      for (std::size_t v = a; v < b; ++v) {
        const auto out = graph.out().neighbours(static_cast<Local>(v));
        const auto in = graph.directed() ? graph.in().neighbours(static_cast<Local>(v)) : std::span<const Local>();
        ballot.open(out.size() + in.size());
        for (const Local u : out) ballot.vote(now[u]);
        for (const Local u : in) ballot.vote(now[u]);
        next[v] = out.size() + in.size() > 0 ? ballot.winner() : now[v];
      }
    });
    changed.clear();
    bool here = false;
    for (std::size_t v = 0; v < owned; ++v) {
      if (now[v] == next[v]) continue;
      now[v] = next[v];
      changed.set(static_cast<Local>(v));
      here = true;
    }
    any = world.any(here);
  }

  Violations violations(world);
  for (std::size_t k = 0; k < owned; ++k) {
    const Local v = graph.local_of(static_cast<Vertex>(k));
    if (label[k] != now[v]) violations.note({.rule = 1, .a = graph.id_of(v), .p = label[k], .q = now[v]});
  }
  if (const Violation b = violations.first(); b.rule)
    return {false, fmt::format("rule 1: vertex {} has the label {} ({} after {} rounds{})", b.a, b.p, b.q,
                               rounds.iterations, given ? " from the labels given" : "")};
  return {};
}

}  // namespace atl
