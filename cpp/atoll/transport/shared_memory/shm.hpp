// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <atoll/transport/fabric.hpp>

/// Ranks that are processes of one node, communicating through shared segments; as the only fabric, or composed with
/// another one for ranks on other nodes.
///
///     auto fabric = join_shm(*find_bootstrap(), {});                       // all ranks on this node
///     auto both = compose(join_shm(mpi_bootstrap, {.may_be_apart = true}), join_mpi({}));
///
/// Each rank creates one segment, the inbox that its neighbours write to, /dev/shm/atoll.USER.JOB.RANK.PID, and removes
/// the name as soon as all of them have attached it. So a job that dies later leaves nothing behind. The next job of
/// the same user removes names that processes left when they died earlier.
namespace atl {

struct ShmOptions {
  std::size_t slot_bytes = 65536;
  int slots_per_peer = 4;           ///< per ordered pair of ranks
  std::size_t ring_bytes = 131072;  ///< of messages, per ordered pair; a power of two from 64 on
  std::size_t control_ring_bytes = 4096;
  std::uint64_t shuffle_seed = 0;  ///< nonzero: delay and reorder delivery
  /// Whether ranks may be on other nodes; the fabric then reaches only those of this node.
  bool may_be_apart = false;
  /// Assumed domain of each rank; ranks of different domains do not share memory. Empty: one domain.
  std::vector<int> domains = {};
};

/// Collective over the bootstrap. Throws TransportError, the same on every rank, if /dev/shm is too small or ranks are
/// on several nodes.
std::unique_ptr<Fabric> join_shm(Bootstrap& job, const ShmOptions& options);

/// A fabric that uses `node` for the ranks that its rings reach and `network` for the others.
std::unique_ptr<Fabric> compose(std::unique_ptr<Fabric> node, std::unique_ptr<Fabric> network);

/// Whether processes of this machine can share memory, and how much; if not, what to do.
struct ShmStatus {
  bool ready = false;
  std::string detail;
};
ShmStatus shm_status();

/// Removes segments of this user whose creators are dead. Returns how many.
int remove_stale_segments();

}  // namespace atl
