// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/spmm/joint/cover.hpp>
#include <atoll/spmm/joint/sibling_domains.hpp>
#include <atoll/spmm/volume.hpp>
#include <map>
#include <numeric>

namespace atl {
namespace {

// Ranks of a domain, at any level, follow each other.
std::vector<Rank> in_tree_order(const Hierarchy& tree) {
  std::vector<Rank> ranks(static_cast<std::size_t>(tree.size()));
  std::iota(ranks.begin(), ranks.end(), 0);
  std::ranges::stable_sort(ranks, {}, [&](Rank r) { return tree.leaf_of(r); });
  return ranks;
}

// Counts what the ranks fetch, one after the other in the order of the tree. So of the ranks that have fetched a column
// already, none is nearer than the latest: a fused row comes from it, or from the column's owner if that is nearer.
class FetchCounter {
 public:
  /// For columns [first, end), those of a rank of the World.
  FetchCounter(const Blocks& columns, const Hierarchy& tree, Vertex first, Vertex end)
      : blocks_(columns), tree_(tree), first_(first), columns_(static_cast<std::size_t>(end - first)) {
    const auto depth = static_cast<std::size_t>(tree.depth());
    rows_ = {.coarse = coarse_rows(columns, tree),
             .row_wise = FetchedRows::Levels(depth),
             .column_wise = FetchedRows::Levels(depth),
             .fused = FetchedRows::Levels(depth)};
    level_to_.resize(static_cast<std::size_t>(tree.size()));
  }

  /// Counts fetches from here on for `rank`.
  void begin(Rank rank) {
    rank_ = rank;
    for (Rank r = 0; r < tree_.size(); ++r) level_to_[r] = tree_.level_between(rank, r);
  }

  void fetch(Vertex column, std::uint64_t nonzeros) {
    if (column >= blocks_.begin(rank_) && column < blocks_.end(rank_)) return;
    Column& c = columns_[column - first_];
    if (c.latest != rank_) {
      c.level = level_to(blocks_.owner(column));
      const int nearest = c.latest < 0 ? c.level : std::min(c.level, level_to(c.latest));
      c.latest = rank_;
      ++rows_.column_wise[c.level];
      ++rows_.fused[nearest];
    }
    rows_.row_wise[c.level] += nonzeros;
  }

  FetchedRows rows() && { return std::move(rows_); }

 private:
  struct Column {
    Rank latest = -1;  // that has fetched it
    int level = 0;     // between it and the owner
  };
  int level_to(Rank r) const { return level_to_[r]; }

  const Blocks& blocks_;
  const Hierarchy& tree_;
  const Vertex first_;
  std::vector<Column> columns_;
  Rank rank_ = 0;
  std::vector<int> level_to_;  // [rank] from rank_
  FetchedRows rows_;
};

void check_model(std::int64_t rows, std::int64_t columns, const Blocks& row_blocks, const Blocks& column_blocks,
                 const Hierarchy& tree) {
  check(row_blocks.ranks() == tree.size() && column_blocks.ranks() == tree.size(),
        "volumes: rows are distributed over {} ranks and columns over {} (the hierarchy has {}). Distribute both over "
        "its "
        "ranks.",
        row_blocks.ranks(), column_blocks.ranks(), tree.size());
  check(row_blocks.count() == rows && column_blocks.count() == columns,
        "volumes: blocks of {} rows and {} columns (the matrix is {} x {}). Distribute all of them.",
        row_blocks.count(), column_blocks.count(), rows, columns);
}

std::uint64_t sum_of(const FetchedRows::Levels& levels) {
  return std::accumulate(levels.begin(), levels.end(), std::uint64_t{0});
}

}  // namespace

Hierarchy workgroups(Rank ranks, Rank size) {
  check(size >= 1 && size <= ranks, "workgroups of {} ranks (there are {} ranks). Take 1 to {}.", size, ranks, ranks);
  Domain root{.kind = "system", .name = {}, .children = {}, .ranks = {}};
  for (Rank begin = 0; begin < ranks; begin += size) {
    Domain& group = root.children.emplace_back(Domain{.kind = "workgroup", .name = {}, .children = {}, .ranks = {}});
    for (Rank r = begin; r < std::min(ranks, begin + size); ++r) group.ranks.push_back(r);
  }
  return Hierarchy(std::move(root));
}

Blocks blocks_by_nonzeros(const SparsePattern& a, Rank ranks) {
  std::vector<Vertex> first{0};
  for (Rank r = 1; r < ranks; ++r) {
    const auto share = static_cast<Edge>(static_cast<__int128>(a.nonzeros()) * r / ranks);
    const auto cut = std::ranges::lower_bound(a.offsets.first(static_cast<std::size_t>(a.rows)), share);
    first.push_back(std::max(first.back(), static_cast<Vertex>(cut - a.offsets.begin())));
  }
  first.push_back(a.rows);
  return Blocks(std::move(first));
}

FetchedRows::Levels coarse_rows(const Blocks& columns, const Hierarchy& tree) {
  FetchedRows::Levels levels(static_cast<std::size_t>(tree.depth()));
  for (Rank from = 0; from < tree.size(); ++from)
    for (Rank to = 0; to < tree.size(); ++to)
      if (to != from) levels[tree.level_between(from, to)] += static_cast<std::uint64_t>(columns.size(from));
  return levels;
}

FetchedRows count_fetched(const SparsePattern& a, const Blocks& rows, const Blocks& columns, const Hierarchy& ranks) {
  check_model(a.rows, a.columns, rows, columns, ranks);
  FetchCounter counter(columns, ranks, 0, a.columns);
  for (const Rank rank : in_tree_order(ranks)) {
    counter.begin(rank);
    const auto end = static_cast<std::size_t>(a.offsets[rows.end(rank)]);
    for (auto e = static_cast<std::size_t>(a.offsets[rows.begin(rank)]); e < end; ++e)
      counter.fetch(a.column_indices[e], 1);
  }
  return std::move(counter).rows();
}

FetchedRows::Levels count_joint(const SparsePattern& a, const Blocks& rows, const Blocks& columns,
                                const Hierarchy& ranks) {
  check_model(a.rows, a.columns, rows, columns, ranks);
  const spmm::SiblingDomains domains(ranks);
  std::map<std::pair<Rank, Rank>, std::vector<spmm::Nonzero>> blocks;
  for (Rank by = 0; by < ranks.size(); ++by)
    for (Vertex row = rows.begin(by); row < rows.end(by); ++row)
      for (Edge e = a.offsets[row]; e < a.offsets[row + 1]; ++e) {
        const Vertex column = a.column_indices[e];
        const Rank owner = columns.owner(column);
        if (owner == by) continue;
        const int level = ranks.level_between(by, owner);
        blocks[{domains.domain(level, by), domains.domain(level, owner)}].push_back({column, row});
      }
  // [rank] what it fetches of B, and computes of C for others.
  std::vector<std::vector<Vertex>> fetched(static_cast<std::size_t>(ranks.size())), computed(fetched.size());
  for (auto& [between, nonzeros] : blocks) {
    const std::vector<Vertex> covered = spmm::minimum_cover(nonzeros).columns;
    for (const auto& [column, row] : nonzeros) {
      if (std::ranges::binary_search(covered, column))
        fetched[rows.owner(row)].push_back(column);
      else
        computed[columns.owner(column)].push_back(row);
    }
    nonzeros = {};
  }
  FetchedRows::Levels out(static_cast<std::size_t>(ranks.depth()));
  const auto add = [&](const std::vector<std::vector<Vertex>>& moved, const Blocks& owners) {
    FetchCounter counter(owners, ranks, 0, owners.count());
    for (const Rank rank : in_tree_order(ranks)) {
      counter.begin(rank);
      for (const Vertex row : moved[rank]) counter.fetch(row, 1);
    }
    const FetchedRows::Levels levels = std::move(counter).rows().fused;
    for (std::size_t l = 0; l < out.size(); ++l) out[l] += levels[l];
  };
  add(fetched, columns);
  add(computed, rows);
  return out;
}

template <class T>
FetchedRows count_fetched(World& world, const MatrixRows<T>& a, const Blocks& rows, const Blocks& columns,
                          const Hierarchy& ranks) {
  world.collective_try([&] { check_model(a.blocks.count(), a.column_blocks.count(), rows, columns, ranks); });
  struct Fetch {
    Rank by;
    Vertex column;
    std::uint64_t nonzeros;
  };
  const std::vector<Rank> order = in_tree_order(ranks);
  const Vertex first = a.blocks.begin(world.rank());
  // To the owner of the column in the World, which sees all that fetch it.
  std::vector<std::vector<Fetch>> outgoing(static_cast<std::size_t>(world.size()));
  std::vector<Vertex> needed;
  for (const Rank by : order) {
    const Vertex begin = std::max(rows.begin(by), first), end = std::min(rows.end(by), a.blocks.end(world.rank()));
    if (begin >= end) continue;
    const std::span all(a.columns.data(), a.columns.size());
    const auto from = static_cast<std::size_t>(a.offsets[begin - first]),
               to = static_cast<std::size_t>(a.offsets[end - first]);
    needed.assign(all.begin() + static_cast<std::ptrdiff_t>(from), all.begin() + static_cast<std::ptrdiff_t>(to));
    std::ranges::sort(needed);
    for (std::size_t at = 0, next = 0; at < needed.size(); at = next) {
      while (next < needed.size() && needed[next] == needed[at]) ++next;
      outgoing[a.column_blocks.owner(needed[at])].push_back({by, needed[at], next - at});
    }
  }
  const auto incoming = world.exchange(std::move(outgoing));
  FetchCounter counter(columns, ranks, a.column_blocks.begin(world.rank()), a.column_blocks.end(world.rank()));
  std::vector<std::size_t> next(incoming.size(), 0);
  for (const Rank by : order) {
    counter.begin(by);
    for (std::size_t r = 0; r < incoming.size(); ++r)
      for (; next[r] < incoming[r].size() && incoming[r][next[r]].by == by; ++next[r])
        counter.fetch(incoming[r][next[r]].column, incoming[r][next[r]].nonzeros);
  }
  FetchedRows out = std::move(counter).rows();
  for (FetchedRows::Levels* levels : {&out.row_wise, &out.column_wise, &out.fused})
    for (std::uint64_t& level : *levels) level = world.sum(level);
  return out;
}

CommunicationVolume volume_of(const FetchedRows& rows, std::int64_t columns, std::size_t value_bytes) {
  const std::uint64_t row = static_cast<std::uint64_t>(columns) * value_bytes;
  return {.coarse = row * sum_of(rows.coarse),
          .row_wise = row * sum_of(rows.row_wise),
          .column_wise = row * sum_of(rows.column_wise),
          .coarse_across = row * rows.coarse.back(),
          .row_wise_across = row * rows.row_wise.back(),
          .column_wise_across = row * rows.column_wise.back(),
          .fused_across = row * rows.fused.back()};
}

template FetchedRows count_fetched(World&, const MatrixRows<float>&, const Blocks&, const Blocks&, const Hierarchy&);
template FetchedRows count_fetched(World&, const MatrixRows<double>&, const Blocks&, const Blocks&, const Hierarchy&);

}  // namespace atl
