// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

/// All options of communication in one value. Algorithms do not know them.
///
///     Plan plan = Plan::from_environment(Plan{.transport = "inproc"});   // ATOLL_SLOT_BYTES=4096 overrides a field
namespace atl {

struct Plan {
  std::string transport = "auto";       ///< auto inproc shm mpi mpi_probe mpi_mprobe mpi_rma ofi levels
  std::string node_transport = "auto";  ///< auto shm none: what ranks of one node use under another transport
  std::string mpi = "auto";             ///< auto openmpi mpich: which plug-in serves transports mpi*
  std::string provider = "auto";        ///< of libfabric, for transport ofi: auto tcp;ofi_rxm shm verbs;ofi_rxm ...
  /// How records travel between ranks: direct aml aml-levels row mst mst-levels domain domain:leaf domain:rank auto.
  std::string route = "direct";
  std::string without = {};       ///< some of merging,claims,closing: what routes leave out of what they save (Savings)
  std::string exchange = "auto";  ///< auto mailbox queue: what carries the values that ranks exchange in rounds
  /// spread one single router heavy: which ranks of a domain gather for others, on route domain (Monitors).
  std::string monitors = "spread";
  std::string domains = {};   ///< hierarchy to assume: 2x4, torus:4x4, a file; empty: as discovered
  std::string platform = {};  ///< costs of the levels: a network or a JSON file; empty: the paper's ratios
  /// Order of the ranks: identity random hamorder hamorder-w, or a file of places; empty: as launched (rank_order.hpp).
  std::string map = {};
  std::string buffers = "dynamic";     ///< dynamic switched single: how far a producer runs ahead of its links
  std::size_t lane_bytes = 256 << 10;  ///< size of a send buffer in which records for one next hop merge; 0: no merging
  int threads = 0;                     ///< per rank; 0: usable cores / ranks on this node
  std::size_t slot_bytes = 0;      ///< size of a packet; 0: see slot_bytes_for, and SlotRule for routes of several hops
  int slots_per_peer = 4;          ///< packets in flight per ordered pair of ranks
  std::size_t ring_bytes = 0;      ///< ring for small messages per ordered pair on a node; 0: see ring_bytes_for
  std::size_t eager_bytes = 8192;  ///< longer messages go by rendezvous; capped by the transport's limit
  int packets = 512;               ///< of the queue, per rank: messages not yet received, or waiting for their data
  std::string progress = "inline";                  ///< inline thread: whether a communication thread makes progress
  std::size_t budget_bytes = std::size_t{1} << 30;  ///< communication memory per rank
  std::size_t replicated_bytes = std::size_t{1} << 30;  ///< largest O(n) bitmap that each rank may hold
  double stall_seconds = 30;  ///< after so long without any progress, warn once who waits for what
  /// A process that has not answered for so long, while others wait, ends the job: it is stopped or lost (a process
  /// that computes still answers). 0: never. If ranks are threads, any value other than the default limits each wait.
  double timeout_seconds = 60;
  /// Virtual seconds that pass for a second in which a rank's processor computes, on transports levels and flows. 0: none,
  /// and a run is the same each time.
  double compute_scale = 0;
  std::uint64_t shuffle_seed = 0;  ///< nonzero: inproc delays and reorders delivery, seeded by it

  /// slot_bytes, or if it is 0: 64 KiB up to 16 ranks (measured best for 2 to 4 over MPI and in process), then less, so
  /// that a rank's slots for all its peers stay about 4 MiB, and no less than 1 KiB.
  std::size_t slot_bytes_for(int ranks) const;

  /// The longest slot of a relay, where the fabric has slots of several lengths: slot_bytes, or if it is 0: 256 KiB.
  std::size_t longest_slot_bytes() const { return slot_bytes > 0 ? slot_bytes : std::size_t{256} << 10; }

  /// ring_bytes, or if it is 0: 128 KiB up to 16 ranks, then less, and no less than 4 KiB.
  std::size_t ring_bytes_for(int ranks) const;

  /// Converts to and from JSON. Throws InputError for an unknown field and names it.
  nlohmann::json to_json() const;
  static Plan from_json(const nlohmann::json& j);
  /// `base`, overridden by the environment variables ATOLL_<FIELD>. Throws UsageError for a bad value.
  static Plan from_environment(Plan base);
  /// Throws InputError for a value out of its range.
  void validate() const;
};

/// Environment variables ATOLL_* that are set but name no field of Plan and nothing else that Atoll reads.
std::vector<std::string> unknown_environment();

}  // namespace atl
