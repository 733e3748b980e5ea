// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/runtime/world.hpp>
#include <numeric>
#include <span>
#include <utility>
#include <vector>

namespace atl {

/// Values of all ranks on rank 0, [rank]; on the others empty lists. Collective.
///
///     const std::vector<std::vector<Vertex>> ids = on_first_rank(world, std::move(mine));
template <Plain T>
std::vector<std::vector<T>> on_first_rank(World& world, std::vector<T> mine) {
  std::vector<std::vector<T>> outgoing(static_cast<std::size_t>(world.size()));
  outgoing[0] = std::move(mine);
  return world.exchange(std::move(outgoing));
}

/// Arrays of all ranks one behind the other on rank 0, sent in one piece each; on the others an empty one. Collective.
template <Plain T>
Array<T> gather_on_first_rank(World& world, std::span<const T> mine) {
  const std::vector<std::size_t> sizes = world.all_gather(mine.size());
  const bool root = world.rank() == 0;
  Array<T> all(root ? std::accumulate(sizes.begin(), sizes.end(), std::size_t{0}) : 0);
  std::vector<std::span<const std::byte>> outgoing(sizes.size());
  outgoing[0] = std::as_bytes(mine);
  std::vector<std::span<std::byte>> incoming(sizes.size());
  std::size_t first = 0;
  for (std::size_t r = 0; root && r < sizes.size(); ++r) {
    incoming[r] = std::as_writable_bytes(std::span(all.data() + first, sizes[r]));
    first += sizes[r];
  }
  world.exchange_bytes(outgoing, incoming);
  return all;
}

/// The values of a list on rank 0 from begins[r] on to rank r; `begins` and `values` matter on rank 0. Collective.
template <Plain T>
std::vector<T> from_first_rank(World& world, const std::vector<std::ptrdiff_t>& begins, const std::vector<T>& values) {
  std::vector<std::vector<T>> outgoing(static_cast<std::size_t>(world.size()));
  if (world.rank() == 0)
    for (std::size_t r = 0; r < outgoing.size(); ++r)
      outgoing[r].assign(values.begin() + begins[r],
                         r + 1 < begins.size() ? values.begin() + begins[r + 1] : values.end());
  return world.exchange(std::move(outgoing))[0];
}

}  // namespace atl
