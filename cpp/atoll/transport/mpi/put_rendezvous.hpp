// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/mpi/rma_notifications.hpp>
#include <functional>

namespace atl::mpi {

/// Brings two ranks together for a call that is collective over the pair and blocks, in an order that cannot deadlock.
/// If ranks simply made the call, a ring of ranks that each want the next one would wait for ever.
///
/// The lower rank of a pair proposes, one operation at a time. While its proposal is open it answers all others "busy"
/// and proposes again later. The other rank accepts if it has no open proposal of its own. Only then do both enter the
/// call: the acceptor with its answer, the proposer when the answer arrives. So a rank inside the call waits for a peer
/// that has nothing to do but to enter. Of all proposers, the one with the highest number has proposed to a rank that
/// has not proposed (or is inside), so some pair always meets.
class PutRendezvous {
 public:
  /// The first word of a notice; others are the layer's own.
  enum What : std::int32_t { ask, propose, accept, busy, others };

  /// Both ranks then call enter(peer, operation).
  PutRendezvous(Rank rank, RmaNotifications& notices, std::function<void(Rank, int)> enter)
      : rank_(rank), notices_(notices), enter_(std::move(enter)) {}

  /// Requests the operation with `peer`; once is enough.
  void want(Rank peer, int operation) {
    for (const Pending& w : pending_)
      if (w.peer == peer && w.operation == operation) return;
    pending_.push_back({peer, operation, false});
  }
  bool any() const { return !pending_.empty(); }

  /// Proposes, or asks the lower rank to; never blocks.
  void step() {
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      Pending& w = pending_[i];
      if (w.peer < rank_ && !w.asked) {
        w.asked = true;
        notices_.send(w.peer, {{ask, w.operation, 0, 0}});
      } else if (w.peer > rank_ && partner_ < 0) {
        partner_ = w.peer;
        notices_.send(w.peer, {{propose, w.operation, 0, 0}});
        std::rotate(pending_.begin() + static_cast<std::ptrdiff_t>(i),
                    pending_.begin() + static_cast<std::ptrdiff_t>(i) + 1, pending_.end());  // next time another one
        return;
      }
    }
  }
  /// Handles a notice of this protocol; may enter the operation inside. `done`: the operation has already completed.
  void on_notification(const RmaNotifications::Words& words, Rank from, bool done) {
    const int operation = words.values[1];
    switch (words.values[0]) {
      case ask:
        if (!done) want(from, operation);
        break;
      case propose:
        notices_.send(from, {{partner_ < 0 ? accept : busy, operation, 0, 0}});
        if (partner_ < 0) enter(from, operation);
        break;
      case accept:
        partner_ = -1;
        enter(from, operation);
        break;
      default:
        partner_ = -1;
    }
  }

 private:
  struct Pending {
    Rank peer;
    int operation;
    bool asked;
  };

  void enter(Rank peer, int operation) {
    enter_(peer, operation);
    std::erase_if(pending_, [&](const Pending& w) { return w.peer == peer && w.operation == operation; });
  }

  const Rank rank_;
  RmaNotifications& notices_;
  const std::function<void(Rank, int)> enter_;
  std::vector<Pending> pending_;
  Rank partner_ = -1;  // the rank to which this rank has an open proposal
};

}  // namespace atl::mpi
