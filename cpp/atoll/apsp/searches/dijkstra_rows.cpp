// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/arcs/path_sum.hpp>
#include <atoll/apsp/searches/row_searches.hpp>
#include <bit>

// Dijkstra's algorithm [1] from each source, with a 4-ary heap. A vertex found again by a shorter path is pushed again
// and the older entry skipped: cheaper than tracking each vertex's place in the heap.
//
// [1] E. Dijkstra. "A note on two problems in connexion with graphs." Numerische Mathematik 1, 1959.

namespace atl {
namespace {

/// A distance and its vertex, ordered by distance. If both fit one word, they are compared as that word: floats >= +0
/// are ordered like their bits.
template <class T>
struct Entry {
  T distance;
  Local vertex;
  Entry(T d, Local v) : distance(d), vertex(v) {}
  bool operator<(const Entry& other) const { return distance < other.distance; }
};
template <class T>
  requires(sizeof(T) <= 4)
struct Entry<T> {
  std::uint64_t word;
  static std::uint32_t bits_of(T d) {
    if constexpr (std::is_same_v<T, float>) return std::bit_cast<std::uint32_t>(d);
    return static_cast<std::uint32_t>(d);
  }
  Entry(T d, Local v) : word(std::uint64_t{bits_of(d)} << 32 | static_cast<std::uint32_t>(v)) {}
  Local vertex_() const { return static_cast<Local>(word & 0xffffffff); }
  T distance_() const {
    const auto bits = static_cast<std::uint32_t>(word >> 32);
    if constexpr (std::is_same_v<T, float>) return std::bit_cast<float>(bits);
    return static_cast<T>(bits);
  }
  bool operator<(const Entry& other) const { return word < other.word; }
};

template <class T>
std::pair<T, Local> parts_of(const Entry<T>& entry) {
  if constexpr (sizeof(T) <= 4) {
    return {entry.distance_(), entry.vertex_()};
  } else {
    return {entry.distance, entry.vertex};
  }
}

template <class T>
class Heap {
 public:
  bool empty() const { return entries_.empty(); }
  void push(Entry<T> entry) {
    std::size_t hole = entries_.size();
    entries_.push_back(entry);
    while (hole > 0) {
      const std::size_t up = (hole - 1) / kWays;
      if (!(entry < entries_[up])) break;
      entries_[hole] = entries_[up];
      hole = up;
    }
    entries_[hole] = entry;
  }
  Entry<T> pop() {
    const Entry<T> least = entries_.front(), last = entries_.back();
    entries_.pop_back();
    const std::size_t size = entries_.size();
    if (size == 0) return least;
    std::size_t hole = 0;
    for (std::size_t child; (child = kWays * hole + 1) < size;) {
      std::size_t best = child;
      if (child + kWays <= size) {
        const std::size_t a = entries_[child + 1] < entries_[child] ? child + 1 : child;
        const std::size_t b = entries_[child + 3] < entries_[child + 2] ? child + 3 : child + 2;
        best = entries_[b] < entries_[a] ? b : a;
      } else {
        for (std::size_t c = child + 1; c < size; ++c)
          if (entries_[c] < entries_[best]) best = c;
      }
      if (!(entries_[best] < last)) break;
      entries_[hole] = entries_[best];
      hole = best;
    }
    entries_[hole] = last;
    return least;
  }

 private:
  static constexpr std::size_t kWays = 4;
  std::vector<Entry<T>> entries_;
};

template <class T>
void dijkstra(const ReplicatedCsr<T>& arcs, Local source, std::span<T> row, Heap<T>& heap) {
  std::fill(row.begin(), row.end(), kNoPath<T>);
  row[source] = T{};
  for (heap.push({T{}, source}); !heap.empty();) {
    const auto [distance, v] = parts_of(heap.pop());
    if (row[v] < distance) continue;
    for (auto e = static_cast<std::size_t>(arcs.begin(v)); e < static_cast<std::size_t>(arcs.end(v)); ++e) {
      T& known = row[arcs.heads[e]];
      const T through = path_sum(distance, arcs.weights[e]);
      if (!(through < known)) continue;
      known = through;
      heap.push({through, arcs.heads[e]});
    }
  }
}

}  // namespace

template <class T>
void dijkstra_rows(Team& team, const ReplicatedCsr<T>& arcs, std::span<const Local> sources, MatrixView<T> rows) {
  std::vector<Heap<T>> heaps(static_cast<std::size_t>(team.size()));
  team.for_range(sources.size(), 1, [&](int thread, std::size_t k, std::size_t) {
    dijkstra(arcs, sources[k], rows.row(static_cast<std::int64_t>(k)), heaps[thread]);
  });
}

template void dijkstra_rows(Team&, const ReplicatedCsr<float>&, std::span<const Local>, MatrixView<float>);
template void dijkstra_rows(Team&, const ReplicatedCsr<double>&, std::span<const Local>, MatrixView<double>);
template void dijkstra_rows(Team&, const ReplicatedCsr<std::int32_t>&, std::span<const Local>,
                            MatrixView<std::int32_t>);
template void dijkstra_rows(Team&, const ReplicatedCsr<std::uint16_t>&, std::span<const Local>,
                            MatrixView<std::uint16_t>);
template void dijkstra_rows(Team&, const ReplicatedCsr<std::uint8_t>&, std::span<const Local>,
                            MatrixView<std::uint8_t>);

}  // namespace atl
