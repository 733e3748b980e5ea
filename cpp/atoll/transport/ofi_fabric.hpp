// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <atoll/transport/fabric.hpp>
#include <atoll/transport/plugin.hpp>
#include <vector>

/// Ranks over libfabric: InfiniBand, Omni-Path, Slingshot, EFA, TCP and shared memory, each a provider of one
/// interface. A plug-in, as MPI is (see plugin.hpp).
///
///     auto fabric = join_ofi({.slot_bytes = 65536}, find_bootstrap());      // collective over the bootstrap
///     log("{}", fabric->provider());                                        // "tcp;ofi_rxm"
///
namespace atl {

/// A fabric over libfabric; what bench and discovery ask for beyond Fabric.
class OfiFabric : public Fabric {
 public:
  ~OfiFabric() override;
  virtual std::string provider() const = 0;  ///< as libfabric names it
  /// One text (at most Bootstrap::kTextBytes) of each rank. Collective.
  virtual std::vector<std::string> gather_texts(const std::string& mine) = 0;
  /// What this provider reaches between ranks 0 and 1 without Atoll, over endpoints opened for it alone: one way of a
  /// message, in seconds, and messages a second from 0 to 1 with a window of 64. The bounds of send(); 1 to 65536
  /// bytes. Collective; 0 on the other ranks.
  virtual double raw_latency(std::size_t bytes, int iterations) = 0;
  virtual double raw_rate(std::size_t bytes, int messages) = 0;
};

struct OfiOptions {
  /// As libfabric names it ("tcp;ofi_rxm"), or auto: the first that all ranks have of verbs;ofi_rxm, psm3, psm2, cxi,
  /// efa, shm (where all ranks share a node) and tcp;ofi_rxm.
  std::string provider = "auto";
  std::size_t slot_bytes = 16384;
  std::size_t message_bytes = 4096;
  int slots_per_peer = 8;                           ///< in flight per ordered pair of ranks
  std::size_t budget_bytes = std::size_t{1} << 30;  ///< of slots; two a peer are always granted
};

/// Joins the job whose ranks the bootstrap knows, which the fabric shares. Collective. Throws TransportError: no
/// plug-in, or one that does not load; no provider, or another one on some rank; UsageError: a provider that is known
/// to stall.
std::unique_ptr<OfiFabric> join_ofi(const OfiOptions& options, std::shared_ptr<Bootstrap> bootstrap);

/// Whether the plug-in loads, with the providers that would serve on this machine.
PluginStatus ofi_plugin_status();

// What the plug-in exports; checked before anything else of it is used.

struct OfiPlugin {
  std::uint32_t abi;         ///< kPluginAbi
  std::string (*library)();  ///< "libfabric 1.17: shm, tcp;ofi_rxm", the providers that would serve here
  std::unique_ptr<OfiFabric> (*join)(const OfiOptions& options, std::shared_ptr<Bootstrap> bootstrap);
};
inline constexpr const char* kOfiPluginEntry = "atoll_ofi_plugin";

}  // namespace atl
