// SPDX-License-Identifier: Apache-2.0
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <atoll/verify/components/strong_component_labels.hpp>
#include <atoll/verify/dense.hpp>
#include <atoll/verify/flood.hpp>
#include <atoll/verify/violations.hpp>

namespace atl {
namespace {

// Removes each label that no edge enters from another label that is left. A vertex is free when no such edge enters it.
// The vertex that names a label counts those of the label's vertices that are not free; when none is left, its removal
// floods the label, which is strongly connected.
class LabelRemoval {
 public:
  LabelRemoval(const Graph& graph, const Array<Vertex>& labels, std::span<const Vertex> label)
      : graph_(graph),
        world_(graph.world()),
        labels_(labels),
        named_by_(dense_of(world_, graph.ids(), label)),
        counts_(world_, of_records<Change>(Receive{this}), {.handling = Handling::serial, .handler_sends = false}),
        decreases_(graph),
        marks_(graph),
        entering_(index(graph.owned()), 0),
        decrease_(index(graph.locals()), 0),
        not_free_(index(graph.owned()), 0),
        unmarked_(index(graph.locals()), 1),
        decreased_(graph.locals()),
        marked_(graph.locals()),
        removed_(graph.locals()) {}

  void run() {
    for (Local v = 0; v < graph_.owned(); ++v) {
      count(v, 1);
      for (const Local u : graph_.in().neighbours(v)) entering_[v] += labels_[u] != labels_[v];
      if (entering_[v] == 0) free_.push_back(v);
    }
    counts_.drain();
    while (world_.any(!free_.empty() || !removed_now_.empty())) {
      remove_here();
      counts_.drain();
      send_to_masters();
    }
  }
  bool is_removed(Local v) const { return removed_.test(v); }

 private:
  struct Change {
    Vertex named_by;  // dense
    Vertex vertices;
  };
  struct Receive {
    LabelRemoval* removal;
    void operator()(const Change& change) const { removal->change(change); }
  };

  // Follows removals as far as they go on this rank.
  void remove_here() {
    while (!free_.empty() || !removed_now_.empty()) {
      if (!free_.empty()) {
        const Local v = free_.back();
        free_.pop_back();
        count(v, -1);
      } else {
        const Local v = removed_now_.back();
        removed_now_.pop_back();
        take_away(v);
      }
    }
  }

  // The vertex that names v's label learns that `more` of its vertices are not free.
  void count(Local v, Vertex more) {
    const Change change{named_by_[graph_.owned_index_of(v)], more};
    const Rank owner = graph_.blocks().owner(change.named_by);
    if (owner == world_.rank()) {
      this->change(change);
    } else {
      counts_.send(owner, change);
    }
  }
  void change(const Change& change) {
    const Vertex at = change.named_by - graph_.blocks().begin(world_.rank());
    not_free_[at] += change.vertices;
    const Local v = graph_.local_of(at);
    if (not_free_[at] == 0 && removed_.set(v)) removed_now_.push_back(v);
  }

  void take_away(Local v) {
    for (const Local u : graph_.out().neighbours(v)) {
      const bool is_mirror = u >= graph_.owned();
      if (labels_[u] == labels_[v]) {
        if (!removed_.set(u)) continue;
        if (is_mirror) {
          unmarked_[u] = 0;
          marked_.set(u);
        } else {
          removed_now_.push_back(u);
        }
      } else if (is_mirror) {
        if (decreased_.set(u)) touched_.push_back(u);
        ++decrease_[u];
      } else if (--entering_[u] == 0) {
        free_.push_back(u);
      }
    }
  }

  void send_to_masters() {
    decreases_.reduce({decrease_.data(), decrease_.size()}, decreased_);
    marks_.reduce({unmarked_.data(), unmarked_.size()}, marked_);
    for (const Local u : touched_) decrease_[u] = 0;
    touched_.clear();
    for (std::size_t w = 0; w * 64 < index(graph_.owned()); ++w) {
      for (std::uint64_t bits = decreased_.at(w); bits; bits &= bits - 1) {
        const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits);
        if (v < graph_.owned() && (entering_[v] -= std::exchange(decrease_[v], 0)) == 0) free_.push_back(v);
      }
      for (std::uint64_t bits = marked_.at(w); bits; bits &= bits - 1) {
        const auto v = static_cast<Local>(w * 64) + std::countr_zero(bits);
        if (v < graph_.owned() && removed_.set(v)) removed_now_.push_back(v);
      }
    }
    decreased_.clear();
    marked_.clear();
  }

  const Graph& graph_;
  World& world_;
  const Array<Vertex>& labels_;   // [local]
  const Array<Vertex> named_by_;  // [owned index] dense number of the vertex that is the label
  Mailbox<Change, Receive> counts_;
  MirrorExchange<Vertex, SumOf> decreases_;
  MirrorExchange<Local, MinOf> marks_;
  Array<Vertex> entering_;  // [master] edges from other labels that are left
  Array<Vertex> decrease_;  // [local] of mirrors: by how much that of their masters falls
  Array<Vertex> not_free_;  // [owned index] of a vertex that names a label: how many of its vertices
  Array<Local> unmarked_;   // [local] 0 if the vertex is removed
  VertexBits decreased_, marked_, removed_;
  std::vector<Local> free_, removed_now_;
  std::vector<Local> touched_;  // mirrors whose decrease is not 0
};

}  // namespace

Verdict verify_strong_components(const Graph& graph, std::span<const Vertex> label) {
  check_one_for_each(graph, label.size(), "labels");
  World& world = graph.world();
  const Array<Vertex> labels = local_values(graph, label);
  Violations violations(world);

  const auto is_named = [&](Local v) { return labels[v] == graph.id_of(v); };
  for (Local v = 0; v < graph.owned(); ++v)
    if (labels[v] > graph.id_of(v)) violations.note({.rule = 1, .a = graph.id_of(v), .p = labels[v]});
  Violation b = violations.first();
  if (b.rule == 1)
    return {false,
            fmt::format("rule 1: vertex {} has the label {} (the smallest id of its component is at most its own)", b.a,
                        b.p)};

  for (const Csr* lists : {&graph.out(), &graph.in()}) {
    VertexBits joined(graph.locals());
    for (Local v = 0; v < graph.owned(); ++v)
      if (is_named(v)) joined.set(v);
    flood(graph, joined, [&](Local v, auto&& mark) {
      for (const Local u : lists->neighbours(v))
        if (labels[u] == labels[v]) mark(u);
    });
    for (Local v = 0; v < graph.owned(); ++v)
      if (!joined.test(v)) violations.note({.rule = 2, .a = graph.id_of(v), .p = labels[v]});
    b = violations.first();
    if (b.rule == 2)
      return {false, lists == &graph.out()
                         ? fmt::format("rule 2: vertex {} has the label {}, but no path leads from vertex {} to it",
                                       b.a, b.p, b.p)
                         : fmt::format("rule 2: vertex {} has the label {}, but no path leads from it to vertex {}",
                                       b.a, b.p, b.p)};
  }

  LabelRemoval removal(graph, labels, label);
  removal.run();
  for (Local v = 0; v < graph.owned(); ++v)
    if (!removal.is_removed(v)) violations.note({.rule = 3, .a = graph.id_of(v), .p = labels[v]});
  b = violations.first();
  if (b.rule == 3)
    return {false,
            fmt::format("rule 3: vertex {} has the label {} (a cycle passes vertices of that label and of another "
                        "one, or such a cycle leads to it)",
                        b.a, b.p)};
  return {};
}

}  // namespace atl
