// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/mpi/rma_notifications.hpp>
#include <functional>

namespace atl::mpi {

/// Brings two ranks together for a call that is collective over the pair and blocks, in an order that cannot deadlock.
/// If ranks simply made the call, a ring of ranks that each want the next one would wait for ever.
///
/// The lower rank of a pair proposes, one meeting at a time. While its proposal is open it answers all others "busy"
/// and proposes again later. The other rank accepts if it has no open proposal of its own. Only then do both enter the
/// call: the acceptor with its answer, the proposer when the answer arrives. So a rank inside the call waits for a peer
/// that has nothing to do but to enter. Of all proposers, the one with the highest number has proposed to a rank that
/// has not proposed (or is inside), so some pair always meets.
class PutRendezvous {
 public:
  /// The first word of a notice; others are the layer's own.
  enum What : std::int32_t { ask, propose, accept, busy, others };

  /// meet(peer, about) is what both then call.
  PutRendezvous(Rank rank, RmaNotifications& notices, std::function<void(Rank, int)> meet)
      : rank_(rank), notices_(notices), meet_(std::move(meet)) {}

  /// Wants to meet `peer`; once is enough.
  void want(Rank peer, int about) {
    for (const Pending& w : pending_)
      if (w.peer == peer && w.about == about) return;
    pending_.push_back({peer, about, false});
  }
  bool any() const { return !pending_.empty(); }

  /// Proposes, or asks the lower rank to; never blocks.
  void step() {
    for (std::size_t i = 0; i < pending_.size(); ++i) {
      Pending& w = pending_[i];
      if (w.peer < rank_ && !w.asked) {
        w.asked = true;
        notices_.send(w.peer, {{ask, w.about, 0, 0}});
      } else if (w.peer > rank_ && partner_ < 0) {
        partner_ = w.peer;
        notices_.send(w.peer, {{propose, w.about, 0, 0}});
        std::rotate(pending_.begin() + static_cast<std::ptrdiff_t>(i),
                    pending_.begin() + static_cast<std::ptrdiff_t>(i) + 1, pending_.end());  // next time another one
        return;
      }
    }
  }
  /// Handles a notice of this protocol; a meeting may take place inside. `met`: the meeting has already taken place.
  void hear(const RmaNotifications::Words& words, Rank from, bool met) {
    const int about = words.values[1];
    switch (words.values[0]) {
      case ask:
        if (!met) want(from, about);
        break;
      case propose:
        notices_.send(from, {{partner_ < 0 ? accept : busy, about, 0, 0}});
        if (partner_ < 0) meet(from, about);
        break;
      case accept:
        partner_ = -1;
        meet(from, about);
        break;
      default:
        partner_ = -1;
    }
  }

 private:
  struct Pending {
    Rank peer;
    int about;
    bool asked;
  };

  void meet(Rank peer, int about) {
    meet_(peer, about);
    std::erase_if(pending_, [&](const Pending& w) { return w.peer == peer && w.about == about; });
  }

  const Rank rank_;
  RmaNotifications& notices_;
  const std::function<void(Rank, int)> meet_;
  std::vector<Pending> pending_;
  Rank partner_ = -1;  // the rank to which this rank has an open proposal
};

}  // namespace atl::mpi
