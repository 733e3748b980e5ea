// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/fabric.hpp>
#include <vector>

/// Ranks as threads of one process, without MPI and sockets; all unit tests and sanitizers use it.
///
///     auto fabrics = make_inproc({.ranks = 3, .slot_bytes = 4096});
///     std::thread other([&] { use(*fabrics[1]); });
///
/// With a seed, delivery is delayed and reordered: each poll ignores arrived packets with probability 1/2 and returns
/// bulk packets in a random order, the same for the same seed and the same sequence of polls. Messages from one rank to
/// another keep their order, as on every fabric.
namespace atl {

struct InprocOptions {
  Rank ranks = 1;
  std::size_t slot_bytes = 16384;
  int slots_per_peer = 8;                 ///< 1 .. 64; per ordered pair of ranks
  std::size_t ring_bytes = 65536;         ///< of messages, per ordered pair; a power of two from 64 on
  std::size_t control_ring_bytes = 4096;  ///< of control, per ordered pair; a power of two from 64 on
  std::uint64_t shuffle_seed = 0;         ///< 0: deliver at once
  std::vector<int> nodes;                 ///< assumed node of each rank; empty: all on node 0
};

/// One fabric for each rank. They share the slots; a pair's memory is allocated at its first use.
std::vector<std::unique_ptr<Fabric>> make_inproc(const InprocOptions& options);

}  // namespace atl
