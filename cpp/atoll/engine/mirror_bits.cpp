// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/mirror_bits.hpp>

namespace atl {
namespace {

// The bits of `word` that `mask` selects, side by side.
std::uint64_t selected(std::uint64_t word, std::uint64_t mask) {
  if ((word & mask) == mask) return std::popcount(mask) == 64 ? mask : (std::uint64_t{1} << std::popcount(mask)) - 1;
  std::uint64_t out = 0;
  for (int k = 0; mask; mask &= mask - 1, ++k) out |= (word >> std::countr_zero(mask) & 1) << k;
  return out;
}

}  // namespace

MirrorBits::MirrorBits(const Graph& graph) : graph_(graph) {
  for (const auto& known : graph.mirrors().known_by) {
    std::size_t count = 0;
    for (const std::uint64_t word : known) count += static_cast<std::size_t>(std::popcount(word));
    outgoing_.emplace_back((count + 63) / 64);
  }
}

void MirrorBits::broadcast(VertexBits& bits) {
  const Mirrors& mirrors = graph_.mirrors();
  World& world = graph_.world();
  world.team().for_range(outgoing_.size(), 1, [&](int, std::size_t r, std::size_t) {
    const auto& known = mirrors.known_by[r];
    auto& out = outgoing_[r];
    std::uint64_t word = 0;
    std::size_t at = 0, filled = 0;
    for (std::size_t w = 0; w < known.size(); ++w) {
      if (known[w] == 0) continue;
      const std::uint64_t next = selected(bits.at(w), known[w]);
      const auto count = static_cast<std::size_t>(std::popcount(known[w]));
      word |= next << filled;
      if (filled + count >= 64) {
        out[at++] = word;
        word = filled > 0 ? next >> (64 - filled) : 0;
      }
      filled = (filled + count) % 64;
    }
    if (filled > 0) out[at] = word;
  });
  // Groups of mirrors begin at whole words: what comes is where it belongs.
  std::vector<std::span<const std::byte>> out;
  std::vector<std::span<std::byte>> in;
  for (std::size_t r = 0; r < outgoing_.size(); ++r) {
    out.push_back(std::as_bytes(std::span(outgoing_[r])));
    const auto words = (static_cast<std::size_t>(mirrors.count[r]) + 63) / 64;
    in.push_back(words == 0 ? std::span<std::byte>()
                            : std::as_writable_bytes(
                                  std::span(&bits.at(static_cast<std::size_t>(mirrors.begin[r]) / 64), words)));
  }
  world.exchange_bytes(out, in);
}

std::size_t MirrorBits::memory_bytes() const {
  std::size_t words = 0;
  for (const auto& out : outgoing_) words += out.size();
  return words * sizeof(std::uint64_t);
}

}  // namespace atl
