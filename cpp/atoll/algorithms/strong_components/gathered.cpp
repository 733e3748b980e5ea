// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/strong_components/depth_first.hpp>
#include <atoll/algorithms/strong_components/gathered.hpp>

namespace atl {
namespace {

Csr lists_of(std::size_t vertices, const std::vector<std::vector<Arc>>& parts) {
  Csr lists;
  lists.offsets = Array<Edge>(vertices + 1, 0);
  for (const std::vector<Arc>& part : parts)
    for (const Arc& arc : part) ++lists.offsets[index(arc.from) + 1];
  for (std::size_t v = 0; v < vertices; ++v) lists.offsets[v + 1] += lists.offsets[v];
  lists.targets = Array<Local>(static_cast<std::size_t>(lists.offsets[vertices]));
  // Filled from the ends of the lists, so that offsets become their beginnings again.
  for (const std::vector<Arc>& part : parts)
    for (const Arc& arc : part) lists.targets[static_cast<std::size_t>(--lists.offsets[index(arc.from) + 1])] = arc.to;
  for (std::size_t v = 0; v < vertices; ++v) lists.offsets[v] = lists.offsets[v + 1];
  lists.offsets[vertices] = static_cast<Edge>(lists.targets.size());
  return lists;
}

}  // namespace

std::vector<Vertex> gathered_components(World& world, const std::vector<Vertex>& ids, std::vector<Arc> arcs) {
  std::vector<Vertex> all;
  std::vector<std::ptrdiff_t> begins;
  for (const std::vector<Vertex>& part : on_first_rank(world, ids)) {
    begins.push_back(static_cast<std::ptrdiff_t>(all.size()));
    all.insert(all.end(), part.begin(), part.end());
  }
  const std::vector<std::vector<Arc>> parts = on_first_rank(world, std::move(arcs));
  std::vector<Vertex> smallest(all.size());
  world.collective_try([&] {
    constexpr Local kNone = -1;
    Array<Local> root(all.size(), kNone);
    Array<std::uint32_t> visit(all.size(), 0);
    DepthFirstComponents().run(lists_of(all.size(), parts), root, visit, kNone,
                               [&](Local u, Local v) { return all[index(u)] < all[index(v)]; });
    for (std::size_t v = 0; v < all.size(); ++v) smallest[v] = all[index(root[v])];
  });
  return from_first_rank(world, begins, smallest);
}

}  // namespace atl
