// SPDX-License-Identifier: Apache-2.0
#include <atoll/graph/formats/named.hpp>
#include <bit>

namespace atl {

NamedVertices::NamedVertices(World& world, const Blocks& blocks, const EdgeList& edges) : world_(world) {
  const auto words = static_cast<std::size_t>(blocks.count() / 64 + 1);
  check(words * 8 <= world.plan().replicated_bytes,
        "{} vertices need a table of {} bytes on each rank (replicated_bytes is {}). Raise it in the plan.",
        blocks.count(), words * 8, world.plan().replicated_bytes);
  seen_ = Array<std::uint64_t>(words, 0);
  constexpr std::size_t kGrain = 1 << 16;
  for (const IdColumn* column : {&edges.source, &edges.target})
    std::visit(
        [&](const auto& ids) {
          world.team().for_range(ids.size(), kGrain, [&](int, std::size_t a, std::size_t b) {
            for (std::size_t i = a; i < b; ++i) {
              const auto at = static_cast<std::uint64_t>(ids[i]);
              const std::atomic_ref word(seen_[at / 64]);
              const std::uint64_t bit = std::uint64_t{1} << (at % 64);
              if (!(word.load(std::memory_order_relaxed) & bit)) word.fetch_or(bit, std::memory_order_relaxed);
            }
          });
        },
        *column);
  before_ = Array<std::size_t>(words);
  std::vector<std::vector<Vertex>> asked(static_cast<std::size_t>(world.size()));
  std::size_t total = 0;
  for (std::size_t w = 0; w < words; ++w) {
    before_[w] = total;
    for (std::uint64_t word = seen_[w]; word; word &= word - 1, ++total) {
      const Vertex dense = static_cast<Vertex>(w * 64) + std::countr_zero(word);
      const Rank owner = blocks.owner(dense);
      asked[owner].push_back(dense - blocks.begin(owner));
    }
  }
  wanted_ = world.exchange(std::move(asked));
}

}  // namespace atl
