// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atoll/base/error.hpp>
#include <atoll/runtime/broadcast/broadcast_shape.hpp>
#include <bit>

namespace atl {
namespace {

constexpr std::array<std::string_view, 3> kShapes = {"tree", "ring", "ring2m"};

}  // namespace

std::string_view name_of(BroadcastShape shape) { return kShapes[static_cast<std::size_t>(shape)]; }

BroadcastShape broadcast_named(std::string_view name) {
  for (std::size_t k = 0; k < kShapes.size(); ++k)
    if (kShapes[k] == name) return static_cast<BroadcastShape>(k);
  throw InputError(fmt::format("broadcast '{}' is unknown (there are tree, ring and ring2m). Choose one.", name));
}

BroadcastNeighbours broadcast_neighbours(BroadcastShape shape, int p, int position) {
  BroadcastNeighbours n;
  switch (shape) {
    case BroadcastShape::tree: {
      // Binomial tree: the parent's position lacks the lowest set bit; the child with the largest subtree comes first.
      if (position > 0) n.parent = position & (position - 1);
      const int below = position > 0 ? position & -position : static_cast<int>(std::bit_ceil(static_cast<unsigned>(p)));
      for (int bit = below / 2; bit > 0; bit /= 2)
        if (position + bit < p) n.children.push_back(position + bit);
      break;
    }
    case BroadcastShape::ring:
      n.parent = position - 1;
      if (position + 1 < p) n.children.push_back(position + 1);
      break;
    case BroadcastShape::ring2m: {
      const int second = 2 + (p - 1) / 2;  // 2 + ceil((p - 2) / 2)
      if (position == 0) {
        for (const int head : {1, 2, second})
          if (head < p && (n.children.empty() || n.children.back() != head)) n.children.push_back(head);
      } else {
        n.parent = position <= 2 || position == second ? 0 : position - 1;
        if (position >= 2 && position + 1 < p && position + 1 != second) n.children.push_back(position + 1);
      }
      break;
    }
  }
  return n;
}

int steps_among(BroadcastShape shape, int ranks) {
  if (ranks <= 1) return 0;
  switch (shape) {
    case BroadcastShape::tree:
      return std::bit_width(static_cast<unsigned>(ranks - 1));
    case BroadcastShape::ring2m:
      return ranks <= 3 ? ranks - 1 : ranks / 2 + 1;
    case BroadcastShape::ring:
      break;
  }
  return ranks - 1;
}

NodeSends node_sends(BroadcastShape shape, int p, int per_node) {
  NodeSends sends;
  if (p <= per_node) return sends;
  for (int root = 0; root < per_node; ++root)
    for (int position = 0; position < p; ++position) {
      const int node = (position + root) % p / per_node;
      for (const int child : broadcast_neighbours(shape, p, position).children) {
        if ((child + root) % p / per_node == node) continue;
        sends.root += node == 0;
        sends.mean += 1;
      }
    }
  sends.root /= per_node;
  sends.mean /= p;  // per_node places of the root, p / per_node nodes
  return sends;
}

}  // namespace atl
