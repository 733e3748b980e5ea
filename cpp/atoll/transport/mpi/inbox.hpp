// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/mpi/outbox.hpp>
#include <atoll/transport/mpi/session.hpp>

namespace atl::mpi {

/// Cancels a receive that will never complete.
inline void cancel(MPI_Request& request) {
  call(MPI_Cancel(&request), "MPI_Cancel");
  finish(request, "MPI_Test");
  if (request != MPI_REQUEST_NULL) call(MPI_Request_free(&request), "MPI_Request_free");
}

/// The receives of one kind of traffic: persistent, from any source, tested in the order in which they were posted,
/// which is the order in which MPI fills them. So polling tests one request, and one peer's packets arrive in order. If
/// packets are held back, the inbox posts further receives; the senders' windows bound their number.
class Inbox {
 public:
  /// Packets have at most `bytes`, of which `head` (at most kSlotHead) are the layer's own and precede the data. The
  /// first poll posts `to_begin_with` receives, not the constructor: with shared memory a rank may never poll, and
  /// posted receives slow down every message that the program itself sends by MPI (MPICH's from 0.2 to 0.85 us).
  Inbox(MPI_Comm comm, int tag, std::size_t bytes, std::size_t head, int to_begin_with)
      : comm_(comm), tag_(tag), bytes_(bytes), head_(head), to_begin_with_(to_begin_with), memory_(bytes) {}

  /// The request that MPI will complete first. Once it has, take() its packet.
  MPI_Request next() {
    if (receives_.empty())
      for (int i = 1; i < to_begin_with_; ++i) post_new();
    if (posted_.empty()) post_new();
    return receives_[posted_.front()].request;
  }
  Packet take(const MPI_Status& status) {
    int bytes = 0;
    call(MPI_Get_count(&status, MPI_BYTE, &bytes), "MPI_Get_count");
    const std::uint32_t k = posted_.front();
    posted_.pop_front();
    Packet packet;
    packet.data = receives_[k].data;
    packet.bytes = static_cast<std::size_t>(bytes) - head_;
    packet.from = status.MPI_SOURCE;
    packet.ticket = k;
    return packet;
  }
  /// The packet of this ticket has been read: posts its receive again.
  void post(std::uint32_t ticket) {
    call(MPI_Start(&receives_[ticket].request), "MPI_Start");
    posted_.push_back(ticket);
  }

  std::size_t bytes() const { return memory_.bytes(); }
  /// Cancels all receives: nothing more will arrive, and no packet is held.
  void close() {
    for (const std::uint32_t k : posted_) cancel(receives_[k].request);
  }
  /// Hands the receives to the code that finalizes MPI, and leaks their memory, which MPI may write.
  void abandon(std::vector<MPI_Request>& receives) {
    for (const std::uint32_t k : posted_) receives.push_back(receives_[k].request);
    memory_.leak();
  }

 private:
  struct Receive {
    MPI_Request request;
    std::byte* data;
  };

  void post_new() {
    const std::size_t k = receives_.size();
    if (k == memory_.size()) memory_.grow();
    receives_.push_back({MPI_REQUEST_NULL, memory_[k]});
    call(MPI_Recv_init(receives_[k].data - head_, count_of(head_ + bytes_), MPI_BYTE, MPI_ANY_SOURCE, tag_, comm_,
                       &receives_[k].request),
         "MPI_Recv_init");
    post(static_cast<std::uint32_t>(k));
  }

  const MPI_Comm comm_;
  const int tag_;
  const std::size_t bytes_, head_;
  const int to_begin_with_;
  SlotMemory memory_;
  std::vector<Receive> receives_;
  std::deque<std::uint32_t> posted_;  // as MPI fills them
};

}  // namespace atl::mpi
