// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/transport/shared_memory/inproc.hpp>
#include <atoll/transport/shared_memory/node_fabric.hpp>
#include <atoll/transport/shared_memory/shared_segment.hpp>
#include <numeric>

namespace atl {

std::vector<std::unique_ptr<Fabric>> make_inproc(const InprocOptions& options) {
  check(options.ranks >= 1, "{} ranks (at least 1). Give --ranks 1 or more.", options.ranks);
  const InboxGeometry geometry{.sources = static_cast<std::uint32_t>(options.ranks),
                               .slots = static_cast<std::uint32_t>(options.slots_per_peer),
                               .slot_bytes = options.slot_bytes,
                               .message_ring = options.ring_bytes,
                               .control_ring = options.control_ring_bytes};
  geometry.validate();
  // Shared by every rank's fabric: a rank may end while others still write to its inbox.
  auto memory = std::make_shared<std::vector<SharedSegment>>();
  NodeFabricOptions node;
  node.name = "inproc";
  node.size = options.ranks;
  node.members.resize(static_cast<std::size_t>(options.ranks));
  std::iota(node.members.begin(), node.members.end(), 0);
  node.nodes = options.nodes;
  node.one_process = true;
  node.shuffle_seed = options.shuffle_seed;
  for (Rank r = 0; r < options.ranks; ++r) {
    memory->push_back(SharedSegment::anonymous(geometry.bytes()));
    Inbox::format(memory->back().data(), geometry);
    node.inboxes.push_back(memory->back().data());
  }
  node.memory = memory;
  std::vector<std::unique_ptr<Fabric>> fabrics;
  for (Rank r = 0; r < options.ranks; ++r) {
    node.rank = r;
    fabrics.push_back(make_node_fabric(node));
  }
  return fabrics;
}

}  // namespace atl
