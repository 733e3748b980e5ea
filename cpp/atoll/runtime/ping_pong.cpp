// SPDX-License-Identifier: Apache-2.0
#include <atoll/runtime/ping_pong.hpp>

namespace atl {

std::uint64_t reserve_tags(World& world, int n) {
  const std::uint64_t first = world.next_tag();
  for (int i = 1; i < n; ++i) world.next_tag();
  return first;
}

double ping_pong(World& world, Rank a, Rank b, std::uint64_t first_tag, std::size_t bytes, int times) {
  const bool begins = world.rank() == a;
  std::vector<std::byte> text(bytes);
  const RankTimer timer(world);
  for (std::uint64_t tag = first_tag; tag < first_tag + static_cast<std::uint64_t>(times); ++tag) {
    if (begins) world.send(b, tag, text);
    world.receive(begins ? b : a, tag, text);
    if (!begins) world.send(a, tag, text);
  }
  return timer.seconds() / times / 2;
}

}  // namespace atl
