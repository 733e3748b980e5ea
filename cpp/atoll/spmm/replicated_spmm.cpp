// SPDX-License-Identifier: Apache-2.0
#include <atoll/spmm/distributed_nonzeros.hpp>
#include <atoll/spmm/grid_spmm.hpp>
#include <numeric>

namespace atl {

using namespace spmm;

template <class T>
ReplicatedSpmm<T>::ReplicatedSpmm(World& world, MatrixRows<T>&& a, Rank replication, Reduce reduce,
                                  const SpmmProgram& program)
    : world_(world), reduce_(reduce), program_(program) {
  const Rank p = world.size(), me = world.rank();
  world.collective_try([&] {
    if (replication < 1 || p % replication != 0)
      throw UsageError(fmt::format("SpMM in 1.5D: the replication is {} (it must divide the {} ranks). Take a divisor.",
                                   replication, p));
  });
  check_adds(world, reduce);
  check_rows(world, a);
  row_nonzeros_ = nonzeros_of_rows(a);
  const Rank team = me / replication, share_ranks = p / replication, share = me % replication;
  const auto list = [](Vertex begin, Vertex end) {
    std::vector<Vertex> rows(static_cast<std::size_t>(end - begin));
    std::iota(rows.begin(), rows.end(), begin);
    return rows;
  };
  const auto share_of = [&](Vertex column) { return a.column_blocks.owner(column) / share_ranks; };
  const Blocks& columns = a.column_blocks;
  fetched_ = std::make_shared<const HaloPlan>(
      world, columns, list(columns.begin(share * share_ranks), columns.end((share + 1) * share_ranks - 1)));
  added_ = std::make_shared<const HaloPlan>(
      world, a.blocks, list(a.blocks.begin(team * replication), a.blocks.end((team + 1) * replication - 1)));
  const auto entries =
      distribute_nonzeros(world, a, [&](Vertex column) { return team * replication + share_of(column); });
  const Vertex first = columns.begin(me), end = columns.end(me);
  const auto is_own = [&](Vertex column) { return column >= first && column < end; };
  const auto row = [&](Vertex i) { return added_->local_row(i); };
  const auto rows = static_cast<std::int64_t>(added_->rows());
  const auto first_copy = static_cast<Local>(fetched_->first_copy());
  const bool weighted = world.any(!a.values.empty());
  local_ = chunk_of(entries, rows, end - first, weighted, is_own, row, [&](Vertex column) { return column - first; });
  remote_ = chunk_of(
      entries, rows, static_cast<std::int64_t>(fetched_->rows()) - first_copy, weighted,
      [&](Vertex column) { return !is_own(column); }, row,
      [&](Vertex column) { return fetched_->local_row(column) - first_copy; });
  a = {};
  local_product_.emplace(local_.view());
  remote_product_.emplace(remote_.view());
}

template <class T>
typename ReplicatedSpmm<T>::Exchanges& ReplicatedSpmm<T>::exchanges_of(std::int64_t columns) {
  const auto [at, is_new] = exchanges_.try_emplace(columns, fetched_, added_, static_cast<std::size_t>(columns));
  return at->second;
}

template <class T>
void ReplicatedSpmm<T>::operator()(MatrixView<const T> b, MatrixView<T> c) {
  const std::int64_t columns = check_shapes(world_, b, c, this->columns(), rows());
  Exchanges& exchanges = exchanges_of(columns);
  grow(copies_, remote_.columns * columns);
  grow(partial_, local_.rows * columns);
  exchanges.fetch.broadcast_all(b.data, b.stride, {copies_.data(), static_cast<std::size_t>(remote_.columns * columns)},
                                [](std::size_t) { return false; });
  Team& team = world_.team();
  const MatrixView<T> partial{partial_.data(), local_.rows, columns, columns};
  (*local_product_)(team, b, partial);
  remote_product_->add(team, {copies_.data(), remote_.columns, columns, columns}, partial);
  charge_product<T>(world_, local_.pattern().nonzeros() + remote_.pattern().nonzeros(), columns, program_);
  charge_stage<T>(world_, 2 * partial.rows, remote_.columns, columns, program_);  // two stages
  exchanges.add.reduce_all({partial_.data(), static_cast<std::size_t>(local_.rows * columns)});
  write_rows<T>(team, row_nonzeros_, reduce_, c, [&](std::int64_t i) { return &partial(i, 0); });
}

template <class T>
GridVolume ReplicatedSpmm<T>::volume(std::int64_t columns) const {
  const auto row = static_cast<std::uint64_t>(columns) * sizeof(T);
  return {.a = 0,
          .b = row * static_cast<std::uint64_t>(fetched_->broadcast().copies_on_all_ranks),
          .c = row * static_cast<std::uint64_t>(added_->reduced().copies_on_all_ranks)};
}

template <class T>
std::vector<HaloTraffic> ReplicatedSpmm<T>::traffic(std::int64_t columns) {
  const Exchanges& exchanges = exchanges_of(columns);
  std::vector<HaloTraffic> levels = exchanges.fetch.broadcast_traffic();
  const std::vector<HaloTraffic> added = exchanges.add.reduced_traffic();
  for (std::size_t l = 0; l < levels.size(); ++l) {
    levels[l].rows += added[l].rows;
    levels[l].bytes += added[l].bytes;
  }
  return levels;
}

template <class T>
std::size_t ReplicatedSpmm<T>::memory_bytes() const {
  std::size_t bytes = local_.memory_bytes() + remote_.memory_bytes() + row_nonzeros_.size() * sizeof(Edge) +
                      (copies_.size() + partial_.size()) * sizeof(T) + local_product_->memory_bytes() +
                      remote_product_->memory_bytes() + fetched_->memory_bytes() + added_->memory_bytes();
  for (const auto& [columns, e] : exchanges_)
    bytes += e.fetch.memory_bytes() - fetched_->memory_bytes() + e.add.memory_bytes() - added_->memory_bytes();
  return bytes;
}

template class ReplicatedSpmm<float>;
template class ReplicatedSpmm<double>;

}  // namespace atl
