// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/transport/mpi/inbox.hpp>
#include <cstring>

namespace atl::mpi {

/// Small control messages between the two ends of a layer (credits, agreements on windows). The layer bounds their
/// number: there are never more in flight than packets that they refer to.
class RmaNotifications {
 public:
  struct Words {
    std::array<std::int32_t, 4> values{};
  };

  RmaNotifications(MPI_Comm comm, int tag, Rank ranks)
      : comm_(comm),
        tag_(tag),
        ranks_(ranks),
        sent_to_(static_cast<std::size_t>(ranks)),
        inbox_(comm, tag, sizeof(Words), 0, ranks > 1 ? kPosted : 0) {}

  void send(Rank to, const Words& words) {
    while (!sending_.empty() && ended(sending_.front().request)) sending_.pop_front();
    ++sent_to_[to];
    Sending& s = sending_.emplace_back(Sending{words, MPI_REQUEST_NULL});  // a deque: references stay valid
    call(MPI_Isend(&s.words, sizeof s.words, MPI_BYTE, to, tag_, comm_, &s.request), "MPI_Isend");
    if (sending_.size() == 1 && ended(s.request)) sending_.pop_front();
  }
  /// Takes the next arrived one.
  bool take(Words& words, Rank& from) {
    if (ranks_ == 1) return false;
    MPI_Request request = inbox_.next();
    int here = 0;
    MPI_Status status;
    call(MPI_Test(&request, &here, &status), "MPI_Test");
    if (!here) return false;
    const Packet packet = inbox_.take(status);
    std::memcpy(&words, packet.data, sizeof words);
    from = packet.from;
    inbox_.post(packet.ticket);
    ++taken_;
    return true;
  }

  /// Takes those still in flight, calling f(words, from) for each: a communicator must be empty when it is freed.
  /// Collective.
  template <class F>
  void close(F&& f) {
    if (ranks_ == 1) return;
    for (Sending& s : sending_) finish(s.request, "MPI_Test");
    sending_.clear();
    std::vector<std::int64_t> coming(sent_to_.size());
    MPI_Request request;
    call(MPI_Ialltoall(sent_to_.data(), 1, MPI_INT64_T, coming.data(), 1, MPI_INT64_T, comm_, &request),
         "MPI_Ialltoall");
    finish(request, "MPI_Ialltoall");
    std::int64_t all = 0;
    for (const std::int64_t n : coming) all += n;
    Words words;
    Rank from = 0;
    for (Backoff backoff; taken_ < all;) {
      if (take(words, from)) {
        f(words, from);
      } else {
        backoff.pause_or_sleep();
      }
    }
    inbox_.close();
  }
  void abandon(std::vector<MPI_Request>& receives) {
    inbox_.abandon(receives);
    new std::deque<Sending>(std::move(sending_));
  }

 private:
  static constexpr int kPosted = 8;
  struct Sending {
    Words words;
    MPI_Request request;
  };
  static bool ended(MPI_Request& request) {
    int done = 0;
    call(MPI_Test(&request, &done, MPI_STATUS_IGNORE), "MPI_Test");
    return done != 0;
  }

  const MPI_Comm comm_;
  const int tag_;
  const Rank ranks_;
  std::vector<std::int64_t> sent_to_;
  std::int64_t taken_ = 0;
  std::deque<Sending> sending_;
  Inbox inbox_;
};

}  // namespace atl::mpi
