// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/isa/isa.hpp>
#include <atoll/engine/mirror_bits.hpp>
#include <atoll/runtime/routes/route.hpp>
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

// The `count` bits (1 to 64) from `begin` on become those of `word`.
void replace(std::span<std::uint64_t> bits, std::size_t begin, std::size_t count, std::uint64_t word) {
  const std::uint64_t mask = ~std::uint64_t{0} >> (64 - count);
  const std::size_t w = begin / 64, shift = begin % 64;
  bits[w] = (bits[w] & ~(mask << shift)) | (word & mask) << shift;
  if (shift + count <= 64) return;
  bits[w + 1] = (bits[w + 1] & ~(mask >> (64 - shift))) | (word & mask) >> (64 - shift);
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
    : known_by_(&graph.mirrors().known_by),
      world_(graph.world()),
      compress_(compress_for(chosen_isa())),
      active_words_(words_for(static_cast<std::size_t>(graph.active()))),
      first_mirror_(static_cast<std::size_t>(graph.mirrors().begin[0])) {
  const Mirrors& mirrors = graph.mirrors();
  Vertex all_words = 0;
  for (std::size_t r = 0; r < mirrors.known_by.size(); ++r) {
    std::size_t masters = 0;
    for (const std::uint64_t word : mirrors.known_by[r]) masters += static_cast<std::size_t>(std::popcount(word));
    add_packed(masters);
    all_words += static_cast<Vertex>(words_for(masters));
    received_.push_back({static_cast<std::size_t>(mirrors.begin[r]), static_cast<std::size_t>(mirrors.count[r]), {}});
  }
  if (world_.route().is_direct()) return;
  std::vector<Edge> begins;
  for (const Local begin : mirrors.begin) begins.push_back(begin / 64);
  begins.resize(packed_.size());
  places_ = world_.exchange_lengths(begins);
  all_words_ = static_cast<double>(world_.sum(all_words));
  sent_words_.emplace(world_, of_records<Word>(Put{this}),
                      MailboxOptions{.handling = Handling::parallel, .handler_sends = false});
}

MirrorBits::MirrorBits(std::shared_ptr<const HaloPlan> plan)
    : plan_(std::move(plan)),
      known_by_(nullptr),
      world_(plan_->world()),
      compress_(nullptr),
      active_words_(0),
      first_mirror_(plan_->first_copy()) {
  for (const HaloRows& rows : plan_->broadcast().owned) add_packed(rows.size());
  for (const HaloRows& rows : plan_->broadcast().copies)
    received_.push_back({rows.begin(), rows.size(), std::vector<std::uint64_t>(words_for(rows.size()))});
}

void MirrorBits::add_packed(std::size_t masters) {
  const std::size_t words = words_for(masters);
  packed_.push_back({std::vector<std::uint64_t>(words + 1), words});
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
  if (known_by_) {
    compress_(bits_.data(), (*known_by_)[rank].data(), active_words_, packed.bits.data());
  } else {
    std::fill(packed.bits.begin(), packed.bits.end(), 0);
    const HaloRows& rows = plan_->broadcast().owned[rank];
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto at = static_cast<std::size_t>(rows.row(k));
      packed.bits[k / 64] |= (bits_[at / 64] >> (at % 64) & 1) << (k % 64);
    }
  }
  return {packed.bits.data(), packed.words};
}

// A graph's groups of mirrors begin at whole words, so bits are received directly into place.
void MirrorBits::exchange() {
  std::vector<std::span<const std::byte>> outgoing(packed_.size());
  std::vector<std::span<std::byte>> incoming(packed_.size());
  for (std::size_t r = 0; r < packed_.size(); ++r) {
    if (static_cast<Rank>(r) == world_.rank()) continue;
    outgoing[r] = std::as_bytes(pack(r));
    Received& from = received_[r];
    if (const std::size_t words = words_for(from.count))
      incoming[r] = std::as_writable_bytes(plan_ ? std::span(from.bits) : bits_.subspan(from.begin / 64, words));
  }
  world_.exchange_bytes(outgoing, incoming);
  if (!plan_) return;
  for (const Received& from : received_)
    for (std::size_t k = 0; k < from.count; k += 64)
      replace(bits_, from.begin + k, std::min(from.count - k, std::size_t{64}), from.bits[k / 64]);
}

void MirrorBits::send_words(double share) {
  std::fill(bits_.begin() + static_cast<std::ptrdiff_t>(first_mirror_ / 64), bits_.end(), 0);
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
  for (const Received& from : received_) words += from.bits.size();
  return words * sizeof(std::uint64_t);
}

}  // namespace atl
