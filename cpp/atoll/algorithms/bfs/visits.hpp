// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/bfs/claims.hpp>
#include <atoll/engine/neighbor_alltoallv.hpp>
#include <atoll/graph/partition/delegates.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <optional>

/// What ranks tell each other while they push: that a vertex has a parent. What comes is reached in the receiver's state.
///
///     BfsVisits<Id> visits(graph, fission, known, kernels, state);   // collective
///     visits.expect(frontier);                                       // the frontier of all ranks
///     auto sender = visits.from(u, id_of_u);                         // any thread
///     sender.tell(mirror);                                           // a mirror that u has been the first to reach here
///     visits.drain();                                                // collective
///     visits.note_outcome();                                         // after the ranks have agreed on what was found
///
/// Where levels are many and narrow, what they cost is waiting. Then one message each way is all of a level's, if may_post():
///
///     visits.post_later(mirror, id_of_u);                            // one thread
///     const BfsLevel frontier = visits.post(mine);                   // collective; of all ranks, mine: this rank's part
///
/// On the direct route a record says which of its mirrors the sender means: the owner looks it up. Where records have
/// several hops, those who forward must see which mean the same vertex: then it is the owner's own number. A vertex with
/// siblings tells only those, one record a rank.
namespace atl {

template <class Id>
class BfsVisits {
 public:
  /// `known`: known_masters(). Both outlive it.
  BfsVisits(const Graph& graph, const BfsOptions& options, const std::vector<std::vector<Local>>& known,
            const BfsKernels<Id>& kernels, BfsState<Id>& state);
  BfsVisits(const BfsVisits&) = delete;
  BfsVisits& operator=(const BfsVisits&) = delete;

  void start() {
    if (claims_) claims_->start();
  }
  void expect(const BfsLevel& frontier);
  void drain();
  void note_outcome();
  /// A level is over, pushed or pulled.
  void note(const BfsLevel& found, Vertex unvisited) {
    if (claims_) claims_->note(found, unvisited);
  }

  bool may_post() const { return posts_.has_value(); }
  void post_later(Local mirror, Id parent) {
    const std::size_t owner = owner_of(mirror);
    posted_[owner].push_back({static_cast<std::uint32_t>(mirror - graph_.mirrors().begin[owner]), parent});
  }
  /// As drain(), with the sum of what each rank brings along.
  BfsLevel post(const BfsLevel& mine);

  /// Of one vertex, by one thread.
  class Sender {
   public:
    /// False where a sibling has been told of all of that rank's vertices at once.
    bool tell(Local mirror) {
      if (places_.empty()) {
        visits_.tell_owner(mirror, id_);
        return true;
      }
      // Mirrors are grouped by owner: one record for each group with a vertex that is new.
      if (mirror < told_.first || mirror >= told_.second) told_ = visits_.tell_sibling(places_, mirror, id_);
      return false;
    }

   private:
    friend class BfsVisits;
    Sender(BfsVisits& visits, std::span<const Delegates::Place> places, Id id)
        : visits_(visits), places_(places), id_(id) {}
    BfsVisits& visits_;
    const std::span<const Delegates::Place> places_;
    const Id id_;
    std::pair<Local, Local> told_{0, 0};  // the mirrors whose owner's sibling has been told last
  };
  Sender from(Local u, Id id) {
    return {*this, siblings_ ? siblings_->of(u) : std::span<const Delegates::Place>(), id};
  }
  std::size_t memory_bytes() const { return siblings_ ? siblings_->memory_bytes() : 0; }

 private:
  using Thread = typename BfsState<Id>::Thread;
  // "Vertex k of those that I mirror of you". With kSiblingBit: "my sibling in your row k is in the frontier".
  static constexpr std::uint32_t kSiblingBit = std::uint32_t{1} << 31;
  struct [[gnu::packed]] Visit {
    std::uint32_t mirror;
    Id parent;
  };
  struct Receive {
    BfsVisits* visits;
    void operator()(Rank from, std::span<const Visit> records) { visits->receive(from, records); }
  };
  // What comes before so many visits in a post.
  struct [[gnu::packed]] PostHead {
    Vertex vertices;
    Edge edges;
    std::uint32_t visits;
  };
  void write_post(NeighborAlltoallv::Writer& pen, Rank to, const BfsLevel& mine);
  // Where records have several hops: "your local vertex"; -1 - k for the sibling in row k.
  struct [[gnu::packed]] Passing {
    Local vertex;
    Id parent;
  };
  struct Arrive {
    BfsVisits* visits;
    void operator()(std::span<const Passing> records) { visits->arrive(records); }
  };
  struct VertexOf {
    std::uint32_t operator()(const Passing& p) const { return static_cast<std::uint32_t>(p.vertex); }
  };
  struct KeepFirst {
    void operator()(Passing&, const Passing&) const {}  // any parent on the level before will do
  };

  // Empty groups begin where the next one does: the last of equal beginnings is the group.
  std::size_t owner_of(Local mirror) const {
    const auto& begins = graph_.mirrors().begin;
    return static_cast<std::size_t>(std::upper_bound(begins.begin(), begins.end(), mirror) - begins.begin() - 1);
  }
  void tell_owner(Local mirror, Id id) {
    const std::size_t owner = owner_of(mirror);
    const auto k = static_cast<std::uint32_t>(mirror - graph_.mirrors().begin[owner]);
    if (passing_) {
      passing_->send(static_cast<Rank>(owner), {named_[owner][k], id});
    } else {
      direct_->send(static_cast<Rank>(owner), {k, id});
    }
  }
  std::pair<Local, Local> tell_sibling(std::span<const Delegates::Place> places, Local mirror, Id id);
  void receive(Rank from, std::span<const Visit> records);
  void arrive(std::span<const Passing> records);
  void take(Thread& thread, Local v, Id parent);
  void push_row(Thread& thread, std::uint32_t row, Id parent);

  const Graph& graph_;
  const std::vector<std::vector<Local>>& known_;
  const BfsKernels<Id> kernels_;
  BfsState<Id>& state_;
  std::optional<Delegates> siblings_;
  std::vector<Array<Local>> claimed_;      // [thread] in a row; it may run while a push sends
  std::vector<std::vector<Local>> named_;  // [owner][mirror]: its own number there; empty on the direct route
  std::optional<BfsClaims> claims_;        // not on the direct route
  std::optional<Mailbox<Visit, Receive>> direct_;
  std::optional<NeighborAlltoallv> posts_;
  std::size_t post_room_ = 0;               // bytes
  std::vector<std::vector<Visit>> posted_;  // [rank] of the level
  std::optional<Mailbox<Passing, Arrive, Merge<VertexOf, KeepFirst>>> passing_;
};

}  // namespace atl
