// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <atoll/transport/fabric.hpp>
#include <atoll/transport/plugin.hpp>
#include <vector>

/// Ranks over libfabric: InfiniBand, Omni-Path, Slingshot, EFA, TCP and shared memory, each a provider behind one
/// interface. A plug-in like MPI (see plugin.hpp).
///
///     auto fabric = join_ofi({.slot_bytes = 65536}, find_bootstrap());      // collective over the bootstrap
///     log("{}", fabric->provider());                                        // "tcp;ofi_rxm"
namespace atl {

/// A fabric over libfabric, with what bench and discovery need beyond Fabric.
class OfiFabric : public Fabric {
 public:
  ~OfiFabric() override;
  virtual std::string provider() const = 0;  ///< as libfabric names it
  /// Gathers one text (at most Bootstrap::kTextBytes) of each rank. Collective.
  virtual std::vector<std::string> gather_texts(const std::string& mine) = 0;
  /// The provider's own performance between ranks 0 and 1, over endpoints opened for this measurement: the one-way
  /// latency in seconds, and messages per second from 0 to 1 with a window of 64. They bound send(); 1 to 65536 bytes.
  /// Collective; 0 on the other ranks.
  virtual double raw_latency(std::size_t bytes, int iterations) = 0;
  virtual double raw_rate(std::size_t bytes, int messages) = 0;
};

struct OfiOptions {
  /// The provider, as libfabric names it ("tcp;ofi_rxm"), or auto: the first that all ranks have among verbs;ofi_rxm,
  /// psm3, psm2, cxi, efa, shm (if all ranks share a node) and tcp;ofi_rxm.
  std::string provider = "auto";
  std::size_t slot_bytes = 16384;
  std::size_t message_bytes = 4096;
  int slots_per_peer = 8;                           ///< in flight per ordered pair of ranks
  std::size_t budget_bytes = std::size_t{1} << 30;  ///< for slots; two per peer are always granted
};

/// Joins the job of the bootstrap, which the fabric shares. Collective. Throws TransportError if there is no plug-in or
/// it does not load, or if some rank has no provider or another one; UsageError for a provider that is known to stall.
std::unique_ptr<OfiFabric> join_ofi(const OfiOptions& options, std::shared_ptr<Bootstrap> bootstrap);

/// Whether the plug-in loads, and which providers it would use on this machine.
PluginStatus ofi_plugin_status();

// The exports of the plug-in; `abi` is checked before anything else is used.

struct OfiPlugin {
  std::uint32_t abi;         ///< kPluginAbi
  std::string (*library)();  ///< "libfabric 1.17: shm, tcp;ofi_rxm": the providers it would use here
  std::unique_ptr<OfiFabric> (*join)(const OfiOptions& options, std::shared_ptr<Bootstrap> bootstrap);
};
inline constexpr const char* kOfiPluginEntry = "atoll_ofi_plugin";

}  // namespace atl
