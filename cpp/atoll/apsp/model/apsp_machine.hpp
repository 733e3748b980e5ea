// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/model/hyperbola.hpp>
#include <atoll/base/types.hpp>
#include <atoll/runtime/broadcast/broadcast_shape.hpp>
#include <cstddef>
#include <limits>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

/// What the model of all pairs' shortest paths knows about a machine: rates against sizes, as Table V of COAST has them.
///
///     ApspMachine machine = ApspMachine::frontier();           // the paper's
///     ApspMachine mine = ApspMachine::from_json(json);         // what `atoll model fit` wrote
///     mine.broadcast("ring").bytes_per_second(bytes_on_a_node);
///
/// A *device* multiplies, a *node* has a way to the network and a memory; several ranks may share either. On a machine of
/// which each rank was measured by itself, both are the rank.
namespace atl {

struct BroadcastModel {
  std::string name;  ///< "tree", "ring", "ring2m"
  BroadcastShape steps = BroadcastShape::tree;
  Hyperbola bytes_per_second;  ///< of panels, of one node, against the matrix's bytes on a node
  /// How often a node sent a panel where that was measured: another grid has another number (node_sends), and that part of
  /// the bandwidth. A link's own bandwidth has 1. 0: the bandwidth has all in it, and holds for any grid.
  double sends = 0;
};

/// The share of the shorter of computing and communicating that is expected to be hidden: the paper's own run of 702 s
/// (Table II) lies there.
inline constexpr double kOverlap = 0.9;

struct ApspMachine {
  std::string name, provenance;  ///< provenance: measured when, where and how
  std::string element = "float32";
  std::size_t element_bytes = 4;

  Hyperbola rate_of_block;  ///< additions and minima a second of one device's product, against the block size b
  Hyperbola rate_of_size;   ///< the same against the matrix's bytes on a device
  /// Of Floyd-Warshall on one diagonal block. Infinite: not known, taken as free.
  double diagonal_rate = std::numeric_limits<double>::infinity();
  std::vector<BroadcastModel> broadcasts;  ///< none: only one rank can be predicted
  double latency_s = 0;  ///< of one step of a broadcast; 0 where the bandwidths were measured with it in them
  /// Of a rank's own way to the others of its node. Infinite: not known, or the ranks are nodes themselves.
  double rank_bytes_per_second = std::numeric_limits<double>::infinity();
  double overlap = kOverlap;  ///< see there

  int ranks_per_node = 1, ranks_per_device = 1;
  int cards = 1;  ///< into which the bandwidth of a node is split: each rank uses one of them
  double memory_per_node = std::numeric_limits<double>::infinity();  ///< bytes
  double copies = 1;                                                 ///< of the matrix that are kept

  /// The broadcast of that name; throws InputError with those that there are.
  const BroadcastModel& broadcast(std::string_view name) const;
  /// Throws InputError unless every number makes sense.
  void validate() const;

  /// Table V, the figures of section III.A, and what this model needs beyond them (see there).
  static ApspMachine frontier();
  nlohmann::json to_json() const;
  static ApspMachine from_json(const nlohmann::json& j);
};

}  // namespace atl
