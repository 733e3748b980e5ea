// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/pagerank/target_blocks.hpp>
#include <bit>

namespace atl {
namespace {

// Blocks per thread, if there are several threads, for load balance.
constexpr std::size_t kBlocksPerThread = 8;
constexpr int kDigitBits = 11;

// An edge of a block: source in the high bits, row in the low ones.
using Pair = std::uint64_t;
constexpr int kRowBits = TargetBlocks::kRowBits;

// Radix sort by source, stable; sources have `width` bits.
void sort_by_source(std::vector<Pair>& pairs, std::vector<Pair>& other, int width) {
  other.resize(pairs.size());
  for (int shift = 0; shift < width; shift += kDigitBits) {
    std::size_t at[std::size_t{1} << kDigitBits] = {};
    auto digit = [&](Pair p) { return p >> (kRowBits + shift) & ((1u << kDigitBits) - 1); };
    for (const Pair p : pairs) ++at[digit(p)];
    std::size_t sum = 0;
    for (std::size_t& a : at) sum += std::exchange(a, sum);
    for (const Pair p : pairs) other[at[digit(p)]++] = p;
    pairs.swap(other);
  }
}

}  // namespace

TargetBlocks::TargetBlocks(Team& team, const Csr& in, std::size_t rows, std::size_t locals) {
  const auto entries = rows > 0 ? static_cast<std::size_t>(in.offsets[rows]) : 0;
  const auto threads = static_cast<std::size_t>(team.size());
  const std::size_t most = threads == 1 ? entries : entries / (kBlocksPerThread * threads);
  for (std::size_t v = 0; v < rows;) {
    Block b{.begin = v, .end = v + 1, .targets = static_cast<std::size_t>(in.offsets[v])};
    auto ends_at = [&](std::size_t row) { return static_cast<std::size_t>(in.offsets[row]); };
    while (b.end < rows && b.end - b.begin < kRows && ends_at(b.end + 1) - b.targets <= most) ++b.end;
    b.targets_end = ends_at(b.end);
    blocks_.push_back(b);
    v = b.end;
  }
  targets_ = Array<std::uint16_t>(entries);
  std::vector<std::vector<Local>> sources(blocks_.size());
  const auto width = static_cast<int>(std::bit_width(locals));
  struct Scratch {
    std::vector<Pair> pairs, other;
  };
  std::vector<Scratch> scratch(threads);
  team.for_range(blocks_.size(), 1, [&](int thread, std::size_t i, std::size_t) {
    const Block& b = blocks_[i];
    auto& [pairs, other] = scratch[thread];
    pairs.clear();
    for (std::size_t v = b.begin; v < b.end; ++v)
      for (const Local u : in.neighbours(static_cast<Local>(v)))
        pairs.push_back(static_cast<Pair>(u) << kRowBits | (v - b.begin));
    sort_by_source(pairs, other, width);
    std::uint16_t* to = targets_.data() + b.targets;
    Local last = -1;
    for (const Pair p : pairs) {
      const auto source = static_cast<Local>(p >> kRowBits);
      *to = static_cast<std::uint16_t>(p & (kRows - 1));
      if (source != last) {
        *to |= static_cast<std::uint16_t>(kRows);
        sources[i].push_back(source);
        last = source;
      }
      ++to;
    }
  });
  std::size_t all = 0;
  for (std::size_t i = 0; i < blocks_.size(); ++i) {
    blocks_[i].sources = all;
    all += sources[i].size();
  }
  sources_ = Array<Local>(all + kAhead, 0);
  team.for_range(blocks_.size(), 1, [&](int, std::size_t i, std::size_t) {
    std::copy(sources[i].begin(), sources[i].end(), sources_.begin() + blocks_[i].sources);
  });
}

}  // namespace atl
