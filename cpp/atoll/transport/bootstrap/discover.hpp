// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/log.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <atoll/transport/fabric.hpp>
#include <cstddef>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

/// Discovers this machine and the domains of this job.
///
///     Hierarchy h = discover(job, *fabric); // nodes, packages, NUMA domains, L3 caches, cores
///     Hierarchy h = read_domains("2x4");    // the value of --domains overrides it
namespace atl {

/// Where one rank runs. The number of its package, NUMA domain, L3 cache or core; -1 if the rank may run on several of
/// them.
struct Placement {
  int node = 0;
  std::string host;
  int package = -1;
  int numa = -1;
  int l3 = -1;
  int core = -1;
};

/// The placement of this process; takes milliseconds if it is bound to a part of the machine.
Placement placement();

/// The domains of ranks with these placements. Nodes form a level if there are several. Inside a node a level is kept
/// only if it separates some of its ranks and joins others. Unbound ranks of a node form one domain. Pure.
Hierarchy hierarchy_of(std::span<const Placement> ranks);

/// Collective over the bootstrap.
Hierarchy discover(Bootstrap& job, const Fabric& fabric);

/// Parses the value of --domains: "2x4", "3+2", a network such as "torus:4x4" (a rank per host), or a file of any
/// format of read_topology.hpp. The hosts of a file get equally many ranks each if `ranks` is given and divisible by
/// their number, else one. Throws InputError.
Hierarchy read_domains(const std::string& text, Rank ranks = 0, const Log& log = {});

/// The machine that this process runs on, as `atoll doctor` and results report it.
struct HostFacts {
  std::string host;
  std::string processor;
  std::string isa;  ///< the best instruction set with kernels that runs here
  int packages = 1;
  int numa_domains = 1;
  int cores = 1;
  int usable_cores = 1;                                  ///< hardware threads that this process may use
  std::size_t l1_bytes = 0, l2_bytes = 0, l3_bytes = 0;  ///< of one cache
  std::size_t memory_bytes = 0;
  std::size_t free_memory_bytes = 0;  ///< available without swapping
  std::string huge_pages;             ///< transparent huge pages: always, madvise, never
  nlohmann::json to_json() const;
};
HostFacts host_facts();

}  // namespace atl
