// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/fabric.hpp>
#include <vector>

/// Ranks as threads of one process: no MPI, no sockets; what all unit tests and sanitizers run on.
///
///     auto fabrics = make_inproc({.ranks = 3, .slot_bytes = 4096});
///     std::thread other([&] { use(*fabrics[1]); });
///
/// With a seed, delivery is delayed and reordered: each poll leaves arrived packets lying with probability 1/2 and
/// hands out bulk packets in a random order, the same for the same seed and the same sequence of polls. Messages of
/// one rank to another keep their order, as they do everywhere.
namespace atl {

struct InprocOptions {
  Rank ranks = 1;
  std::size_t slot_bytes = 16384;
  int slots_per_peer = 8;                 ///< 1 .. 64; per ordered pair of ranks
  std::size_t ring_bytes = 65536;         ///< of messages, per ordered pair; a power of two from 64 on
  std::size_t control_ring_bytes = 4096;  ///< likewise, of control
  std::uint64_t shuffle_seed = 0;         ///< 0: deliver at once
  std::vector<int> nodes;                 ///< pretended node of each rank; empty: all on node 0
};

/// One fabric for each rank. They share the slots; a pair's memory is taken at its first use.
std::vector<std::unique_ptr<Fabric>> make_inproc(const InprocOptions& options);

}  // namespace atl
