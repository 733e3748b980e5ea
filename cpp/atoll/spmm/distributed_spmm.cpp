// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/spmm/distributed_spmm.hpp>
#include <cmath>

namespace atl {
namespace {

template <class T>
void check_rows(World& world, const MatrixRows<T>& rows) {
  world.agree(
      rows.blocks.ranks() == world.size(),
      fmt::format("SpMM: rows are dealt out among {} ranks (the job has {}). Deal them out among the job's ranks.",
                  rows.blocks.ranks(), world.size()));
  const Vertex own = rows.blocks.size(world.rank());
  world.agree(
      rows.rows() == own && rows.offsets[static_cast<std::size_t>(own)] == static_cast<Edge>(rows.columns.size()),
      fmt::format("SpMM: rank {} has {} row offsets and {} columns ({} rows are its own). Pass CSR arrays of the "
                  "rank's rows.",
                  world.rank(), rows.offsets.size(), rows.columns.size(), own));
  const auto nan = std::find_if(rows.values.begin(), rows.values.end(), [](T x) { return std::isnan(x); });
  world.agree(nan == rows.values.end(),
              fmt::format("SpMM: nonzero {} of rank {} is not a number. Remove or replace it.",
                          nan - rows.values.begin(), world.rank()));
}

}  // namespace

template <class T>
DistributedSpmm<T>::DistributedSpmm(World& world, MatrixRows<T>&& rows, Reduce reduce, std::optional<HaloPath> path)
    : world_(world),
      reduce_(reduce),
      path_(path.value_or(world.hierarchy().depth() > 1 ? HaloPath::domains : HaloPath::direct)) {
  ATOLL_ASSERT(path_ != HaloPath::route);
  check_rows(world, rows);
  plan_ =
      std::make_shared<const HaloPlan>(world, rows.column_blocks, std::span(rows.columns.data(), rows.columns.size()));
  const Vertex first = rows.column_blocks.begin(world.rank()), end = rows.column_blocks.end(world.rank());
  const auto own = static_cast<std::size_t>(rows.rows());
  const auto is_own = [&](Vertex column) { return column >= first && column < end; };
  const auto copies = static_cast<std::int64_t>(plan_->rows() - plan_->first_copy());
  constexpr std::size_t kGrain = 1024;
  const auto for_rows = [&](auto&& f) {
    world.team().for_range(own, kGrain, [&](int, std::size_t i, std::size_t last) {
      for (; i < last; ++i)
        f(i, static_cast<std::size_t>(rows.offsets[i]), static_cast<std::size_t>(rows.offsets[i + 1]));
    });
  };
  row_nonzeros_.resize(own);
  Array<Edge> local(own + 1), remote(own + 1);
  local[0] = remote[0] = 0;
  for_rows([&](std::size_t i, std::size_t begin, std::size_t row_end) {
    Edge here = 0;
    for (std::size_t e = begin; e < row_end; ++e) here += is_own(rows.columns[e]);
    row_nonzeros_[i] = static_cast<Edge>(row_end - begin);
    local[i + 1] = here;
    remote[i + 1] = row_nonzeros_[i] - here;
  });
  const auto reserve = [&](SparseMatrix<T>& chunk, std::int64_t columns, Array<Edge>& counts) {
    for (std::size_t i = 0; i < own; ++i) counts[i + 1] += counts[i];
    const auto nonzeros = static_cast<std::size_t>(counts[own]);
    chunk.rows = static_cast<std::int64_t>(own);
    chunk.columns = columns;
    chunk.offsets = std::move(counts);
    chunk.places = Array<Local>(nonzeros);
    if (!rows.values.empty()) chunk.values = Array<T>(nonzeros);
  };
  reserve(local_, end - first, local);
  reserve(remote_, copies, remote);
  for_rows([&](std::size_t i, std::size_t begin, std::size_t row_end) {
    auto to_local = static_cast<std::size_t>(local_.offsets[i]),
         to_remote = static_cast<std::size_t>(remote_.offsets[i]);
    for (std::size_t e = begin; e < row_end; ++e) {
      const Vertex column = rows.columns[e];
      const bool here = is_own(column);
      const std::size_t to = here ? to_local++ : to_remote++;
      SparseMatrix<T>& chunk = here ? local_ : remote_;
      chunk.places[to] = here ? static_cast<Local>(column - first)
                              : plan_->local_row(column) - static_cast<Local>(plan_->first_copy());
      if (!rows.values.empty()) chunk.values[to] = rows.values[e];
    }
  });
  rows = {};
  local_product_.emplace(local_.view(), reduce, row_nonzeros_);
  remote_product_.emplace(remote_.view(), reduce, row_nonzeros_);
}

template <class T>
typename DistributedSpmm<T>::Exchange& DistributedSpmm<T>::exchange_of(std::int64_t columns) {
  const auto [at, is_new] = exchanges_.try_emplace(columns, plan_, static_cast<std::size_t>(columns), path_);
  return at->second;
}

template <class T>
void DistributedSpmm<T>::operator()(MatrixView<const T> b, MatrixView<T> c) {
  const std::int64_t columns = world_.max(b.cols);
  world_.agree(
      b.rows == local_.columns && c.rows == rows() && b.cols == columns && c.cols == columns && b.stride >= columns &&
          c.stride >= columns && columns > 0,
      fmt::format(
          "SpMM: on rank {} B is {} x {} and C {} x {} ({} x {} and {} x {} are needed there, with as many columns "
          "as on the other ranks, at least one). Pass matrices of that shape.",
          world_.rank(), b.rows, b.cols, c.rows, c.cols, local_.columns, columns, rows(), columns));
  const auto values = static_cast<std::size_t>(remote_.columns * columns);
  if (copies_.size() < values) copies_ = Array<T>(values);
  exchange_of(columns).broadcast_all(b.data, b.stride, {copies_.data(), values});
  Team& team = world_.team();
  (*local_product_)(team, b, c);
  remote_product_->add(team, {copies_.data(), remote_.columns, columns, columns}, c);
  if (reduce_ == Reduce::max || reduce_ == Reduce::min) finish_rows<T>(team, row_nonzeros_, c);
}

template <class T>
SpmmVolume DistributedSpmm<T>::volume() const {
  SpmmVolume out;
  out.remote_nonzeros = world_.sum(static_cast<double>(remote_.pattern().nonzeros()));
  out.remote_columns = plan_->broadcast().all;
  const std::vector<HaloTraffic> levels = plan_->broadcast_traffic(path_, sizeof(T));
  out.crossing = world_.sum(static_cast<double>(levels.back().rows));
  return out;
}

template <class T>
std::vector<HaloTraffic> DistributedSpmm<T>::traffic(std::int64_t columns) {
  return exchange_of(columns).broadcast_traffic();
}

template <class T>
std::size_t DistributedSpmm<T>::memory_bytes() const {
  std::size_t bytes = local_.memory_bytes() + remote_.memory_bytes() + plan_->memory_bytes() +
                      row_nonzeros_.size() * sizeof(Edge) + copies_.size() * sizeof(T) +
                      local_product_->memory_bytes() + remote_product_->memory_bytes();
  for (const auto& [columns, exchange] : exchanges_) bytes += exchange.memory_bytes() - plan_->memory_bytes();
  return bytes;
}

template <class T>
MatrixRows<T> transposed(World& world, const MatrixRows<T>& rows) {
  check_rows(world, rows);
  const auto wrong = std::find_if(rows.columns.begin(), rows.columns.end(),
                                  [&](Vertex column) { return column < 0 || column >= rows.column_blocks.count(); });
  world.agree(wrong == rows.columns.end(),
              fmt::format("SpMM: a nonzero of rank {} is in column {} (the matrix has {} columns). Correct the column "
                          "numbers.",
                          world.rank(), wrong == rows.columns.end() ? 0 : *wrong, rows.column_blocks.count()));
  struct Entry {
    Vertex row, column;
    T value;
  };
  const Vertex first_row = rows.blocks.begin(world.rank()), first = rows.column_blocks.begin(world.rank());
  const bool weighted = world.any(!rows.values.empty());
  std::vector<std::vector<Entry>> outgoing(static_cast<std::size_t>(world.size()));
  for (std::size_t i = 0; i + 1 < rows.offsets.size(); ++i)
    for (auto e = static_cast<std::size_t>(rows.offsets[i]); e < static_cast<std::size_t>(rows.offsets[i + 1]); ++e)
      outgoing[static_cast<std::size_t>(rows.column_blocks.owner(rows.columns[e]))].push_back(
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
      const auto to = static_cast<std::size_t>(next[static_cast<std::size_t>(entry.row - first)]++);
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
