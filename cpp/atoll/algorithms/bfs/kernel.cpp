// SPDX-License-Identifier: Apache-2.0
// The portable kernels, and the choice of kernels for an instruction set.
#include <atoll/algorithms/bfs/kernel.hpp>
#include <atoll/base/isa/kernel_variants.hpp>
#include <atomic>
#include <bit>

namespace atl {
namespace {

bool test(const std::uint64_t* bits, Local v) { return bits[v >> 6] >> (v & 63) & 1; }

template <class Id>
std::size_t pull(const PullView<Id>& g, std::size_t a, std::size_t b) {
  constexpr int kColumns = EllPrefix<Id>::kColumns;
  std::size_t found = 0;
  for (std::size_t w = a; w < b; ++w) {
    std::uint64_t fresh = 0;
    for (std::uint64_t open = ~g.visited[w]; open; open &= open - 1) {
      const std::size_t v = w * 64 + static_cast<std::size_t>(std::countr_zero(open));
      bool hit = false;
      for (int c = 0; c < kColumns && !hit; ++c) {
        if ((hit = test(g.frontier, g.prefix->vertex[c][v]))) g.parent[v] = g.prefix->id[c][v];
      }
      if (!hit && (g.prefix->more[w] >> (v & 63) & 1)) {
        for (Edge e = g.offsets[v] + kColumns; e < g.offsets[v + 1] && !hit; ++e) {
          const Local u = g.targets[e];
          if ((hit = test(g.frontier, u))) g.parent[v] = g.ids[u];
        }
      }
      fresh |= static_cast<std::uint64_t>(hit) << (v & 63);
    }
    g.visited[w] |= fresh;
    g.next[w] = fresh;
    found += static_cast<std::size_t>(std::popcount(fresh));
  }
  return found;
}

std::size_t claim(std::uint64_t* visited, const Local* targets, std::size_t n, Local* claimed) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Local v = targets[i];
    const std::uint64_t bit = std::uint64_t{1} << (v & 63);
    std::atomic_ref word(visited[v >> 6]);
    if (word.load(std::memory_order_relaxed) & bit) continue;
    claimed[count] = v;
    count += !(word.fetch_or(bit, std::memory_order_relaxed) & bit);
  }
  return count;
}

template <class Id>
void to_owned_index(const OwnedIndexView<Id>& view, std::size_t a, std::size_t b) {
  const OwnedIndexOrder& order = *view.order;
  for (std::size_t w = a; w < b; ++w) {
    const std::size_t last = std::min(view.owned, w * 64 + 64);
    auto tail = static_cast<std::size_t>(order.first_tail[w]), hub = static_cast<std::size_t>(order.first_hub[w]);
    for (std::size_t v = w * 64; v < last; ++v) {
      Id parent = kNoId<Id>;
      if (order.tail[w] >> (v & 63) & 1) parent = view.parent[tail++];
      if (order.hub[w] >> (v & 63) & 1) parent = view.parent[order.hub_list[hub++]];
      view.out[v] = parent == kNoId<Id> ? kNoVertex : static_cast<Vertex>(parent);
    }
  }
}

}  // namespace

#if defined(__x86_64__)
template <class Id>
void bfs_kernels_avx2(BfsKernels<Id>& kernels);  // kernel_avx2.cpp
template <class Id>
void bfs_kernels_avx512(BfsKernels<Id>& kernels);  // kernel_avx512.cpp
#endif

template <class Id>
static void bfs_kernels_portable(BfsKernels<Id>& kernels) {
  kernels = {pull<Id>, claim, to_owned_index<Id>};
}

template <class Id>
BfsKernels<Id> bfs_kernels(Isa isa) {
  BfsKernels<Id> kernels{};
  bfs_kernels_portable(kernels);
  ATOLL_KERNEL_VARIANTS(bfs_kernels, <Id>).at(isa)(kernels);  // replaces those that it has
  return kernels;
}

template BfsKernels<std::uint32_t> bfs_kernels(Isa);
template BfsKernels<Vertex> bfs_kernels(Isa);

}  // namespace atl
