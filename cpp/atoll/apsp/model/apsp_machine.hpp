// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/model/hyperbola.hpp>
#include <atoll/base/types.hpp>
#include <atoll/runtime/broadcast/broadcast_shape.hpp>
#include <atoll/topology/machine.hpp>
#include <cstddef>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

/// The machine parameters of the all-pairs model: rates as functions of sizes, as in Table V of COAST.
///
///     ApspMachine machine = ApspMachine::frontier();           // the paper's
///     ApspMachine mine = ApspMachine::from_json(json);         // what `atoll model fit` wrote
///     mine.broadcast("ring").bytes_per_second(bytes_on_a_node);
///
/// A *device* computes products; a *node* has a network link and a memory. Several ranks may share either. If each rank
/// of a machine was measured by itself, both are the rank.
namespace atl {

struct BroadcastModel {
  std::string name;  ///< "tree", "ring", "ring2m"
  BroadcastShape steps = BroadcastShape::tree;
  Hyperbola bytes_per_second;  ///< of panels, of one node, as a function of the matrix's bytes on a node
  /// How often a node sent each panel in that measurement: on another grid the number differs (node_sends), and the
  /// bandwidth with it. 1 for a link's own bandwidth. 0: the bandwidth includes this and holds for any grid.
  double sends = 0;
};

/// The default fraction of the shorter of computing and communicating that is hidden; it fits the paper's own run of
/// 702 s (Table II).
inline constexpr double kOverlap = 0.9;

struct ApspMachine {
  std::string name, provenance;  ///< provenance: when, where and how it was measured
  std::string element = "float32";
  std::size_t element_bytes = 4;

  Hyperbola
      rate_of_block;  ///< additions and minima per second of one device's product, as a function of the block size b
  Hyperbola rate_of_size;  ///< the same as a function of the matrix's bytes on a device
  /// Rate of Floyd-Warshall on one diagonal block. Infinite: not known, assumed to take no time.
  double diagonal_rate = std::numeric_limits<double>::infinity();
  std::vector<BroadcastModel> broadcasts;  ///< none: only one rank can be predicted
  double latency_s = 0;                    ///< of one step of a broadcast; 0 if the measured bandwidths include it
  /// Rate of a rank's own link to the others of its node. Infinite: not known, or each rank is a node.
  double rank_bytes_per_second = std::numeric_limits<double>::infinity();
  double overlap = kOverlap;  ///< see kOverlap

  int ranks_per_node = 1, ranks_per_device = 1;
  int cards = 1;  ///< network cards among which a node's bandwidth is divided; each rank uses one
  double memory_per_node = std::numeric_limits<double>::infinity();  ///< bytes
  double copies = 1;                                                 ///< copies of the matrix in memory

  /// The broadcast of that name; throws InputError with the list of names.
  const BroadcastModel& broadcast(std::string_view name) const;
  /// Throws InputError unless all numbers are valid.
  void validate() const;

  /// Takes the links of a machine: nodes of so many ranks, whose network is its level 1 and whose inside its level 0; each
  /// broadcast has the bandwidth of a node's own link. Throws InputError for a machine of one level.
  void take_links(const Machine& machine, int node_ranks);

  /// Table V, the figures of section III.A, and the further parameters of this model (see provenance).
  static ApspMachine frontier();
  nlohmann::json to_json() const;
  static ApspMachine from_json(const nlohmann::json& j);
};

}  // namespace atl
