// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/files/checksum.hpp>
#include <atoll/runtime/heartbeat.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <atoll/runtime/job/rank_order.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <atoll/transport/ofi_fabric.hpp>
#include <atoll/transport/plugin.hpp>
#include <atoll/transport/shared_memory/shm.hpp>
#include <atomic>
#include <cinttypes>
#include <cstdio>

namespace atl {
namespace {

ShmOptions shm_options(const Plan& plan, Rank ranks) {
  ShmOptions shm;
  shm.slot_bytes = plan.slot_bytes_for(ranks);
  shm.slots_per_peer = plan.slots_per_peer;
  shm.ring_bytes = plan.ring_bytes_for(ranks);
  shm.shuffle_seed = plan.shuffle_seed;
  return shm;
}

MpiOptions mpi_options(const Plan& plan, Rank ranks, const std::vector<Rank>& order,
                       const std::optional<Communicator>& communicator) {
  MpiOptions mpi;
  mpi.order = order;
  mpi.mpi = plan.mpi;
  mpi.mprobe = plan.transport == "mpi_mprobe";
  if (plan.transport == "mpi_probe" || mpi.mprobe) mpi.layer = "probe";
  if (plan.transport == "mpi_rma") mpi.layer = "rma";
  mpi.slot_bytes = plan.slot_bytes_for(ranks);
  mpi.slots_per_peer = plan.slots_per_peer;
  mpi.budget_bytes = plan.budget_bytes;
  mpi.threads = plan.threads != 1;
  if (communicator) {
    mpi.communicator = communicator->address;
    mpi.library_version = communicator->library_version;
    mpi.finalize = false;
  }
  return mpi;
}

std::unique_ptr<Fabric> join_ofi_by(const Plan& plan, std::shared_ptr<Bootstrap> job) {
  // The memory posted for each peer is as long as the longest message.
  constexpr std::size_t kShortest = 512, kLongest = 8192;
  OfiOptions ofi;
  ofi.provider = plan.provider;
  ofi.slot_bytes = plan.slot_bytes_for(job->size());
  ofi.message_bytes = std::clamp(plan.eager_bytes, kShortest, kLongest);
  ofi.slots_per_peer = plan.slots_per_peer;
  ofi.budget_bytes = plan.budget_bytes;
  return join_ofi(ofi, std::move(job));
}

// Files of one name may differ between machines, and then two processes would take one rank.
void check_same_order(Bootstrap& job, const std::vector<Rank>& order) {
  if (order.empty()) return;
  const std::string mine = fmt::format("{:016x}", checksum(order.data(), order.size() * sizeof(Rank)));
  for (const std::string& other : job.gather(mine))
    if (other != mine)
      throw UsageError(
          "--map: the ranks have different orders (they have read different files). Give all the same file.");
}

// Returns the bootstrap as launched, or in the order; null as find_bootstrap().
std::shared_ptr<Bootstrap> found_bootstrap(const std::vector<Rank>& order) {
  std::shared_ptr<Bootstrap> job = find_bootstrap();
  if (!job || order.empty()) return job;
  check_same_order(*job, order);
  return in_order(std::move(job), order);
}

// Shared memory under `network` for the ranks of one node.
std::unique_ptr<Fabric> over_node(std::unique_ptr<Fabric> network, Bootstrap& job, const Plan& plan,
                                  const std::optional<Hierarchy>& declared, const Log& log) {
  ShmOptions shm = shm_options(plan, job.size());
  shm.may_be_apart = plan.transport != "shm";
  for (Rank r = 0; declared && shm.may_be_apart && r < job.size(); ++r) shm.domains.push_back(declared->leaf_of(r));
  try {
    std::unique_ptr<Fabric> node = join_shm(job, shm);
    return compose(std::move(node), std::move(network));
  } catch (const TransportError& e) {
    if (plan.transport == "shm" || plan.node_transport == "shm") throw;
    // The same on every rank, so every rank goes on without.
    if (job.rank() == 0) log(LogLevel::warn, "no shared memory between ranks of a node, which is slower: {}", e.what());
    return network;
  }
}

// Without a parent that watches the job each rank looks after the others itself. One that has ended is lost if the
// wait goes on for another half a second: what it sent before it left has been taken then.
World::LostPeer watch_processes(Bootstrap& job) {
  char space[64] = {};  // of process numbers; those of another one mean nothing here
  static_cast<void>(!readlink("/proc/self/ns/pid", space, sizeof space - 1));
  const ProcessId self = ProcessId::self();
  std::vector<ProcessId> peers;
  for (const std::string& text : job.gather(fmt::format("{} {} {}", self.pid, self.start, space))) {
    ProcessId peer;
    char there[64] = {};
    const bool here = std::sscanf(text.c_str(), "%d %" SCNu64 " %63s", &peer.pid, &peer.start, there) >= 2 &&
                      std::string_view(there) == space;
    peers.push_back(here ? peer : self);
  }
  return [peers, missed = std::make_shared<std::atomic<int>>(-1)]() -> std::optional<std::string> {
    // The first that was missed is the reason; others end because of it.
    if (const int rank = missed->load(); rank >= 0)
      return fmt::format("rank {} (pid {}) has ended", rank, peers[rank].pid);
    const auto gone = std::find_if(peers.begin(), peers.end(), [](const ProcessId& p) { return !p.alive(); });
    int none = -1;
    if (gone != peers.end()) missed->compare_exchange_strong(none, static_cast<int>(gone - peers.begin()));
    return std::nullopt;
  };
}

// From here on this rank is heard by the others, and hears of those that are silent.
World::Options with_pulse(Bootstrap& job, const Plan& plan, World::Options options) {
  const auto heartbeat = std::make_shared<Heartbeat>(
      job, Heartbeat::Options{.timeout_s = plan.timeout_seconds, .warn_s = plan.stall_seconds, .alarm = options.alarm});
  options.waiting = [heartbeat, also = std::move(options.waiting)](const char* operation) {
    heartbeat->note(operation);
    if (also) also(operation);
  };
  options.lost_peer = [heartbeat, also = std::move(options.lost_peer)]() -> std::optional<std::string> {
    // A rank that is known to be gone is told by more than its silence.
    auto lost = also ? also() : std::nullopt;
    if (!lost) heartbeat->check();
    return lost;
  };
  return options;
}

}  // namespace

std::unique_ptr<World> join_world(const Plan& plan, World::Options options,
                                  const std::optional<Communicator>& communicator) {
  if (is_virtual(plan))
    throw UsageError(
        fmt::format("transport {} in a program that is one rank (all simulated ranks live in one process). Use the "
                    "command, or run_virtual().",
                    plan.transport));
  const auto by = launcher();
  const Rank ranks = by ? by->ranks : 1;
  std::optional<Hierarchy> declared;
  if (!plan.domains.empty()) declared = read_domains(plan.domains, ranks, options.log);
  const std::vector<Rank> order = rank_order(plan, ranks);
  if (declared && order.size() == static_cast<std::size_t>(declared->size())) declared = declared->of_places(order);

  std::shared_ptr<Bootstrap> job;
  std::unique_ptr<Fabric> fabric;
  if ((plan.transport == "shm" || plan.transport == "ofi") && !communicator) job = found_bootstrap(order);
  if (plan.transport == "ofi") {
    if (!job)
      throw TransportError(
          fmt::format("transport ofi under {} (its ranks need PMI-1, a folder or a list of hosts to find each other). "
                      "Start it without a launcher and with --ranks, by mpiexec of MPICH, or set ATOLL_BOOTSTRAP.",
                      communicator ? "an MPI communicator"
                      : by         ? by->name
                                   : "no launcher"));
    fabric = join_ofi_by(plan, job);
    if (plan.node_transport == "shm" && job->size() > 1)
      fabric = over_node(std::move(fabric), *job, plan, declared, options.log);
  } else if (job) {
    fabric = join_shm(*job, shm_options(plan, ranks));
    if (!options.lost_peer) options.lost_peer = watch_processes(*job);
  } else {
    auto mpi = join_mpi(mpi_options(plan, ranks, order, communicator));
    job = bootstrap_by_mpi(*mpi);
    check_same_order(*job, order);
    fabric = std::move(mpi);
    const bool shared = plan.transport == "shm" || plan.node_transport == "shm" ||
                        (plan.transport == "auto" && plan.node_transport == "auto");
    if (shared && job->size() > 1) fabric = over_node(std::move(fabric), *job, plan, declared, options.log);
  }
  if (job->size() > 1) options = with_pulse(*job, plan, std::move(options));
  Hierarchy hierarchy = declared ? std::move(*declared) : discover(*job, *fabric);
  return std::make_unique<World>(std::move(fabric), plan, std::move(hierarchy), std::move(options));
}

}  // namespace atl
