// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/partition/delegates.hpp>
#include <atoll/graph/relabel.hpp>
#include <bit>

namespace atl {

Edge Delegates::usual_degree(const Graph& graph) {
  constexpr Edge kEdgesPerRank = 4;
  return std::max(kHubDegree, kEdgesPerRank * graph.blocks().ranks());
}

Delegates::Delegates(const Graph& graph, Edge degree) {
  World& world = graph.world();
  const Mirrors& mirrors = graph.mirrors();
  const auto ranks = static_cast<std::size_t>(world.size());
  for (Local v = 0; v < graph.active(); ++v)
    if (graph.out().degree(v) >= degree) heavy_.push_back(v);

  // Send each rank the indices of its mirrors of heavy masters of this rank.
  std::vector<std::vector<Local>> heavy_of_rank(ranks), meant(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    const Array<std::uint64_t>& known = mirrors.known_by[r];
    Local before = 0;
    std::size_t word = 0;
    for (const Local v : heavy_) {
      if (known.empty()) break;
      const auto at = static_cast<std::size_t>(v);
      for (; word < at / 64; ++word) before += std::popcount(known[word]);
      if (!(known[word] >> (at % 64) & 1)) continue;
      heavy_of_rank[r].push_back(before + std::popcount(known[word] & ((std::uint64_t{1} << (at % 64)) - 1)));
      meant[r].push_back(v);
    }
  }
  const auto heard = world.exchange(std::move(heavy_of_rank));

  // Count, then fill the targets of each heavy mirror. Lists are sorted, with mirrors last.
  const Local first = graph.owned();
  std::vector<std::int32_t> row_of(static_cast<std::size_t>(graph.locals() - first), -1);
  std::vector<Local> candidates;
  for (std::size_t r = 0; r < ranks; ++r)
    for (const Local k : heard[r]) {
      row_of[mirrors.begin[r] + k - first] = static_cast<std::int32_t>(candidates.size());
      candidates.push_back(mirrors.begin[r] + k);
    }
  offsets_.assign(candidates.size() + 1, 0);
  const auto for_each_arc = [&](auto&& f) {
    for (Local v = 0; v < graph.active(); ++v) {
      const auto list = graph.in().neighbours(v);
      for (std::size_t i = list.size(); i-- > 0 && list[i] >= first;)
        if (const std::int32_t row = row_of[list[i] - first]; row >= 0) f(static_cast<std::size_t>(row), v);
    }
  };
  if (!candidates.empty()) for_each_arc([&](std::size_t row, Local) { ++offsets_[row + 1]; });
  for (std::size_t row = 0; row < candidates.size(); ++row) offsets_[row + 1] += offsets_[row];
  targets_ = Array<Local>(static_cast<std::size_t>(offsets_.back()));
  std::vector<Edge> next(offsets_.begin(), offsets_.end() - 1);
  if (!candidates.empty()) for_each_arc([&](std::size_t row, Local v) { targets_[next[row]++] = v; });
  mirrors_ = std::move(candidates);

  // Send each owner its row numbers here; a row may be empty, since some mirrors have only entering edges.
  std::vector<std::vector<std::int32_t>> rows(ranks);
  std::int32_t row = 0;
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t k = 0; k < heard[r].size(); ++k, ++row)
      rows[r].push_back(targets(static_cast<std::uint32_t>(row)).empty() ? -1 : row);
  const auto placed = world.exchange(std::move(rows));
  std::vector<std::vector<Delegate>> of_heavy(heavy_.size());
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t k = 0; k < placed[r].size(); ++k)
      if (placed[r][k] >= 0) {
        const auto h = std::lower_bound(heavy_.begin(), heavy_.end(), meant[r][k]) - heavy_.begin();
        of_heavy[h].push_back({static_cast<Rank>(r), static_cast<std::uint32_t>(placed[r][k])});
      }
  delegates_begin_.push_back(0);
  for (const auto& part : of_heavy) {
    delegates_.insert(delegates_.end(), part.begin(), part.end());
    delegates_begin_.push_back(delegates_.size());
  }
}

std::span<const Delegates::Delegate> Delegates::of(Local master) const {
  const auto at = std::lower_bound(heavy_.begin(), heavy_.end(), master);
  if (at == heavy_.end() || *at != master) return {};
  const auto h = static_cast<std::size_t>(at - heavy_.begin());
  return std::span(delegates_).subspan(delegates_begin_[h], delegates_begin_[h + 1] - delegates_begin_[h]);
}

std::size_t Delegates::memory_bytes() const {
  return (heavy_.capacity() + targets_.size() + mirrors_.capacity()) * sizeof(Local) +
         delegates_.capacity() * sizeof(Delegate) + (delegates_begin_.capacity() + offsets_.capacity()) * sizeof(Edge);
}

}  // namespace atl
