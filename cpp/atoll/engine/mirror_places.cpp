// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/engine/mirror_places.hpp>
#include <limits>

namespace atl {

MirrorPlaces::MirrorPlaces(const SharedVertices& shared, Local lanes)
    : shift_(std::countr_zero(static_cast<std::uint32_t>(lanes))),
      first_mirror_(shared.first_mirror),
      locals_(shared.locals) {
  ATOLL_ASSERT(std::has_single_bit(static_cast<std::uint32_t>(lanes)) && lanes <= 64 &&
               locals_ <= std::numeric_limits<Local>::max() / lanes);
  sides_.push_back(side_of(*shared.world, shared.written));
  if (shared.read != shared.written) sides_.push_back(side_of(*shared.world, shared.read));
}

MirrorPlaces::Side MirrorPlaces::side_of(World& world, const std::vector<const Mirrors*>& groups) const {
  Side side;
  side.groups = groups;
  for (std::size_t r = 0; r < static_cast<std::size_t>(world.size()); ++r) {
    side.begin.push_back(groups[0]->begin[r] << shift_);
    auto& known = side.known.emplace_back();
    std::size_t mirrored = 0;
    for (const Mirrors* group : groups) {
      for_bits(group->known_by[r], [&](std::size_t v) { known.push_back(static_cast<Local>(v)); });
      mirrored += static_cast<std::size_t>(group->count[r]);
    }
    side.masters.push_back(known.size() << shift_);
    side.mirrored.push_back(mirrored << shift_);
    side.all += static_cast<double>(side.mirrored[r]);
  }
  side.all = world.sum(side.all);
  side.longest = world.max(*std::max_element(side.masters.begin(), side.masters.end()));
  return side;
}

void MirrorPlaces::count_masters() {
  for (const Mirrors* group : down().groups) {
    auto& of_rank = masters_before_.emplace_back();
    for (const auto& words : group->known_by) {
      std::uint32_t count = 0;
      auto& before = of_rank.emplace_back();
      for (const std::uint64_t word : words)
        before.push_back(std::exchange(count, count + static_cast<std::uint32_t>(std::popcount(word))));
    }
  }
}

std::size_t MirrorPlaces::memory_bytes() const {
  std::size_t bytes = 0;
  for (const Side& side : sides_)
    for (const auto& known : side.known) bytes += known.size() * sizeof(Local);
  for (const auto& of_rank : masters_before_)
    for (const auto& before : of_rank) bytes += before.size() * sizeof(std::uint32_t);
  return bytes;
}

}  // namespace atl
