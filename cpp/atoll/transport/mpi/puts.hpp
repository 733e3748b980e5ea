// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/mpi/sends.hpp>
#include <deque>

namespace atl::mpi {

/// Puts over two-sided MPI: the target posts receives directly into the exposed memory, under a tag that no other put
/// to it uses, and sends the tag as the PutTarget. The origin sends directly from its own memory. Atoll copies no byte.
///
///     if (puts.expose(from, memory, token, target) == Busy::no) ...   // at the target
///     puts.put(to, target, source, token);                            // at the origin
///     while (puts.progress(ended)) ...                                 // both: put_arrived, put_sent
class Puts {
 public:
  explicit Puts(MPI_Comm comm);

  /// Busy::no_slot if all tags are in use.
  Busy expose(Rank from, std::span<std::byte> memory, std::uint64_t token, PutTarget& target);
  void put(Rank to, const PutTarget& target, std::span<const std::byte> source, std::uint64_t token);

  bool any() const { return !pieces_.empty(); }
  /// Appends the ends of completed puts; true if there was one.
  bool progress(std::deque<Packet>& ended);

  void finish_all() { pieces_.finish_all(); }
  /// Leaves the receives to the code that finalizes MPI.
  void abandon(std::vector<MPI_Request>& receives);

 private:
  struct Put {
    Packet end;
    int tag = 0;
    int pieces = 0;  // that have not ended
  };

  std::uint32_t open(const Packet& end, int tag, std::size_t bytes);

  const MPI_Comm comm_;
  int next_tag_, last_tag_;
  std::vector<int> free_tags_;
  std::vector<Put> puts_;
  std::vector<std::uint32_t> free_;
  Sends<std::uint32_t> pieces_;  // each of the put with that index
};

}  // namespace atl::mpi
