// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/label_propagation/label_counts.hpp>
#include <atoll/algorithms/label_propagation/rounds.hpp>
#include <atoll/engine/mirror_records.hpp>

namespace atl {

/// Label propagation over a vertex-cut, whose ranks each count some of the neighbours of a vertex.
///
/// Memory: a label, 5 bytes and a bit a local vertex, and a label a master; of a directed graph this rank's edges once
/// more; 20 bytes (ids of 64 bits: 40) for each of the counts that come at once, some 4 million; beside the cut, which the
/// graph counts.
template <class Id>
class VertexCutRounds final : public PropagationRounds<Id> {
 public:
  /// `records`: about how many counts a rank receives at once.
  explicit VertexCutRounds(const Graph& graph, double records = 1 << 22);
  std::size_t memory_bytes() const override;

 private:
  using PropagationRounds<Id>::graph_, PropagationRounds<Id>::world_, PropagationRounds<Id>::team_,
      PropagationRounds<Id>::label_, PropagationRounds<Id>::next_, PropagationRounds<Id>::changed_;

  struct LabelCount {
    Id label;
    std::uint32_t count;
  };
  // On a route of several hops, counts of one label for one vertex are added up on the way; labels of 64 bits do not fit
  // the key and are not.
  struct AddCounts {
    static std::uint32_t key(const LabelCount& count) { return static_cast<std::uint32_t>(count.label); }
    void operator()(LabelCount& into, const LabelCount& from) const { into.count += from.count; }
  };
  struct Received {
    Local master;
    LabelCount count;
  };
  struct Receive {
    VertexCutRounds* rounds;
    void operator()(Local master, const LabelCount& count) const {
      rounds->threads_[Team::this_thread()].received.push_back({master, count});
    }
  };
  struct alignas(128) Thread {
    LabelTable<Id> counts{0};
    std::vector<Received> received;
  };

  void start() override;
  void first_round() override;
  void round(double share) override;
  void find_affected();
  void send_counts(Local slice);
  void decide(Local slice);
  bool is_affected(std::size_t v) const { return unaffected_[v] == 0; }
  std::span<const Local> sources_to(Local v) const { return cut_.rows().neighbours(v); }
  std::span<const Local> targets_of(Local v) const {
    return graph_.directed() ? leaving_.neighbours(v) : std::span<const Local>();
  }

  const VertexCut& cut_;
  const GraphView view_;
  const Csr leaving_;  // directed: the edges here by source
  MirrorExchange<Id, MinOf> labels_;
  MirrorExchange<char, MinOf> flags_;  // between masters and mirrors of which edges are counted
  MirrorRecords<LabelCount, Receive, std::conditional_t<sizeof(Id) == 4, AddCounts, NoMerge>> counts_;
  Array<char> unaffected_;  // [local] 0: a neighbour's label has changed, on any rank
  VertexBits marked_;       // unaffected_ has become 0
  Local slices_ = 1;        // masters are decided in so many turns, which bounds what is received at once
  std::vector<Thread> threads_;
  std::vector<LabelCount> grouped_;  // what a slice has received, by master
  std::vector<std::size_t> begin_;   // [master / slices_] of its group
};

}  // namespace atl
