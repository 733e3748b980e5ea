// SPDX-License-Identifier: Apache-2.0
#include "knobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atoll/base/json.hpp>
#include <nlohmann/json.hpp>

#include "help.hpp"

namespace atl::cli {
namespace {

constexpr std::pair<std::string_view, std::string_view> kKnobs[] = {
    {"budget_bytes", "communication memory of a rank"},
    {"buffers", "how far a producer of records runs ahead of its links: dynamic, switched or single"},
    {"compute_scale", "virtual seconds a second of computation, in virtual time; 0: computation takes none"},
    {"domains", "the hierarchy to assume: 2x4, torus:4x4, a topology's file; empty: as found"},
    {"eager_bytes", "longer messages are announced first and sent when the receiver has room (rendezvous)"},
    {"lane_bytes", "size of a send buffer in which records for one next hop merge; 0: they do not merge"},
    {"map", "order of the ranks: identity, random, hamorder, hamorder-w or a file of places; empty: as launched"},
    {"exchange", "what carries the values that ranks exchange in rounds: auto, mailbox or queue"},
    {"monitors", "which ranks of a domain gather for the others on route domain: spread, one, single, router or heavy"},
    {"mpi", "which MPI serves transports mpi*: auto, openmpi or mpich"},
    {"node_transport", "what ranks of one node use under another transport: auto, shm or none"},
    {"packets", "messages of the queue, per rank, that are not yet received or wait for their data"},
    {"platform", "what messages cost on each level: a network or a JSON file; empty: the ratios of TuCOMM's paper"},
    {"progress", "whether the calling thread (inline) or a communication thread (thread) makes progress"},
    {"provider", "of libfabric, for transport ofi: auto, tcp;ofi_rxm, shm, verbs;ofi_rxm and others"},
    {"replicated_bytes", "largest bitmap over all vertices that each rank may hold"},
    {"ring_bytes", "ring for small messages between two ranks of a node; 0: by the number of ranks"},
    {"route",
     "how records travel between ranks: direct, aml, aml-levels, row, mst, mst-levels, domain, or auto (by "
     "predicted cost)"},
    {"shuffle_seed", "for tests: inproc delays and reorders delivery; 0: it does not"},
    {"slot_bytes", "size of a packet; 0: by the number of ranks, 64 KiB up to 16"},
    {"slots_per_peer", "packets in flight from one rank to another"},
    {"stall_seconds", "after so long without progress a warning says who waits for what"},
    {"threads", "of a rank; 0: usable cores / ranks of the node"},
    {"timeout_seconds", "a process that does not answer for so long, while others wait, ends the job; 0: never"},
    {"transport", "auto, inproc, shm, mpi, mpi_probe, mpi_mprobe, mpi_rma, ofi or levels (virtual time)"},
    {"without", "what routes leave out of what they save: some of merging,claims,closing; empty: nothing"},
};

}  // namespace

std::string explain_knobs(const Plan& plan) {
  std::vector<std::pair<std::string, std::string>> rows;
  const nlohmann::json fields = plan.to_json();
  for (const auto& [name, value] : fields.items()) {
    const auto known = std::ranges::find(kKnobs, name, [](const auto& row) { return row.first; });
    rows.emplace_back(fmt::format("  {} {}", name, dump_json(value)),
                      known == std::end(kKnobs) ? std::string() : std::string(known->second));
  }
  return wrapped_table(rows);
}

}  // namespace atl::cli
