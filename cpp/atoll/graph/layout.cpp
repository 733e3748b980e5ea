// SPDX-License-Identifier: Apache-2.0
#include <atoll/graph/layout.hpp>
#include <bit>

namespace atl {
namespace {

constexpr std::size_t kGrainWords = 128;

std::size_t words_of(Local vertices) { return (static_cast<std::size_t>(vertices) + 63) / 64; }

}  // namespace

template <class Id>
EllPrefix<Id>::EllPrefix(Team& team, const Csr& csr, Local rows, Local none, const Array<Id>& ids) {
  const std::size_t words = words_of(rows);
  for (int c = 0; c < kColumns; ++c) {
    vertex[c] = Array<Local>(words * 64);
    id[c] = Array<Id>(words * 64);
  }
  more = Array<std::uint64_t>(words + 1);
  team.for_range(words, kGrainWords, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t w = a; w < b; ++w) {
      std::uint64_t long_lists = 0;
      for (std::size_t v = w * 64; v < w * 64 + 64; ++v) {
        const bool real = v < static_cast<std::size_t>(rows);
        const Edge begin = real ? csr.offsets[v] : 0, degree = real ? csr.offsets[v + 1] - begin : 0;
        for (int c = 0; c < kColumns; ++c) {
          const Local u = degree > c ? csr.targets[begin + c] : none;
          vertex[c][v] = u;
          id[c][v] = degree > c ? ids[u] : Id{0};
        }
        long_lists |= static_cast<std::uint64_t>(degree > kColumns) << (v % 64);
      }
      more[w] = long_lists;
    }
  });
}

template <class Id>
std::size_t EllPrefix<Id>::memory_bytes() const {
  return kColumns * vertex[0].size() * (sizeof(Local) + sizeof(Id)) + more.size() * 8;
}

template struct EllPrefix<std::uint32_t>;
template struct EllPrefix<Vertex>;

OwnedIndexOrder::OwnedIndexOrder(Team& team, const Graph& graph) {
  const std::size_t words = words_of(graph.owned());
  tail = Array<std::uint64_t>(words);
  hub = Array<std::uint64_t>(words);
  first_tail = Array<Local>(words);
  first_hub = Array<Local>(words);
  team.for_range(words, kGrainWords, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t w = a; w < b; ++w) {
      std::uint64_t t = 0, h = 0;
      for (std::size_t v = w * 64; v < std::min(w * 64 + 64, static_cast<std::size_t>(graph.owned())); ++v) {
        const Local local = graph.local_of(static_cast<Vertex>(v));
        h |= static_cast<std::uint64_t>(local < graph.hubs()) << (v % 64);
        t |= static_cast<std::uint64_t>(local >= graph.hubs() && local < graph.active()) << (v % 64);
      }
      tail[w] = t;
      hub[w] = h;
    }
  });
  Local tails = graph.hubs(), hubs = 0;
  for (std::size_t w = 0; w < words; ++w) {
    first_tail[w] = tails;
    first_hub[w] = hubs;
    tails += std::popcount(tail[w]);
    hubs += std::popcount(hub[w]);
  }
  // A vector kernel reads 16 entries from any position.
  constexpr std::size_t kSlack = 16;
  hub_list = Array<Local>(static_cast<std::size_t>(graph.hubs()) + kSlack, 0);
  team.for_range(words, kGrainWords, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t w = a; w < b; ++w) {
      auto at = static_cast<std::size_t>(first_hub[w]);
      for (std::uint64_t h = hub[w]; h; h &= h - 1)
        hub_list[at++] = graph.local_of(static_cast<Vertex>(w * 64) + std::countr_zero(h));
    }
  });
}

std::size_t OwnedIndexOrder::memory_bytes() const {
  return (tail.size() + hub.size()) * 8 + (first_tail.size() + first_hub.size() + hub_list.size()) * sizeof(Local);
}

}  // namespace atl
