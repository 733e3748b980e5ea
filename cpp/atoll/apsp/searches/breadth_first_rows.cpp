// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/searches/row_searches.hpp>
#include <atoll/matrix/gemm/lane_kernels.hpp>
#include <memory>

// Breadth-first searches from 512 sources at once (MS-BFS [1]): a vertex has a bit for each search, and pulls the union
// of its neighbours' frontiers, 64 bytes each. Vertices that all searches have visited pull no more.
//
// [1] M. Then et al. "The more the merrier: efficient multi-source graph traversal." PVLDB 8(4), 2014.

namespace atl {
namespace {

constexpr std::uint8_t kUnseen = 255;

template <class T>
class BitSearch {
 public:
  BitSearch(const NearArcs<T>& near, const ReplicatedCsr<T>& entering, BitKernels kernels)
      : near_(near),
        entering_(entering),
        kernels_(kernels),
        seen_(near.place.size()),
        frontier_(near.place.size()),
        found_(near.place.size()),
        levels_(near.place.size() * kSearches) {}

  /// False if the searches are deeper than the levels' type can count.
  bool run(std::span<const SourceRow> sources, MatrixView<T> rows) {
    SearchBits unused{};
    for (std::size_t s = sources.size(); s < kSearches; ++s) unused.words[s / 64] |= std::uint64_t{1} << s % 64;
    std::fill(seen_.begin(), seen_.end(), unused);
    std::fill(frontier_.begin(), frontier_.end(), SearchBits{});
    std::fill(levels_.begin(), levels_.end(), kUnseen);
    for (std::size_t s = 0; s < sources.size(); ++s) {
      const std::size_t v = index(sources[s].source);
      const std::uint64_t bit = std::uint64_t{1} << s % 64;
      seen_[v].words[s / 64] |= bit;
      frontier_[v].words[s / 64] |= bit;
      levels_[v * kSearches + s] = 0;
    }
    open_.clear();
    for (Local v = 0; v < static_cast<Local>(seen_.size()); ++v) open_.push_back(v);
    bool any = true;
    for (int level = 1; any && level < kUnseen; ++level) {
      any = advance(static_cast<std::uint8_t>(level));
      frontier_.swap(found_);
    }
    if (any && sizeof(T) > 1) return false;
    write(sources, rows);
    return true;
  }

 private:
  bool advance(std::uint8_t level) {
    bool any = false;
    std::size_t kept = 0;
    for (const Local v : open_) {
      any |= kernels_.pull(frontier_.data(), entering_.heads.data() + entering_.begin(v),
                           entering_.end(v) - entering_.begin(v), seen_[v], found_[v],
                           levels_.data() + index(v) * kSearches, level);
      std::uint64_t all = ~std::uint64_t{0};
      for (const std::uint64_t word : seen_[v].words) all &= word;
      if (all != ~std::uint64_t{0} || !is_empty(found_[v]) || !is_empty(frontier_[v])) open_[kept++] = v;
    }
    open_.resize(kept);
    return any;
  }
  static bool is_empty(const SearchBits& bits) {
    std::uint64_t any = 0;
    for (const std::uint64_t word : bits.words) any |= word;
    return any == 0;
  }

  void write(std::span<const SourceRow> sources, MatrixView<T> rows) const {
    constexpr std::int64_t kBlock = 64;
    for (std::int64_t begin = 0; begin < rows.cols; begin += kBlock) {
      const std::int64_t end = std::min(rows.cols, begin + kBlock);
      const std::uint8_t* from[kBlock];
      for (std::int64_t v = begin; v < end; ++v) from[v - begin] = levels_.data() + index(near_.place[v]) * kSearches;
      for (std::size_t s = 0; s < sources.size(); ++s) {
        T* row = rows.row(sources[s].row).data() + begin;
        for (std::int64_t k = 0; k < end - begin; ++k) {
          const std::uint8_t level = from[k][s];
          row[k] = level == kUnseen ? kNoPath<T> : static_cast<T>(level);
        }
      }
    }
  }

  const NearArcs<T>& near_;
  const ReplicatedCsr<T>& entering_;
  const BitKernels kernels_;
  Array<SearchBits> seen_, frontier_, found_;
  Array<std::uint8_t> levels_;  // [vertex][search]
  std::vector<Local> open_;     // vertices that some search has not visited, or whose bits are still to be cleared
};

}  // namespace

template <class T>
std::vector<SourceRow> breadth_first_rows(Team& team, const NearArcs<T>& near, std::span<const SourceRow> sources,
                                          MatrixView<T> rows) {
  const ReplicatedCsr<T> reversed = near.arcs.directed ? near.arcs.reversed() : ReplicatedCsr<T>{};
  const ReplicatedCsr<T>& entering = near.arcs.directed ? reversed : near.arcs;
  const auto threads = static_cast<std::size_t>(team.size());
  std::vector<std::unique_ptr<BitSearch<T>>> searches(threads);
  std::vector<std::vector<SourceRow>> deep(threads);
  // At most what gives every thread some sources.
  const std::size_t even = (sources.size() + threads - 1) / threads;
  const std::size_t batch = std::clamp<std::size_t>(even, 1, kSearches);
  const BitKernels kernels = bit_kernels(chosen_isa());
  team.for_range(sources.size(), batch, [&](int thread, std::size_t a, std::size_t b) {
    auto& search = searches[thread];
    if (!search) search = std::make_unique<BitSearch<T>>(near, entering, kernels);
    const auto part = sources.subspan(a, b - a);
    if (!search->run(part, rows)) deep[thread].insert(deep[thread].end(), part.begin(), part.end());
  });
  std::vector<SourceRow> all;
  for (const auto& part : deep) all.insert(all.end(), part.begin(), part.end());
  return all;
}

template std::vector<SourceRow> breadth_first_rows(Team&, const NearArcs<float>&, std::span<const SourceRow>,
                                                   MatrixView<float>);
template std::vector<SourceRow> breadth_first_rows(Team&, const NearArcs<double>&, std::span<const SourceRow>,
                                                   MatrixView<double>);
template std::vector<SourceRow> breadth_first_rows(Team&, const NearArcs<std::int32_t>&, std::span<const SourceRow>,
                                                   MatrixView<std::int32_t>);
template std::vector<SourceRow> breadth_first_rows(Team&, const NearArcs<std::uint16_t>&, std::span<const SourceRow>,
                                                   MatrixView<std::uint16_t>);
template std::vector<SourceRow> breadth_first_rows(Team&, const NearArcs<std::uint8_t>&, std::span<const SourceRow>,
                                                   MatrixView<std::uint8_t>);

}  // namespace atl
