// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/spmm/distributed_spmm.hpp>
#include <atoll/spmm/product.hpp>
#include <atomic>
#include <numeric>

namespace atl {
namespace {

// For each rank, how many domains of the highest level its own is after this rank's, cyclically.
std::vector<int> domain_distances(const World& world) {
  const Hierarchy& tree = world.hierarchy();
  std::vector<int> domain(static_cast<std::size_t>(world.size()));
  std::vector<Rank> first;  // of each domain
  for (Rank r = 0; r < world.size(); ++r) {
    const auto same = std::ranges::find_if(
        first, [&](Rank f) { return tree.depth() == 1 || tree.level_between(f, r) < tree.depth() - 1; });
    domain[r] = static_cast<int>(same - first.begin());
    if (same == first.end()) first.push_back(r);
  }
  const int domains = static_cast<int>(first.size()), own = domain[world.rank()];
  for (int& d : domain) d = (d - own + domains) % domains;
  return domain;
}

// The ranks of other domains of the highest level whose rows this rank takes for its domain: those with its number in
// theirs, so that a domain's ranks share the rows of all others.
std::vector<Rank> owners_to_take(const World& world) {
  const std::vector<int> domain = domain_distances(world);
  std::vector<Rank> own, owners;
  for (Rank r = 0; r < world.size(); ++r)
    if (domain[r] == 0) own.push_back(r);
  std::vector<std::size_t> number(domain.size());  // [domain] of its ranks so far
  for (Rank r = 0; r < world.size(); ++r) {
    const std::size_t of_rank = number[domain[r]]++;
    if (domain[r] != 0 && own[of_rank % own.size()] == world.rank()) owners.push_back(r);
  }
  return owners;
}

}  // namespace

// Which remote columns are fetched, in which phase, and where their copies lie in its buffer.
template <class T>
class DistributedSpmm<T>::Split {
 public:
  Split(World& world, const MatrixRows<T>& rows, const SpmmStrategy& strategy)
      : world_(world), blocks_(rows.column_blocks), strategy_(strategy) {
    const IndexRange own{blocks_.begin(world.rank()), blocks_.end(world.rank())};
    const std::span<const Vertex> columns(rows.columns.data(), rows.columns.size());
    const auto index_of = [&](std::span<const Vertex> needed) {
      return RowIndex(world.team(), blocks_.count(), needed, own, world.plan().replicated_bytes);
    };
    index_ = index_of(columns);
    remote_columns_ = index_.rows().size();
    if (strategy.fetch == SpmmStrategy::Fetch::blocks) {
      std::vector<Vertex> some(columns.begin(), columns.end());
      for (const Rank owner : owners_to_take(world))
        for (Vertex row = blocks_.begin(owner); row < blocks_.end(owner); ++row) some.push_back(row);
      index_ = index_of(some);
    } else if (strategy.fetch == SpmmStrategy::Fetch::all) {
      std::vector<Vertex> all(static_cast<std::size_t>(blocks_.count()));
      std::iota(all.begin(), all.end(), Vertex{0});
      index_ = index_of(all);
    } else if (strategy.fetch == SpmmStrategy::Fetch::nonzeros) {
      repeats_.resize(index_.rows().size());
      for (const Vertex column : columns)
        if (column < own.begin || column >= own.end) ++repeats_[index_.position(column)];
    }
    divide(spmm::remote_nonzeros(rows, world.rank()));
  }

  std::size_t phases() const { return needed_.size(); }
  std::size_t remote_columns() const { return remote_columns_; }
  /// Collective. Frees the numbers.
  std::shared_ptr<const HaloPlan> plan(std::size_t phase) {
    const std::vector<Vertex> needed = std::move(needed_[phase]);
    return std::make_shared<const HaloPlan>(world_, blocks_, needed,
                                            repeats_.empty() ? Repeats::dropped : Repeats::kept);
  }
  std::size_t phase_of(Vertex column) const { return phase_.empty() ? 0 : phase_[index_.position(column)]; }
  /// The place of a nonzero's copy in the buffer of its phase; with repeats another one at each call.
  Local place_of(Vertex column) {
    const std::size_t at = index_.position(column);
    if (place_.empty()) return static_cast<Local>(at);
    if (repeats_.empty()) return place_[at];
    return std::atomic_ref(place_[at]).fetch_add(1, std::memory_order_relaxed);
  }

 private:
  // Phases by owner; then, where copies would be too many, each in as many parts.
  void divide(Edge remote_nonzeros) {
    const std::vector<int> distances = domain_distances(world_);
    const auto ranks = static_cast<std::size_t>(world_.size());
    std::vector<std::size_t> of_owner(ranks);
    std::size_t groups = 1;
    if (strategy_.phases == SpmmStrategy::Phases::ranks) {
      groups = std::max<std::size_t>(1, ranks - 1);
      for (std::size_t r = 0; r < ranks; ++r)
        of_owner[r] = (r + ranks - static_cast<std::size_t>(world_.rank()) + ranks - 1) % ranks;
    } else if (strategy_.phases != SpmmStrategy::Phases::one) {
      const auto domains = static_cast<std::size_t>(*std::ranges::max_element(distances)) + 1;
      groups = domain_groups(strategy_, world_.machine(), world_.hierarchy().depth(), domains,
                             world_.max(static_cast<double>(remote_nonzeros)));
      for (std::size_t r = 0; r < ranks; ++r) of_owner[r] = static_cast<std::size_t>(distances[r]) * groups / domains;
    }
    const std::span<const Vertex> rows = index_.rows();
    const auto copies = [&](std::size_t at) { return repeats_.empty() ? 1 : static_cast<std::size_t>(repeats_[at]); };
    const auto for_owners = [&](auto&& f) {  // f(owner, position, column)
      std::size_t at = 0;
      for (std::size_t r = 0; r < ranks; ++r)
        for (const Vertex end = blocks_.end(static_cast<Rank>(r)); at < rows.size() && rows[at] < end; ++at)
          f(r, at, rows[at]);
    };
    std::vector<std::size_t> sizes(groups);
    for_owners([&](std::size_t r, std::size_t at, Vertex) { sizes[of_owner[r]] += copies(at); });
    // Two phases have a buffer each; a single phase may be as large as both.
    const std::size_t most = world_.max(*std::ranges::max_element(sizes)),
                      share = static_cast<std::size_t>(blocks_.count()) / ranks + 1,
                      part = std::max(share, strategy_.undivided_rows / 2),
                      parts = most > (groups == 1 ? 2 * part : part) ? (most + part - 1) / part : 1;
    needed_.resize(groups * parts);
    if (groups * parts > 1) phase_.resize(rows.size());
    if (groups * parts > 1 || !repeats_.empty()) place_.resize(rows.size());
    // Every part has columns of all owners, the same ones on all ranks.
    for_owners([&](std::size_t r, std::size_t at, Vertex column) {
      const auto part = static_cast<std::size_t>(column - blocks_.begin(static_cast<Rank>(r))) % parts;
      const std::size_t phase = of_owner[r] * parts + part;
      if (!phase_.empty()) phase_[at] = static_cast<std::uint32_t>(phase);
      if (!place_.empty()) place_[at] = static_cast<Local>(needed_[phase].size());
      needed_[phase].insert(needed_[phase].end(), copies(at), column);
    });
  }

  World& world_;
  const Blocks& blocks_;
  const SpmmStrategy& strategy_;
  RowIndex index_;  // of remote columns
  std::size_t remote_columns_;
  std::vector<std::uint32_t> repeats_;       // [position] nonzeros in the column; empty: one copy for all
  std::vector<std::uint32_t> phase_;         // [position]; empty: one phase
  std::vector<Local> place_;                 // [position]; empty: the position
  std::vector<std::vector<Vertex>> needed_;  // [phase] ascending
};

template <class T>
DistributedSpmm<T>::DistributedSpmm(World& world, MatrixRows<T>&& rows, Reduce reduce, const SpmmStrategy& strategy)
    : world_(world), reduce_(reduce), strategy_(strategy) {
  check(strategy.algorithm == SpmmStrategy::Algorithm::rows_1d,
        "SpMM by rows: strategy {} (it multiplies otherwise). Use SpmmProduct.", strategy.name);
  spmm::check_rows(world, rows);
  const Vertex first = rows.column_blocks.begin(world.rank()), end = rows.column_blocks.end(world.rank());
  const auto own = static_cast<std::size_t>(rows.rows());
  row_nonzeros_.resize(own);
  for (std::size_t i = 0; i < own; ++i) row_nonzeros_[i] = rows.offsets[i + 1] - rows.offsets[i];
  remote_nonzeros_ = spmm::remote_nonzeros(rows, world.rank());
  const bool joint = strategy.fetch == SpmmStrategy::Fetch::joint && (reduce == Reduce::sum || reduce == Reduce::mean);
  if (joint) {
    // Before nonzeros go to other ranks: the volume is that of the matrix.
    remote_columns_ = RowIndex(world.team(), rows.column_blocks.count(), {rows.columns.data(), rows.columns.size()},
                               {first, end}, world.plan().replicated_bytes)
                          .rows()
                          .size();
    partial_.emplace(world, rows, reduce);
    if (!partial_->any()) partial_.reset();
  }
  Split split(world, rows, strategy);
  if (!joint) remote_columns_ = split.remote_columns();
  phases_.resize(split.phases());
  const auto is_own = [&](Vertex column) { return column >= first && column < end; };
  constexpr std::size_t kGrain = 1024;
  const auto for_rows = [&](auto&& f) {
    world.team().for_range(own, kGrain, [&](int, std::size_t i, std::size_t last) {
      for (; i < last; ++i)
        f(i, static_cast<std::size_t>(rows.offsets[i]), static_cast<std::size_t>(rows.offsets[i + 1]));
    });
  };
  local_.offsets = Array<Edge>(own + 1, 0);
  for (Phase& phase : phases_) phase.chunk.offsets = Array<Edge>(own + 1, 0);
  for_rows([&](std::size_t i, std::size_t begin, std::size_t row_end) {
    for (std::size_t e = begin; e < row_end; ++e) {
      const Vertex column = rows.columns[e];
      ++(is_own(column) ? local_ : phases_[split.phase_of(column)].chunk).offsets[i + 1];
    }
  });
  const auto reserve = [&](SparseMatrix<T>& chunk, std::int64_t columns) {
    for (std::size_t i = 0; i < own; ++i) chunk.offsets[i + 1] += chunk.offsets[i];
    const auto nonzeros = static_cast<std::size_t>(chunk.offsets[own]);
    chunk.rows = static_cast<std::int64_t>(own);
    chunk.columns = columns;
    chunk.column_indices = Array<Local>(nonzeros);
    if (!rows.values.empty()) chunk.values = Array<T>(nonzeros);
  };
  reserve(local_, end - first);
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    phases_[p].plan = split.plan(p);
    reserve(phases_[p].chunk, static_cast<std::int64_t>(phases_[p].plan->rows() - phases_[p].plan->first_copy()));
  }
  std::vector<std::vector<Edge>> next(static_cast<std::size_t>(world.team().size()),
                                      std::vector<Edge>(phases_.size() + 1));
  world.team().for_range(own, kGrain, [&](int thread, std::size_t i, std::size_t last) {
    auto& to = next[thread];  // in each phase's chunk, and in the local one
    for (; i < last; ++i) {
      for (std::size_t p = 0; p < phases_.size(); ++p) to[p] = phases_[p].chunk.offsets[i];
      to.back() = local_.offsets[i];
      for (auto e = static_cast<std::size_t>(rows.offsets[i]); e < static_cast<std::size_t>(rows.offsets[i + 1]); ++e) {
        const Vertex column = rows.columns[e];
        const bool here = is_own(column);
        const std::size_t p = here ? phases_.size() : split.phase_of(column);
        SparseMatrix<T>& chunk = here ? local_ : phases_[p].chunk;
        const auto at = static_cast<std::size_t>(to[p]++);
        chunk.column_indices[at] = here ? static_cast<Local>(column - first) : split.place_of(column);
        if (!rows.values.empty()) chunk.values[at] = rows.values[e];
      }
    }
  });
  rows = {};
  local_product_.emplace(local_.view(), reduce, row_nonzeros_);
  for (Phase& phase : phases_) phase.product.emplace(phase.chunk.view(), reduce, row_nonzeros_);
}

template <class T>
typename DistributedSpmm<T>::Exchange& DistributedSpmm<T>::exchange_of(Phase& phase, std::int64_t columns) {
  const auto [at, is_new] = phase.exchanges.try_emplace(columns, phase.plan, static_cast<std::size_t>(columns),
                                                        strategy_.path, SumOf{}, strategy_.messages);
  return at->second;
}

template <class T>
void DistributedSpmm<T>::operator()(MatrixView<const T> b, MatrixView<T> c) {
  const std::int64_t columns = spmm::check_shapes(world_, b, c, local_.columns, rows());
  Team& team = world_.team();
  using Run = typename Spmm<T>::Run;
  std::optional<Run> for_others, run(std::in_place, *local_product_, b, c, false);
  if (partial_) for_others.emplace(partial_->product(), b, partial_->begin(columns), false);
  const auto step = [&](std::size_t) {
    if (!strategy_.overlapped) return false;
    std::optional<Edge> nonzeros;
    if (for_others) nonzeros = for_others->step();
    if (!nonzeros) nonzeros = run->step();
    if (nonzeros) spmm::charge_product<T>(world_, *nonzeros, columns, strategy_.program);
    return nonzeros.has_value();
  };
  const auto finish = [&](std::int64_t copied_rows) {
    spmm::charge_product<T>(world_, run->finish(team), columns, strategy_.program);
    spmm::charge_stage<T>(world_, rows(), copied_rows, columns, strategy_.program);
  };
  for (std::size_t p = 0; p < phases_.size(); ++p) {
    Phase& phase = phases_[p];
    Array<T>& copies = copies_[p % 2];
    const auto values = static_cast<std::size_t>(phase.chunk.columns * columns);
    if (copies.size() < values) copies = Array<T>(values);
    if (phase.plan->broadcast().copies_on_all_ranks > 0)
      exchange_of(phase, columns).broadcast_all(b.data, b.stride, {copies.data(), values}, step);
    finish(p == 0 ? 0 : phases_[p - 1].chunk.columns);
    run.emplace(*phase.product, MatrixView<const T>{copies.data(), phase.chunk.columns, columns, columns}, c, true);
  }
  finish(phases_.empty() ? 0 : phases_.back().chunk.columns);
  if (partial_) {
    spmm::charge_product<T>(world_, for_others->finish(team), columns, strategy_.program);
    spmm::charge_stage<T>(world_, partial_->rows(), 0, columns, strategy_.program);
    partial_->add_to(c);
  }
  if (reduce_ == Reduce::max || reduce_ == Reduce::min) finish_rows<T>(team, row_nonzeros_, c);
}

template <class T>
SpmmVolume DistributedSpmm<T>::volume() const {
  SpmmVolume out;
  out.remote_nonzeros = world_.sum(static_cast<double>(remote_nonzeros_));
  out.remote_columns = world_.sum(static_cast<double>(remote_columns_));
  double crossing = 0;
  for (const Phase& phase : phases_)
    crossing += static_cast<double>(phase.plan->broadcast_traffic(strategy_.path, sizeof(T)).back().rows);
  if (partial_) crossing += static_cast<double>(partial_->sent().back().rows);
  out.crossing = world_.sum(crossing);
  return out;
}

template <class T>
std::vector<HaloTraffic> DistributedSpmm<T>::traffic(std::int64_t columns) {
  std::vector<HaloTraffic> out(static_cast<std::size_t>(world_.hierarchy().depth()));
  const auto add = [&](const std::vector<HaloTraffic>& levels) {
    for (std::size_t l = 0; l < out.size(); ++l) {
      out[l].rows += levels[l].rows;
      out[l].bytes += levels[l].bytes;
    }
  };
  for (Phase& phase : phases_)
    if (phase.plan->broadcast().copies_on_all_ranks > 0) add(exchange_of(phase, columns).broadcast_traffic());
  if (partial_) add(partial_->traffic(columns));
  return out;
}

template <class T>
std::size_t DistributedSpmm<T>::memory_bytes() const {
  std::size_t bytes = local_.memory_bytes() + row_nonzeros_.size() * sizeof(Edge) + local_product_->memory_bytes();
  if (partial_) bytes += partial_->memory_bytes();
  for (const Array<T>& copies : copies_) bytes += copies.size() * sizeof(T);
  for (const Phase& phase : phases_) {
    bytes += phase.chunk.memory_bytes() + phase.plan->memory_bytes() + phase.product->memory_bytes();
    for (const auto& [columns, exchange] : phase.exchanges)
      bytes += exchange.memory_bytes() - phase.plan->memory_bytes();
  }
  return bytes;
}

template <class T>
MatrixRows<T> transposed(World& world, const MatrixRows<T>& rows) {
  spmm::check_rows(world, rows);
  struct Entry {
    Vertex row, column;
    T value;
  };
  const Vertex first_row = rows.blocks.begin(world.rank()), first = rows.column_blocks.begin(world.rank());
  const bool weighted = world.any(!rows.values.empty());
  std::vector<std::vector<Entry>> outgoing(static_cast<std::size_t>(world.size()));
  for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i)
    for (auto e = static_cast<std::size_t>(rows.offsets[i]); e < static_cast<std::size_t>(rows.offsets[i + 1]); ++e)
      outgoing[rows.column_blocks.owner(rows.columns[e])].push_back(
          {rows.columns[e], first_row + static_cast<Vertex>(i), rows.values.empty() ? T{1} : rows.values[e]});
  const auto incoming = world.exchange(std::move(outgoing));
  const auto own = static_cast<std::size_t>(rows.column_blocks.size(world.rank()));
  MatrixRows<T> out{.blocks = rows.column_blocks, .column_blocks = rows.blocks};
  out.offsets = Array<Edge>(own + 1, 0);
  for (const auto& from : incoming)
    for (const Entry& entry : from) ++out.offsets[static_cast<std::size_t>(entry.row - first) + 1];
  for (std::size_t i = 0; i < own; ++i) out.offsets[i + 1] += out.offsets[i];
  const auto nonzeros = static_cast<std::size_t>(out.offsets[own]);
  out.columns = Array<Vertex>(nonzeros);
  if (weighted) out.values = Array<T>(nonzeros);
  // Ranks have ascending rows, and each rank's come in their order: columns ascend.
  std::vector<Edge> next(out.offsets.begin(), out.offsets.end());
  for (const auto& from : incoming)
    for (const Entry& entry : from) {
      const auto to = static_cast<std::size_t>(next[entry.row - first]++);
      out.columns[to] = entry.column;
      if (weighted) out.values[to] = entry.value;
    }
  return out;
}

template class DistributedSpmm<float>;
template class DistributedSpmm<double>;
template MatrixRows<float> transposed(World&, const MatrixRows<float>&);
template MatrixRows<double> transposed(World&, const MatrixRows<double>&);

}  // namespace atl
