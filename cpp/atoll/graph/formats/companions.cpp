// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/random.hpp>
#include <atoll/graph/formats/companions.hpp>
#include <bit>
#include <filesystem>

namespace atl {
namespace {

template <class F>
void for_each_end(const EdgeList& edges, F&& f) {
  for (const IdColumn* column : {&edges.source, &edges.target})
    std::visit(
        [&](const auto& ids) {
          for (const auto id : ids) f(static_cast<Vertex>(id));
        },
        *column);
}

// Each rank counts the bits of a part of the words.
std::int64_t distinct_ends_in_range(World& world, const EdgeList& edges) {
  const auto words = static_cast<std::size_t>(edges.range->count / 64 + 1), p = static_cast<std::size_t>(world.size());
  std::vector<std::uint64_t> seen(words, 0);
  for_each_end(edges, [&](Vertex id) {
    const Vertex at = id - edges.range->first;
    if (at >= 0 && at < edges.range->count) seen[at / 64] |= std::uint64_t{1} << (at % 64);
  });
  std::vector<std::vector<std::uint64_t>> parts(p);
  for (std::size_t r = 0; r < p; ++r)
    parts[r].assign(seen.begin() + static_cast<std::ptrdiff_t>(words * r / p),
                    seen.begin() + static_cast<std::ptrdiff_t>(words * (r + 1) / p));
  parts = world.exchange(std::move(parts));
  std::int64_t count = 0;
  for (std::size_t w = 0; !parts.empty() && w < parts[0].size(); ++w) {
    std::uint64_t all = 0;
    for (const auto& part : parts) all |= part[w];
    count += std::popcount(all);
  }
  return world.sum(count);
}

// The distinct ids among `mine` of all ranks, each on the rank that its hash names.
std::vector<Vertex> distributed_by_hash(World& world, std::vector<Vertex> mine) {
  const auto sort = [](std::vector<Vertex>& ids) {
    std::ranges::sort(ids);
    ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  };
  sort(mine);
  std::vector<std::vector<Vertex>> parts(static_cast<std::size_t>(world.size()));
  for (const Vertex id : mine) parts[mix64(static_cast<std::uint64_t>(id)) % parts.size()].push_back(id);
  std::vector<Vertex> all;
  for (const auto& part : world.exchange(std::move(parts))) all.insert(all.end(), part.begin(), part.end());
  sort(all);
  return all;
}

}  // namespace

std::string weights_path(const std::string& graph) { return graph + ".weights"; }

void remove_with_weights(World& world, const std::string& path) {
  world.collective_try([&] {
    if (world.rank() != 0) return;
    std::error_code error;
    if (!std::filesystem::exists(weights_path(path), error)) return;
    // The edges first: without them nobody reads the weights.
    for (const std::string& file : {path, weights_path(path)})
      if (!std::filesystem::remove(file, error) && error)
        throw IoError(
            fmt::format("{}: cannot be removed ({}; it is of an earlier graph). Remove it.", file, error.message()));
  });
}

std::int64_t count_lone_vertices(World& world, const EdgeList& edges) {
  if (edges.range) {
    const auto bytes = static_cast<std::size_t>(edges.range->count / 8 + 8);
    if (bytes <= world.plan().replicated_bytes) return edges.range->count - distinct_ends_in_range(world, edges);
  }
  std::vector<Vertex> ends;
  for_each_end(edges, [&](Vertex id) { ends.push_back(id); });
  const std::vector<Vertex> named = distributed_by_hash(world, std::move(ends));
  if (edges.range) return edges.range->count - world.sum(static_cast<std::int64_t>(named.size()));
  std::int64_t lone = 0;
  for (const Vertex id : distributed_by_hash(world, edges.vertices)) lone += !std::ranges::binary_search(named, id);
  return world.sum(lone);
}

}  // namespace atl
