// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/bfs_mirror_bits.hpp>
#include <cmath>

namespace atl {
namespace {

std::size_t words_for(std::size_t bits) { return (bits + 63) / 64; }

}  // namespace

BfsMirrorBits::BfsMirrorBits(const Graph& graph, const std::vector<std::vector<Local>>& known, Compress compress)
    : graph_(graph),
      world_(graph.world()),
      compress_(compress),
      active_words_(words_for(static_cast<std::size_t>(graph.active()))) {
  Vertex all_words = 0;
  for (const auto& masters : known) {
    const std::size_t words = words_for(masters.size());
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

void BfsMirrorBits::tell(Array<std::uint64_t>& frontier, Vertex vertices, Vertex all) {
  frontier_ = &frontier;
  if (sent_words_) {
    send_words(static_cast<double>(vertices) / static_cast<double>(std::max<Vertex>(1, all)));
  } else {
    exchange();
  }
}

std::span<const std::uint64_t> BfsMirrorBits::pack(std::size_t rank) {
  Packed& packed = packed_[rank];
  if (packed.words == 0 || static_cast<Rank>(rank) == world_.rank()) return {};
  compress_(frontier_->data(), graph_.mirrors().known_by[rank].data(), active_words_, packed.bits.data());
  return {packed.bits.data(), packed.words};
}

void BfsMirrorBits::exchange() {
  const Mirrors& mirrors = graph_.mirrors();
  std::vector<std::span<const std::byte>> outgoing(packed_.size());
  std::vector<std::span<std::byte>> incoming(packed_.size());
  for (std::size_t r = 0; r < packed_.size(); ++r) {
    if (static_cast<Rank>(r) == world_.rank()) continue;
    outgoing[r] = std::as_bytes(pack(r));
    incoming[r] = std::as_writable_bytes(
        std::span(frontier_->data() + mirrors.begin[r] / 64, words_for(static_cast<std::size_t>(mirrors.count[r]))));
  }
  world_.exchange_bytes(outgoing, incoming);
}

void BfsMirrorBits::send_words(double share) {
  const auto first_mirror = static_cast<std::size_t>(graph_.mirrors().begin[0]) / 64;
  std::fill(frontier_->begin() + first_mirror, frontier_->end(), 0);
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

}  // namespace atl
