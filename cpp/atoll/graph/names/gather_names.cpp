// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/graph/enough_memory.hpp>
#include <atoll/graph/names/gather_names.hpp>
#include <cstring>

namespace atl {
namespace {

// Names one after the other, as they travel.
struct PackedNames {
  std::vector<std::uint32_t> lengths;
  std::vector<char> bytes;

  void add(std::string_view name) {
    lengths.push_back(static_cast<std::uint32_t>(name.size()));
    bytes.insert(bytes.end(), name.begin(), name.end());
  }
};

std::vector<NameKey> keys_of(const std::vector<std::uint32_t>& lengths, const std::vector<char>& bytes) {
  std::vector<NameKey> keys;
  keys.reserve(lengths.size());
  std::size_t at = 0;
  for (const std::uint32_t length : lengths) {
    keys.emplace_back(std::string_view(bytes.data() + at, length), 0);
    at += length;
  }
  return keys;
}

Vertex lower_bound(const Dictionary& names, std::string_view name) {
  Vertex low = 0, high = names.size();
  while (low < high) {
    const Vertex middle = low + (high - low) / 2;
    if (names.name(middle) < name) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

// [rank] where its range of names begins among those of this rank, and the end.
std::vector<Vertex> cuts_of(World& world, const Dictionary& mine) {
  constexpr Vertex kSamples = 64;
  PackedNames samples;
  const Vertex count = std::min(mine.size(), kSamples);
  for (Vertex k = 0; k < count; ++k) samples.add(mine.name(mine.size() * k / count));
  const auto lengths = world.all_gather_varying(std::span<const std::uint32_t>(samples.lengths));
  const auto bytes = world.all_gather_varying(std::span<const char>(samples.bytes));
  std::vector<NameKey> keys = keys_of(lengths, bytes);
  std::sort(keys.begin(), keys.end());
  const auto ranks = static_cast<std::size_t>(world.size());
  std::vector<Vertex> cuts{0};
  for (std::size_t r = 1; r < ranks; ++r)
    cuts.push_back(keys.empty() ? 0 : lower_bound(mine, keys[keys.size() * r / ranks].name()));
  cuts.push_back(mine.size());
  return cuts;
}

// The distinct names of all ranks in this rank's range.
Dictionary names_in_range(World& world, const Dictionary& mine) {
  const std::vector<Vertex> cuts = cuts_of(world, mine);
  const auto ranks = static_cast<std::size_t>(world.size());
  std::vector<std::vector<std::uint32_t>> lengths(ranks);
  std::vector<std::vector<char>> bytes(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    PackedNames packed;
    for (Vertex k = cuts[r]; k < cuts[r + 1]; ++k) packed.add(mine.name(k));
    lengths[r] = std::move(packed.lengths);
    bytes[r] = std::move(packed.bytes);
  }
  const auto lengths_here = world.exchange(std::move(lengths));
  const auto bytes_here = world.exchange(std::move(bytes));
  std::vector<std::vector<NameKey>> runs;
  for (std::size_t r = 0; r < ranks; ++r) runs.push_back(keys_of(lengths_here[r], bytes_here[r]));
  return merge_names(world.team(), runs);
}

// Joins the ranks' dictionaries, whose names ascend from rank to rank.
Dictionary joined(World& world, const Dictionary& part, const std::string& what) {
  const std::vector<Vertex> counts = world.all_gather(part.size());
  const std::vector<std::uint64_t> sizes = world.all_gather(part.byte_count());
  std::uint64_t count = 0, size = 0;
  for (const Vertex n : counts) count += static_cast<std::uint64_t>(n);
  for (const std::uint64_t n : sizes) size += n;
  require_memory(world, 8.0 * static_cast<double>(count) + static_cast<double>(size),
                 fmt::format("{}: its {} names, which each rank has, take", what, count),
                 "Use fewer ranks on a machine, or one with more memory.");
  Array<std::uint64_t> offsets(static_cast<std::size_t>(count) + 1);
  Array<char> text(static_cast<std::size_t>(size));
  const auto ranks = static_cast<std::size_t>(world.size());
  const std::span<const std::byte> part_offsets =
                                       std::as_bytes(std::span(part.offsets(), static_cast<std::size_t>(part.size()))),
                                   part_text = std::as_bytes(
                                       std::span(part.bytes(), static_cast<std::size_t>(part.byte_count())));
  std::vector<std::span<std::byte>> offsets_from, text_from;
  std::size_t at = 0, text_at = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    const auto n = static_cast<std::size_t>(counts[r]);
    offsets_from.push_back(std::as_writable_bytes(std::span(offsets.data() + at, n)));
    text_from.push_back(std::as_writable_bytes(std::span(text.data() + text_at, sizes[r])));
    at += n;
    text_at += sizes[r];
  }
  world.exchange_bytes(std::vector(ranks, part_offsets), offsets_from);
  world.exchange_bytes(std::vector(ranks, part_text), text_from);
  std::uint64_t before = 0;
  at = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    for (Vertex k = 0; k < counts[r]; ++k) offsets[at++] += before;
    before += sizes[r];
  }
  offsets[at] = before;
  return {std::move(offsets), std::move(text)};
}

}  // namespace

GatheredNames gather_names(World& world, std::span<const NameTable> tables, const std::string& what) {
  const std::vector<std::vector<NameKey>> runs = sorted_runs(world.team(), tables);
  GatheredNames gathered{merge_names(world.team(), runs), std::vector<std::vector<std::uint32_t>>(tables.size())};
  if (world.size() > 1) gathered.names = joined(world, names_in_range(world, gathered.names), what);
  world.agree(gathered.names.size() < static_cast<Vertex>(UINT32_MAX),
              fmt::format("{}: has {} distinct names (fewer than 2^32 have numbers here). Number them before.", what,
                          gathered.names.size()));
  world.team().for_range(
      tables.size(), 1, [&](int, std::size_t t, std::size_t) { ids_of_run(gathered.names, runs[t], gathered.ids[t]); });
  return gathered;
}

}  // namespace atl
