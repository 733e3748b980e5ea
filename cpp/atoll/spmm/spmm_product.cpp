// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/spmm/product.hpp>
#include <atoll/spmm/spmm_product.hpp>

namespace atl {

using Algorithm = SpmmStrategy::Algorithm;

template <class T>
SpmmProduct<T>::SpmmProduct(World& world, MatrixRows<T>&& rows, const SpmmStrategy& strategy,
                            const SpmmOptions& options)
    : world_(world), strategy_(strategy), reduce_(options.reduce), column_block_(options.column_block) {
  world.collective_try([&] {
    if (options.column_block < 0)
      throw UsageError(fmt::format("SpMM: blocks of {} columns (a block has at least one). Give more, or 0 for all.",
                                   options.column_block));
    if (options.replication != 0 && strategy.algorithm != Algorithm::replicated_1_5d)
      throw UsageError(
          fmt::format("SpMM: a replication of {} with strategy {} (teams are those of broadcast-1.5d). "
                      "Leave it out, or take that strategy.",
                      options.replication, strategy.name));
  });
  all_columns_ = rows.column_blocks.count();
  nonzeros_ = static_cast<Edge>(rows.columns.size());
  if (strategy.algorithm != Algorithm::rows_1d) count_remote(rows);
  product_ = planned(std::move(rows), options.replication);
}

// Counts the remote nonzeros, which DistributedSpmm knows by itself.
template <class T>
void SpmmProduct<T>::count_remote(const MatrixRows<T>& rows) {
  spmm::check_rows(world_, rows);
  const Vertex first = rows.column_blocks.begin(world_.rank()), end = rows.column_blocks.end(world_.rank());
  const std::span<const Vertex> columns(rows.columns.data(), rows.columns.size());
  remote_.remote_nonzeros = world_.sum(static_cast<double>(spmm::remote_nonzeros(rows, world_.rank())));
  const RowIndex index(world_.team(), all_columns_, columns, {first, end}, world_.plan().replicated_bytes);
  remote_.remote_columns = world_.sum(static_cast<double>(index.rows().size()));
}

template <class T>
typename SpmmProduct<T>::AnyProduct SpmmProduct<T>::planned(MatrixRows<T>&& rows, Rank replication) {
  switch (strategy_.algorithm) {
    case Algorithm::replicated_1_5d:
      if (replication == 0) replication = spmm::largest_divisor_to_root(world_.size());
      return std::make_unique<ReplicatedSpmm<T>>(world_, std::move(rows), replication, reduce_, strategy_.program);
    case Algorithm::summa_2d:
      return std::make_unique<SummaSpmm<T>>(world_, std::move(rows), reduce_, strategy_.program);
    case Algorithm::rows_1d:
      break;
  }
  return std::make_unique<DistributedSpmm<T>>(world_, std::move(rows), reduce_, strategy_);
}

// f(first, width) for each block of columns.
template <class T>
template <class F>
void SpmmProduct<T>::for_blocks(std::int64_t columns, F&& f) const {
  const std::int64_t block = column_block_ > 0 ? std::min(column_block_, columns) : columns;
  for (std::int64_t first = 0; first < columns; first += block) f(first, std::min(block, columns - first));
}

template <class T>
void SpmmProduct<T>::operator()(MatrixView<const T> b, MatrixView<T> c) {
  const auto multiply = [&](MatrixView<const T> from, MatrixView<T> to) {
    std::visit([&](auto& product) { (*product)(from, to); }, product_);
  };
  if (column_block_ == 0) return multiply(b, c);
  const std::int64_t columns = spmm::check_shapes(world_, b, c, this->columns(), rows());
  for_blocks(columns, [&](std::int64_t first, std::int64_t width) {
    multiply(b.part(0, first, b.rows, width), c.part(0, first, c.rows, width));
  });
}

template <class T>
std::int64_t SpmmProduct<T>::rows() const {
  return std::visit([](const auto& product) { return product->rows(); }, product_);
}
template <class T>
std::int64_t SpmmProduct<T>::columns() const {
  return std::visit([](const auto& product) { return product->columns(); }, product_);
}
template <class T>
std::size_t SpmmProduct<T>::phases() const {
  return std::visit([](const auto& product) { return product->phases(); }, product_);
}
template <class T>
std::size_t SpmmProduct<T>::memory_bytes() const {
  return std::visit([](const auto& product) { return product->memory_bytes(); }, product_);
}

template <class T>
std::vector<std::uint64_t> SpmmProduct<T>::traffic(std::int64_t columns) {
  std::vector<std::uint64_t> levels(static_cast<std::size_t>(world_.hierarchy().depth()));
  for_blocks(columns, [&](std::int64_t, std::int64_t width) {
    const auto add = [&](std::size_t level, std::uint64_t bytes) { levels[level] += bytes; };
    std::visit(
        [&]<class P>(std::unique_ptr<P>& product) {
          const auto sent = product->traffic(width);
          for (std::size_t l = 0; l < levels.size(); ++l) {
            if constexpr (std::is_same_v<P, SummaSpmm<T>>)
              add(l, sent[l]);
            else
              add(l, sent[l].rows * static_cast<std::uint64_t>(width) * sizeof(T));
          }
        },
        product_);
  });
  return levels;
}

template <class T>
SpmmBytes SpmmProduct<T>::volume(std::int64_t columns) {
  const double row_bytes = static_cast<double>(columns) * sizeof(T);
  const std::vector<std::uint64_t> levels = traffic(columns);
  const auto* by_rows = std::get_if<Held<DistributedSpmm<T>>>(&product_);
  const SpmmVolume remote = by_rows ? (*by_rows)->volume() : remote_;
  double sent = 0;
  for (const std::uint64_t level : levels) sent += static_cast<double>(level);
  return {.coarse = static_cast<double>(all_columns_) * (world_.size() - 1) * row_bytes,
          .row_wise = remote.remote_nonzeros * row_bytes,
          .column_wise = remote.remote_columns * row_bytes,
          .sent = world_.sum(sent),
          .crossing = world_.sum(static_cast<double>(levels.back()))};
}

template class SpmmProduct<float>;
template class SpmmProduct<double>;

}  // namespace atl
