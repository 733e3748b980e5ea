// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/bfs/distinct_target_estimate.hpp>
#include <atoll/engine/neighbor_alltoallv.hpp>
#include <atoll/graph/partition/delegates.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <optional>

/// The messages of a push: a record tells the owner of a mirror that the vertex has a parent. The receiver marks the
/// vertex as reached in its state.
///
///     RemoteUpdates<Id> updates(view, options, kernels, state);           // collective
///     updates.expect(frontier);                                       // the frontier of all ranks
///     auto sender = updates.from(u, id_of_u);                         // any thread
///     sender.send(mirror);                              // once this rank's visited bit of the mirror is set
///     updates.drain();                                                // collective
///     updates.note_outcome();                                         // after the ranks have agreed on what was found
///
/// Small levels cost mostly latency. If may_exchange_small_levels(), such a level needs only one message per pair of
/// ranks:
///
///     updates.enqueue(mirror, id_of_u);                               // one thread
///     const BfsLevel frontier = updates.exchange_small_level(mine);   // collective; returns the sum of `mine`
///
/// On the direct route a record has the index of the mirror among the sender's mirrors of that owner; the owner looks
/// up the vertex. On routes of several hops, forwarding ranks combine records of the same vertex, so a record has the
/// owner's local number. A vertex with delegates sends one record to the delegate on each rank instead.
namespace atl {

/// The numbers that ranks add up while they drain a level's records: the level before, and loops at unreached vertices.
struct BfsTotals {
  BfsLevel level;
  Edge loops_outside = 0;
};

template <class Id>
class RemoteUpdates {
 public:
  /// view and state must outlive this object.
  RemoteUpdates(const TraversalView<Id>& view, const BfsOptions& options, const BfsKernels<Id>& kernels,
                BfsState<Id>& state);
  RemoteUpdates(const RemoteUpdates&) = delete;
  RemoteUpdates& operator=(const RemoteUpdates&) = delete;

  void start() {
    if (estimate_) estimate_->start();
  }
  void expect(const BfsLevel& frontier);
  /// Instead of expect(), before a level whose frontier the ranks do not know yet. False if the best route depends on it
  /// so much that they had better ask.
  bool expect_any();
  /// Before a level is pulled of which mirrors will tell their owners.
  void expect_pulled();
  void drain();
  /// Whether a drain adds numbers of all ranks up as it goes, so that a level needs no sum of its own.
  bool sums_travel() const { return forwarded_ && forwarded_->sums_travel(); }
  /// drain() that returns the sums of `mine`, which the ranks knew before.
  BfsTotals drain(const BfsTotals& mine);
  void note_outcome();
  /// To be called after each level, pushed or pulled.
  void note(const BfsLevel& found, Vertex unvisited) {
    if (estimate_) estimate_->note(found, unvisited);
  }

  bool may_exchange_small_levels() const { return !pending_.empty(); }
  /// Whether every push is to be exchanged so, small or not.
  bool exchanges_every_push() const {
    return may_exchange_small_levels() && NeighborAlltoallv::by_queue(view_.world());
  }
  void enqueue(Local mirror, Id parent) {
    const std::size_t owner = view_.owner_of(mirror);
    pending_[owner].push_back({static_cast<std::uint32_t>(mirror - view_.begin(owner)), parent});
  }
  /// Exchanges the enqueued visits of all ranks and applies those received; returns the sum of `mine` over all ranks.
  BfsLevel exchange_small_level(const BfsLevel& mine);

  /// Sends the visits of one vertex; used by one thread.
  class Sender {
   public:
    /// Returns false if the vertex has delegates, which receive one record for all mirrors of their rank.
    bool send(Local mirror) {
      if (delegates_.empty()) {
        updates_.send_to_owner(mirror, id_);
        return true;
      }
      // Mirrors are grouped by owner: one record for each group with a newly reached vertex.
      if (mirror < sent_.first || mirror >= sent_.second) sent_ = updates_.send_to_delegate(delegates_, mirror, id_);
      return false;
    }

   private:
    friend class RemoteUpdates;
    Sender(RemoteUpdates& updates, std::span<const Delegates::Delegate> delegates, Id id)
        : updates_(updates), delegates_(delegates), id_(id) {}
    RemoteUpdates& updates_;
    const std::span<const Delegates::Delegate> delegates_;
    const Id id_;
    std::pair<Local, Local> sent_{0, 0};  // mirrors of the rank whose delegate got the last record
  };
  Sender from(Local u, Id id) {
    return {*this, delegates_ ? delegates_->of(u) : std::span<const Delegates::Delegate>(), id};
  }
  std::size_t memory_bytes() const { return delegates_ ? delegates_->memory_bytes() : 0; }

 private:
  using Thread = typename BfsState<Id>::Thread;
  // `mirror`: index among the sender's mirrors of the receiver's vertices. With kDelegateBit: the receiver's delegate
  // row whose vertex is in the frontier.
  static constexpr std::uint32_t kDelegateBit = std::uint32_t{1} << 31;
  struct [[gnu::packed]] Visit {
    std::uint32_t mirror;
    Id parent;
  };
  struct Receive {
    RemoteUpdates* updates;
    void operator()(Rank from, std::span<const Visit> records) { updates->receive(from, records); }
  };
  // Header of a part of an exchange of a small level; `visits` Visit records follow.
  struct [[gnu::packed]] PartHeader {
    Vertex vertices;
    Edge edges;
    std::uint32_t visits;
  };
  void write_part(NeighborAlltoallv::Writer& writer, Rank to, const BfsLevel& mine);
  // Record on routes of several hops. vertex: the receiver's local number; -1 - k for its delegate row k.
  struct [[gnu::packed]] ForwardedVisit {
    Local vertex;
    Id parent;
  };
  struct ReceiveForwarded {
    RemoteUpdates* updates;
    void operator()(std::span<const ForwardedVisit> records) { updates->receive_forwarded(records); }
  };
  struct VertexOf {
    std::uint32_t operator()(const ForwardedVisit& p) const { return static_cast<std::uint32_t>(p.vertex); }
  };
  struct KeepFirst {
    void operator()(ForwardedVisit&, const ForwardedVisit&) const {}  // any parent on the level before will do
  };

  void send_to_owner(Local mirror, Id id) {
    const std::size_t owner = view_.owner_of(mirror);
    const auto k = static_cast<std::uint32_t>(mirror - view_.begin(owner));
    if (forwarded_) {
      forwarded_->send(static_cast<Rank>(owner), {owner_local_[owner][k], id});
    } else {
      direct_->send(static_cast<Rank>(owner), {k, id});
    }
  }
  std::pair<Local, Local> send_to_delegate(std::span<const Delegates::Delegate> delegates, Local mirror, Id id);
  void receive(Rank from, std::span<const Visit> records);
  void receive_forwarded(std::span<const ForwardedVisit> records);
  void claim_vertex(Thread& thread, Local v, Id parent);
  void push_row(Thread& thread, std::uint32_t row, Id parent);

  const TraversalView<Id>& view_;
  const BfsKernels<Id> kernels_;
  BfsState<Id>& state_;
  std::optional<Delegates> delegates_;
  std::vector<Array<Local>> claimed_;  // [thread] for push_row(), which may run while a push sends
  std::vector<std::vector<Local>>
      owner_local_;  // [owner][mirror index] local number on the owner; empty on the direct route
  std::optional<DistinctTargetEstimate> estimate_;  // on routes of several hops only
  const bool agrees_apart_;                         // see Exchange; a search that only pushes needs not
  std::optional<Mailbox<Visit, Receive>> direct_;
  std::optional<NeighborAlltoallv> alltoallv_;
  std::size_t part_capacity_ = 0;            // bytes
  std::vector<std::vector<Visit>> pending_;  // [rank] visits to send in the exchange of a small level
  std::optional<Mailbox<ForwardedVisit, ReceiveForwarded, Merge<VertexOf, KeepFirst>>> forwarded_;
};

}  // namespace atl
