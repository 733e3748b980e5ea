// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/io/dictionary/merge_names.hpp>
#include <cstring>

namespace atl {
namespace {

std::uint64_t prefix_of(std::string_view name) {
  std::uint64_t word = 0;
  if (!name.empty()) std::memcpy(&word, name.data(), std::min<std::size_t>(name.size(), sizeof word));
  return __builtin_bswap64(word);  // the first byte counts most; a shorter name has zeros behind it
}

// The least name of each range but the first: evenly spaced among samples of all runs.
std::vector<NameKey> range_starts(std::span<const std::vector<NameKey>> runs, std::size_t ranges) {
  constexpr std::size_t kSamplesPerRange = 64;
  std::size_t all = 0;
  for (const auto& run : runs) all += run.size();
  const std::size_t step = std::max<std::size_t>(1, all / (ranges * kSamplesPerRange));
  std::vector<NameKey> samples, starts;
  for (const auto& run : runs)
    for (std::size_t k = step / 2; k < run.size(); k += step) samples.push_back(run[k]);
  std::sort(samples.begin(), samples.end());
  for (std::size_t range = 1; range < ranges; ++range)
    if (!samples.empty()) starts.push_back(samples[samples.size() * range / ranges]);
  return starts;
}

// The distinct names of the ascending pieces.
std::vector<NameKey> merge_pieces(std::vector<std::span<const NameKey>> pieces) {
  const auto greater = [](const std::span<const NameKey>& a, const std::span<const NameKey>& b) {
    return b.front() < a.front();
  };
  std::erase_if(pieces, [](const auto& piece) { return piece.empty(); });
  std::make_heap(pieces.begin(), pieces.end(), greater);
  std::vector<NameKey> merged;
  while (!pieces.empty()) {
    std::pop_heap(pieces.begin(), pieces.end(), greater);
    std::span<const NameKey>& least = pieces.back();
    if (merged.empty() || merged.back() < least.front()) merged.push_back(least.front());
    least = least.subspan(1);
    if (least.empty()) {
      pieces.pop_back();
    } else {
      std::push_heap(pieces.begin(), pieces.end(), greater);
    }
  }
  return merged;
}

}  // namespace

NameKey::NameKey(std::string_view name, std::uint32_t number)
    : prefix(prefix_of(name)), data(name.data()), size(static_cast<std::uint32_t>(name.size())), number(number) {}

std::vector<std::vector<NameKey>> sorted_runs(Team& team, std::span<const NameTable> tables) {
  std::vector<std::vector<NameKey>> runs(tables.size());
  team.for_range(tables.size(), 1, [&](int, std::size_t t, std::size_t) {
    runs[t].reserve(tables[t].size());
    for (std::uint32_t k = 0; k < tables[t].size(); ++k) runs[t].emplace_back(tables[t].name(k), k);
    std::sort(runs[t].begin(), runs[t].end());
  });
  return runs;
}

Dictionary merge_names(Team& team, std::span<const std::vector<NameKey>> runs) {
  const auto ranges = static_cast<std::size_t>(team.size());
  const std::vector<NameKey> starts = range_starts(runs, ranges);
  std::vector<std::vector<NameKey>> merged(ranges);
  std::vector<std::uint64_t> first(ranges + 1, 0), bytes(ranges + 1, 0);
  team.for_range(ranges, 1, [&](int, std::size_t range, std::size_t) {
    if (range > starts.size()) return;
    std::vector<std::span<const NameKey>> pieces;
    for (const auto& run : runs) {
      const auto begin = range == 0 ? run.begin() : std::lower_bound(run.begin(), run.end(), starts[range - 1]);
      const auto end = range == starts.size() ? run.end() : std::lower_bound(run.begin(), run.end(), starts[range]);
      if (begin < end) pieces.emplace_back(begin, end);
    }
    merged[range] = merge_pieces(std::move(pieces));
    first[range + 1] = merged[range].size();
    for (const NameKey& key : merged[range]) bytes[range + 1] += key.size;
  });
  for (std::size_t range = 0; range < ranges; ++range) {
    first[range + 1] += first[range];
    bytes[range + 1] += bytes[range];
  }
  Array<std::uint64_t> offsets(static_cast<std::size_t>(first[ranges]) + 1);
  Array<char> text(static_cast<std::size_t>(bytes[ranges]));
  team.for_range(ranges, 1, [&](int, std::size_t range, std::size_t) {
    std::size_t k = first[range];
    std::uint64_t at = bytes[range];
    for (const NameKey& key : merged[range]) {
      offsets[k++] = at;
      if (key.size > 0) std::memcpy(text.data() + at, key.data, key.size);
      at += key.size;
    }
  });
  offsets[first[ranges]] = bytes[ranges];
  return {std::move(offsets), std::move(text)};
}

void ids_of_run(const Dictionary& names, std::span<const NameKey> run, std::vector<std::uint32_t>& ids) {
  ids.resize(run.size());
  const Vertex count = names.size();
  Vertex at = 0;
  for (const NameKey& key : run) {
    // Both ascend: double the step until the name is behind, then halve it.
    Vertex step = 1;
    while (at + step < count && names.name(at + step) <= key.name()) {
      at += step;
      step *= 2;
    }
    for (; step > 0; step /= 2)
      if (at + step < count && names.name(at + step) <= key.name()) at += step;
    ids[key.number] = static_cast<std::uint32_t>(at);
  }
}

Dictionary dictionary_of(Team& team, std::span<const std::string_view> names) {
  const auto threads = static_cast<std::size_t>(team.size());
  std::vector<NameTable> tables(threads);
  constexpr std::size_t kGrain = 1 << 14;
  team.for_range(names.size(), kGrain, [&](int thread, std::size_t a, std::size_t b) {
    for (std::size_t k = a; k < b; ++k) tables[thread].number_of(names[k], [](auto) {});
  });
  return merge_names(team, sorted_runs(team, tables));
}

}  // namespace atl
