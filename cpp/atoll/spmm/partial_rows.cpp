// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/spmm/distributed_nonzeros.hpp>
#include <atoll/spmm/joint/cover.hpp>
#include <atoll/spmm/joint/sibling_domains.hpp>
#include <atoll/spmm/partial_rows.hpp>
#include <numeric>

namespace atl {

// A nonzero of a block between the domain of the rank that has it and that of its column's owner.
struct BlockNonzero {
  spmm::Nonzero at;
  Rank domain;  // of the owner
};

namespace {

// [from][nonzero] 1 where the row of B is not in the cover of the block.
std::vector<std::vector<std::uint8_t>> covered_by_rows(Team& team,
                                                       const std::vector<std::vector<BlockNonzero>>& incoming) {
  std::map<Rank, std::vector<spmm::Nonzero>> blocks;
  for (const auto& from : incoming)
    for (const BlockNonzero& nonzero : from) blocks[nonzero.domain].push_back(nonzero.at);
  std::map<Rank, std::vector<Vertex>> columns;
  std::vector<std::pair<std::vector<spmm::Nonzero>*, std::vector<Vertex>*>> work;
  for (auto& [domain, nonzeros] : blocks) work.emplace_back(&nonzeros, &columns[domain]);
  team.for_range(work.size(), 1, [&](int, std::size_t i, std::size_t end) {
    for (; i < end; ++i) *work[i].second = spmm::minimum_cover(std::move(*work[i].first)).columns;
  });
  std::vector<std::vector<std::uint8_t>> out(incoming.size());
  for (std::size_t r = 0; r < incoming.size(); ++r)
    for (const BlockNonzero& nonzero : incoming[r])
      out[r].push_back(!std::ranges::binary_search(columns.at(nonzero.domain), nonzero.at.column));
  return out;
}

}  // namespace

template <class T>
std::vector<std::uint8_t> multiplied_by_owners(World& world, const MatrixRows<T>& rows) {
  const Hierarchy& tree = world.hierarchy();
  const spmm::SiblingDomains domains(tree);
  const Rank me = world.rank();
  // The rank of this one's domain that covers its block with a domain: another one for each, the same for all ranks.
  std::vector<std::vector<Rank>> near;
  for (int level = 0; level < tree.depth(); ++level) near.push_back(domains.ranks(level, domains.domain(level, me)));
  const auto covering = [&](int level, Rank domain) {
    std::size_t number = 0;
    for (Rank r = 0; r < domain; ++r) number += domains.domain(level, r) == r;
    return near[level][number % near[level].size()];
  };
  std::vector<Rank> domain_of(static_cast<std::size_t>(world.size())), covering_rank(domain_of.size());
  for (Rank r = 0; r < world.size(); ++r) {
    if (r == me) continue;
    const int level = tree.level_between(me, r);
    domain_of[r] = domains.domain(level, r);
    covering_rank[r] = covering(level, domain_of[r]);
  }
  std::vector<std::vector<BlockNonzero>> outgoing(static_cast<std::size_t>(world.size()));
  const auto for_remote = [&](auto&& f) {  // f(nonzero, row, column's owner)
    for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i)
      for (auto e = static_cast<std::size_t>(rows.offsets[i]); e < static_cast<std::size_t>(rows.offsets[i + 1]); ++e) {
        const Rank owner = rows.column_blocks.owner(rows.columns[e]);
        if (owner != me) f(e, rows.blocks.begin(me) + static_cast<Vertex>(i), owner);
      }
  };
  for_remote([&](std::size_t e, Vertex row, Rank owner) {
    outgoing[covering_rank[owner]].push_back({{rows.columns[e], row}, domain_of[owner]});
  });
  const auto answers = world.exchange(covered_by_rows(world.team(), world.exchange(std::move(outgoing))));
  std::vector<std::uint8_t> out(rows.columns.size());
  std::vector<std::size_t> next(answers.size());
  for_remote([&](std::size_t e, Vertex, Rank owner) {
    const Rank from = covering_rank[owner];
    out[e] = answers[from][next[from]++];
  });
  return out;
}

template <class T>
PartialRows<T>::PartialRows(World& world, MatrixRows<T>& rows, Reduce reduce) : world_(world) {
  using Entry = spmm::Entry<T>;
  const auto ranks = static_cast<std::size_t>(world.size());
  const Rank me = world.rank();
  const bool weighted = world.any(!rows.values.empty()) || reduce == Reduce::mean;
  const std::vector<std::uint8_t> away = multiplied_by_owners(world, rows);
  const auto kept = static_cast<std::size_t>(std::ranges::count(away, std::uint8_t{0}));
  std::vector<std::vector<Entry>> outgoing(ranks);
  Array<Edge> offsets(rows.offsets.size());
  Array<Vertex> columns(kept);
  Array<T> values(rows.values.empty() ? 0 : kept);
  std::size_t to = 0;
  offsets[0] = 0;
  for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i) {
    const auto begin = static_cast<std::size_t>(rows.offsets[i]), end = static_cast<std::size_t>(rows.offsets[i + 1]);
    const T factor = reduce == Reduce::mean ? T{1} / static_cast<T>(std::max<std::size_t>(1, end - begin)) : T{1};
    for (std::size_t e = begin; e < end; ++e) {
      const T value = rows.values.empty() ? T{1} : rows.values[e];
      if (away[e]) {
        outgoing[rows.column_blocks.owner(rows.columns[e])].push_back(
            {rows.blocks.begin(me) + static_cast<Vertex>(i), rows.columns[e], value * factor});
        continue;
      }
      columns[to] = rows.columns[e];
      if (!values.empty()) values[to] = value;
      ++to;
    }
    offsets[i + 1] = static_cast<Edge>(to);
  }
  rows.offsets = std::move(offsets);
  rows.columns = std::move(columns);
  rows.values = std::move(values);
  const auto entries = world.exchange(std::move(outgoing));

  // Owners number the rows of which others have a part; ranks that have one ask for the number.
  std::vector<Vertex> needed;  // global rows, ascending
  for (const auto& from : entries)
    for (const Entry& entry : from)
      if (needed.empty() || needed.back() != entry.row) needed.push_back(entry.row);
  std::vector<std::vector<Local>> asked(ranks);
  for (const Vertex row : needed) {
    const Rank owner = rows.blocks.owner(row);
    asked[owner].push_back(static_cast<Local>(row - rows.blocks.begin(owner)));
  }
  auto asking = world.exchange(std::move(asked));
  for (const auto& from : asking) receiving_.insert(receiving_.end(), from.begin(), from.end());
  std::ranges::sort(receiving_);
  receiving_.erase(std::unique(receiving_.begin(), receiving_.end()), receiving_.end());
  for (auto& from : asking)
    for (Local& row : from) row = static_cast<Local>(std::ranges::lower_bound(receiving_, row) - receiving_.begin());
  const auto numbers = world.exchange(std::move(asking));
  std::vector<Vertex> first{0};
  for (const Vertex count : world.all_gather(static_cast<Vertex>(receiving_.size())))
    first.push_back(first.back() + count);
  std::vector<Vertex> numbered;
  for (std::size_t r = 0; r < ranks; ++r)
    for (const Local number : numbers[r]) numbered.push_back(first[r] + number);
  plan_ = std::make_shared<const HaloPlan>(world, Blocks(std::move(first)), numbered);

  const Vertex own = rows.column_blocks.begin(me);
  chunk_ = spmm::chunk_of(
      entries, static_cast<std::int64_t>(needed.size()), rows.column_blocks.size(me), weighted,
      [](Vertex) { return true; }, [&](Vertex row) { return std::ranges::lower_bound(needed, row) - needed.begin(); },
      [&](Vertex column) { return column - own; });
  product_.emplace(chunk_.view());
}

template <class T>
typename PartialRows<T>::Exchange& PartialRows<T>::exchange_of(std::int64_t columns) {
  const auto [at, is_new] =
      exchanges_.try_emplace(columns, plan_, static_cast<std::size_t>(columns), HaloPath::domains);
  return at->second;
}

template <class T>
MatrixView<T> PartialRows<T>::begin(std::int64_t columns) {
  spmm::grow(values_, static_cast<std::int64_t>(plan_->rows()) * columns);
  const auto received = static_cast<std::int64_t>(plan_->first_copy()) * columns;
  std::fill_n(values_.begin(), received, T{0});
  return {values_.data() + received, chunk_.rows, columns, columns};
}

template <class T>
void PartialRows<T>::add_to(MatrixView<T> c) {
  exchange_of(c.cols).reduce_all({values_.data(), plan_->rows() * static_cast<std::size_t>(c.cols)});
  constexpr std::size_t kGrain = 1024;
  world_.team().for_range(receiving_.size(), kGrain, [&](int, std::size_t i, std::size_t end) {
    for (; i < end; ++i) {
      const T* const sums = values_.data() + static_cast<std::int64_t>(i) * c.cols;
      for (std::int64_t j = 0; j < c.cols; ++j) c(receiving_[i], j) += sums[j];
    }
  });
}

template <class T>
std::vector<HaloTraffic> PartialRows<T>::traffic(std::int64_t columns) {
  return exchange_of(columns).reduced_traffic();
}

template <class T>
std::size_t PartialRows<T>::memory_bytes() const {
  std::size_t bytes = receiving_.size() * sizeof(Local) + plan_->memory_bytes() + chunk_.memory_bytes() +
                      product_->memory_bytes() + values_.size() * sizeof(T);
  for (const auto& [columns, exchange] : exchanges_) bytes += exchange.memory_bytes() - plan_->memory_bytes();
  return bytes;
}

template std::vector<std::uint8_t> multiplied_by_owners(World&, const MatrixRows<float>&);
template std::vector<std::uint8_t> multiplied_by_owners(World&, const MatrixRows<double>&);
template class PartialRows<float>;
template class PartialRows<double>;

}  // namespace atl
