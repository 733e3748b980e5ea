// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/isa.hpp>
#include <atoll/engine/mirror_bits.hpp>
#include <atoll/runtime/aggregation/route.hpp>
#include <cmath>

namespace atl {

#if defined(__x86_64__)
void compress_bits_avx2(const std::uint64_t* bits, const std::uint64_t* mask, std::size_t words,
                        std::uint64_t* out);  // mirror_bits_avx2.cpp
#endif

namespace {

std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }

// Packs the bits of `bits` at the positions set in `mask`.
void compress(const std::uint64_t* bits, const std::uint64_t* mask, std::size_t words, std::uint64_t* out) {
  std::size_t n = 0;
  out[0] = 0;
  for (std::size_t w = 0; w < words; ++w)
    for (std::uint64_t m = mask[w]; m; m &= m - 1, ++n) {
      if (n % 64 == 0) out[n / 64] = 0;
      out[n / 64] |= (bits[w] >> std::countr_zero(m) & 1) << (n % 64);
    }
}

auto compress_for(Isa isa) {
#if defined(__x86_64__)
  if (isa >= Isa::avx2) return compress_bits_avx2;
#endif
  static_cast<void>(isa);
  return compress;
}

}  // namespace

MirrorBits::MirrorBits(const Graph& graph)
    : graph_(graph),
      world_(graph.world()),
      compress_(compress_for(chosen_isa())),
      active_words_(words_for(static_cast<std::size_t>(graph.active()))) {
  Vertex all_words = 0;
  for (const auto& known : graph.mirrors().known_by) {
    std::size_t masters = 0;
    for (const std::uint64_t word : known) masters += static_cast<std::size_t>(std::popcount(word));
    const std::size_t words = words_for(masters);
    packed_.push_back({std::vector<std::uint64_t>(words + 1), words});
    all_words += static_cast<Vertex>(words);
  }
  if (world_.route().is_direct()) return;
  std::vector<Edge> begins;
  for (const Local begin : graph.mirrors().begin) begins.push_back(begin / 64);
  begins.resize(packed_.size());
  places_ = world_.exchange_lengths(begins);
  all_words_ = static_cast<double>(world_.sum(all_words));
  sent_words_.emplace(world_, of_records<Word>(Put{this}),
                      MailboxOptions{.handling = Handling::parallel, .handler_sends = false});
}

void MirrorBits::broadcast(std::span<std::uint64_t> bits, double share) {
  bits_ = bits;
  sent_words_ ? send_words(share) : exchange();
}

void MirrorBits::broadcast(VertexBits& bits) {
  bits_ = bits.words() > 0 ? std::span(&bits.at(0), bits.words()) : std::span<std::uint64_t>();
  exchange();
}

std::span<const std::uint64_t> MirrorBits::pack(std::size_t rank) {
  Packed& packed = packed_[rank];
  if (packed.words == 0 || static_cast<Rank>(rank) == world_.rank()) return {};
  compress_(bits_.data(), graph_.mirrors().known_by[rank].data(), active_words_, packed.bits.data());
  return {packed.bits.data(), packed.words};
}

// Groups of mirrors begin at whole words, so bits are received directly into place.
void MirrorBits::exchange() {
  const Mirrors& mirrors = graph_.mirrors();
  std::vector<std::span<const std::byte>> outgoing(packed_.size());
  std::vector<std::span<std::byte>> incoming(packed_.size());
  for (std::size_t r = 0; r < packed_.size(); ++r) {
    if (static_cast<Rank>(r) == world_.rank()) continue;
    outgoing[r] = std::as_bytes(pack(r));
    if (const std::size_t words = words_for(static_cast<std::size_t>(mirrors.count[r])))
      incoming[r] = std::as_writable_bytes(bits_.subspan(static_cast<std::size_t>(mirrors.begin[r]) / 64, words));
  }
  world_.exchange_bytes(outgoing, incoming);
}

void MirrorBits::send_words(double share) {
  const auto first_mirror = static_cast<std::size_t>(graph_.mirrors().begin[0]) / 64;
  std::fill(bits_.begin() + static_cast<std::ptrdiff_t>(first_mirror), bits_.end(), 0);
  sent_words_->expect({.records = -all_words_ * std::expm1(-64 * share)});
  for (std::size_t r = 0; r < packed_.size(); ++r) {
    const auto words = pack(r);
    for (std::size_t w = 0; w < words.size(); ++w)
      if (words[w] != 0)
        sent_words_->send(static_cast<Rank>(r),
                          {static_cast<std::uint32_t>(places_[r]) + static_cast<std::uint32_t>(w), words[w]});
  }
  sent_words_->drain();
}

std::size_t MirrorBits::memory_bytes() const {
  std::size_t words = 0;
  for (const Packed& packed : packed_) words += packed.bits.size();
  return words * sizeof(std::uint64_t);
}

}  // namespace atl
