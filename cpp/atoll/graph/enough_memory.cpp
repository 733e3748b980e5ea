// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/byte_count.hpp>
#include <atoll/base/usable_memory.hpp>
#include <atoll/graph/enough_memory.hpp>

namespace atl {

void require_memory(World& world, double bytes, std::string_view what, std::string_view remedy) {
  const int node = world.fabric().node_of(world.rank());
  int together = 0;
  for (Rank r = 0; r < world.size(); ++r) together += world.fabric().node_of(r) == node;
  const double need = bytes * together, have = static_cast<double>(usable_memory());
  world.agree(need <= have,
              need <= have
                  ? std::string()
                  : fmt::format("{} {} (this machine has {} free{}). {}", what, bytes_text(need), bytes_text(have),
                                together > 1 ? fmt::format(", shared by {} ranks", together) : "", remedy));
}

void require_vertices(World& world, const std::string& name, const IdMap& ids, double bytes) {
  // Ids that edges name are in memory already; what is stated only can be wrong, or be left out.
  require_memory(world, bytes, fmt::format("{}: its {} vertices take", name, ids.count()),
                 ids.is_range() ? "Use more machines, correct the stated number of vertices, or give an edge list "
                                  "without one: then only vertices with an edge count."
                                : "Use more machines.");
}

}  // namespace atl
