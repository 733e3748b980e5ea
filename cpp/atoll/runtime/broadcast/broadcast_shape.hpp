// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

/// The order in which a panel reaches the ranks of a row or column: who sends to whom (COAST, section IV.B, VII.C and
/// appendix B.2). Pure arithmetic, shared by the broadcast and by the model that predicts it.
///
///     for (int child : broadcast_neighbours(BroadcastShape::ring2m, 8, 0).children) ...     // 1, 2, 5
///     steps_among(BroadcastShape::tree, 8);              // 3
///     node_sends(BroadcastShape::ring2m, 8, 1).root;     // 3: the root's node sends the whole panel three times
namespace atl {

/// Positions count from the root on, modulo the size p of the group.
///   tree    the binomial tree (hypercube): log2 p steps, the root sends about log2 p times
///   ring    0 to 1 to 2 ...: every rank sends once; the last one waits for p - 1 steps
///   ring2m  0 sends to 1, the root of the next broadcast, and to the heads of two rings with half of the others
///           each: 2 ... h-1 and h ... p-1 with h = 2 + ceil((p-2)/2). The paper says that the second ring begins at p/2 and
///           that the halves are equal; only one can be true, and equal halves end earlier.
enum class BroadcastShape : std::uint8_t { tree, ring, ring2m };
std::string_view name_of(BroadcastShape shape);
/// The shape of that name. Throws InputError with the list of names.
BroadcastShape broadcast_named(std::string_view name);

/// The neighbours of one position in a group of p. The root's parent is -1. Children are in the order in which they are
/// served.
struct BroadcastNeighbours {
  int parent = -1;
  std::vector<int> children;
};
BroadcastNeighbours broadcast_neighbours(BroadcastShape shape, int p, int position);

/// The number of successive steps until the last of `ranks` ranks has its first byte: log P for a tree, P - 1 for a
/// ring (appendix B.2), half the ring and the root's second message for ring2m.
int steps_among(BroadcastShape shape, int ranks);

/// How often nodes send a panel to other nodes, if each node has `per_node` consecutive ranks of the group: means over
/// the places that the root may have in its node. O(p per_node). `per_node` divides p; both are 0 if it equals p.
struct NodeSends {
  double root = 0;  ///< by the root's node, which sends most often, so no step ends earlier
  double mean = 0;  ///< mean over all nodes, if each is the root's equally often
};
NodeSends node_sends(BroadcastShape shape, int p, int per_node);

}  // namespace atl
