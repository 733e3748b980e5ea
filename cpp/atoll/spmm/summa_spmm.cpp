// SPDX-License-Identifier: Apache-2.0
#include <atoll/spmm/distributed_nonzeros.hpp>
#include <atoll/spmm/grid_spmm.hpp>
#include <cstring>
#include <limits>
#include <numeric>

// The ranks of grid row r are r Pc .. r Pc + Pc - 1, so its rows of A, B and C are those of neighbouring ranks, and what
// goes to the grid and back stays in a grid row. Stages are cut between ranks as well: those of P / lcm(Pr, Pc) ranks
// make a stage, all of them of one grid row.
namespace atl {

using namespace spmm;

namespace {

constexpr BroadcastShape kShape = BroadcastShape::tree;

std::uint64_t product(std::int64_t a, std::int64_t b) {
  return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(b);
}

template <class V>
std::span<const std::byte> bytes_at(const V* values, std::uint64_t count) {
  return std::as_bytes(std::span(values, static_cast<std::size_t>(count)));
}

}  // namespace

template <class T>
SummaSpmm<T>::SummaSpmm(World& world, MatrixRows<T>&& a, Reduce reduce, const SpmmProgram& program)
    : world_(world),
      reduce_(reduce),
      program_(program),
      blocks_(a.blocks),
      column_blocks_(a.column_blocks),
      grid_rows_(largest_divisor_to_root(world.size())),
      grid_columns_(world.size() / grid_rows_),
      row_(world.rank() / grid_columns_),
      column_(world.rank() % grid_columns_),
      stages_(std::lcm(grid_rows_, grid_columns_)),
      stage_ranks_(world.size() / stages_) {
  check_adds(world, reduce);
  check_rows(world, a);
  const Vertex first = blocks_.begin(rank_at(row_, 0)), rows = blocks_.end(rank_at(row_, grid_columns_ - 1)) - first,
               most = std::numeric_limits<Local>::max();
  world.agree(
      rows < most &&
          column_blocks_.end(rank_at(row_, grid_columns_ - 1)) - column_blocks_.begin(rank_at(row_, 0)) < most,
      fmt::format("SpMM in 2D: grid row {} has {} rows of the matrix (local numbers have 31 bits). Use more ranks.",
                  row_, rows));
  row_nonzeros_ = nonzeros_of_rows(a);
  weighted_ = world.any(!a.values.empty());
  const Rank stages_of_column = stages_ / grid_columns_;
  const auto entries = distribute_nonzeros(world, a, [&](Vertex column) {
    return rank_at(row_, column_blocks_.owner(column) / stage_ranks_ / stages_of_column);
  });
  a = {};
  const auto stages = static_cast<std::size_t>(stages_);
  own_blocks_.resize(stages);
  stage_nonzeros_.assign(stages, 0);  // of this rank's blocks, until all ranks know those of their grid row
  for (Rank s = column_ * stages_of_column; s < (column_ + 1) * stages_of_column; ++s) {
    const auto at = static_cast<std::size_t>(s);
    const Vertex begin = stage_begin(s), end = stage_end(s);
    const SparseMatrix<T> block = chunk_of(
        entries, rows, end - begin, weighted_, [&](Vertex column) { return column >= begin && column < end; },
        [&](Vertex i) { return i - first; }, [&](Vertex column) { return column - begin; });
    stage_nonzeros_[at] = block.pattern().nonzeros();
    if (stage_nonzeros_[at] == 0) continue;
    own_blocks_[at] = Array<std::byte>(block_bytes(s));
    std::byte* to = own_blocks_[at].data();
    const auto put = [&](const auto& values) {
      const std::size_t bytes = values.size() * sizeof(values[0]);
      if (bytes > 0) std::memcpy(to, values.data(), bytes);
      to += bytes;
    };
    put(block.offsets);
    put(block.values);
    put(block.column_indices);
  }
  const std::vector<Edge> all = world.all_gather_varying(std::span<const Edge>(stage_nonzeros_));
  stage_nonzeros_.assign(stages, 0);
  for (Rank c = 0; c < grid_columns_; ++c)
    for (std::size_t s = 0; s < stages; ++s)
      stage_nonzeros_[s] += all[static_cast<std::size_t>(rank_at(row_, c)) * stages + s];
  std::vector<Rank> of_row, of_column;
  for (Rank c = 0; c < grid_columns_; ++c) of_row.push_back(rank_at(row_, c));
  for (Rank r = 0; r < grid_rows_; ++r) of_column.push_back(rank_at(r, column_));
  broadcasts_ = std::make_unique<PanelBroadcast>(world, std::vector{of_row, of_column});
}

// A block without nonzeros does not travel.
template <class T>
std::size_t SummaSpmm<T>::block_bytes(Rank stage) const {
  const auto nonzeros = static_cast<std::size_t>(stage_nonzeros_[stage]);
  if (nonzeros == 0) return 0;
  const auto rows =
      static_cast<std::size_t>(blocks_.end(rank_at(row_, grid_columns_ - 1)) - blocks_.begin(rank_at(row_, 0)));
  return (rows + 1) * sizeof(Edge) + nonzeros * (sizeof(Local) + (weighted_ ? sizeof(T) : 0));
}

// Offsets, values and column indices follow each other, those with the strictest alignment first.
template <class T>
SparseView<T> SummaSpmm<T>::block_in(const std::byte* panel, Rank stage) const {
  const auto nonzeros = static_cast<std::size_t>(stage_nonzeros_[stage]);
  const Vertex rows = blocks_.end(rank_at(row_, grid_columns_ - 1)) - blocks_.begin(rank_at(row_, 0));
  const auto* offsets = reinterpret_cast<const Edge*>(panel);
  const auto* values = reinterpret_cast<const T*>(offsets + rows + 1);
  const auto* column_indices = reinterpret_cast<const Local*>(values + (weighted_ ? nonzeros : 0));
  return {{rows,
           stage_end(stage) - stage_begin(stage),
           {offsets, static_cast<std::size_t>(rows) + 1},
           {column_indices, nonzeros}},
          weighted_ ? values : nullptr};
}

// c_slice_ += A b_slice_, where each has the rows of the grid row, `width` columns. While a stage is multiplied, the
// blocks of the next one travel.
template <class T>
void SummaSpmm<T>::multiply(std::int64_t width) {
  constexpr std::uint32_t kAlongRow = 0, kAlongColumn = 1;
  const Vertex first = column_blocks_.begin(rank_at(row_, 0)),
               rows = blocks_.end(rank_at(row_, grid_columns_ - 1)) - blocks_.begin(rank_at(row_, 0));
  BroadcastRequest requests[2][2];
  std::byte* panels[2][2] = {};
  const auto start = [&](Rank s) {
    const std::size_t turn = static_cast<std::size_t>(s) % 2;
    const auto broadcast = [&](std::uint32_t group, int root, bool is_root, std::byte* own, std::size_t bytes) {
      if (bytes == 0) return;
      Array<std::byte>& panel = panels_[turn][group];
      if (!is_root) grow(panel, static_cast<std::int64_t>(bytes));
      panels[turn][group] = is_root ? own : panel.data();
      broadcasts_->start(requests[turn][group], group, static_cast<std::uint32_t>(s), root,
                         {panels[turn][group], bytes}, kShape);
    };
    const Rank root_column = s / (stages_ / grid_columns_), root_row = s / (stages_ / grid_rows_);
    broadcast(kAlongRow, root_column, root_column == column_, own_blocks_[s].data(), block_bytes(s));
    auto* slice = reinterpret_cast<std::byte*>(b_slice_.data());
    if (root_row == row_) slice += product(stage_begin(s) - first, width) * sizeof(T);
    broadcast(kAlongColumn, root_row, root_row == row_, slice,
              product(stage_end(s) - stage_begin(s), width) * sizeof(T));
  };
  start(0);
  for (Rank s = 0; s < stages_; ++s) {
    if (s + 1 < stages_) start(s + 1);
    auto& [along_row, along_column] = requests[static_cast<std::size_t>(s) % 2];
    broadcasts_->wait_arrived(along_row);
    broadcasts_->wait_arrived(along_column);
    if (block_bytes(s) > 0 && width > 0) {
      const auto& [block, slice] = panels[static_cast<std::size_t>(s) % 2];
      const SparseView<T> a = block_in(block, s);
      Spmm<T>(a).add(world_.team(), {reinterpret_cast<const T*>(slice), a.pattern.columns, width, width},
                     {c_slice_.data(), rows, width, width});
      charge_product<T>(world_, a.pattern.nonzeros(), width, program_);
      charge_stage<T>(world_, rows, a.pattern.columns, width, program_);
    }
    broadcasts_->finish(along_row);
    broadcasts_->finish(along_column);
  }
}

template <class T>
void SummaSpmm<T>::operator()(MatrixView<const T> b, MatrixView<T> c) {
  const std::int64_t columns = check_shapes(world_, b, c, this->columns(), rows());
  const Blocks slices = Blocks::even(columns, grid_columns_);
  const Vertex width = slices.size(column_);
  const Rank begin = rank_at(row_, 0), end = rank_at(row_, grid_columns_ - 1);
  const auto p = static_cast<std::size_t>(world_.size());
  const auto grid_b = column_blocks_.end(end) - column_blocks_.begin(begin),
             grid_c = blocks_.end(end) - blocks_.begin(begin);
  grow(b_slice_, static_cast<std::int64_t>(product(grid_b, width)));
  grow(c_slice_, static_cast<std::int64_t>(product(grid_c, width)));
  grow(redistributed_, static_cast<std::int64_t>(product(std::max(this->columns(), rows()), columns)));
  // The slice of each rank of the grid row: in one piece, where those before it end.
  const auto slice_at = [&](std::int64_t of_rows, Rank slice) {
    return redistributed_.data() + product(of_rows, slices.begin(slice));
  };
  const auto sent_to_others = [&](const std::vector<std::span<const std::byte>>& outgoing) {
    for (std::size_t r = 0; r < p; ++r)
      if (static_cast<Rank>(r) != world_.rank()) redistributed_bytes_ += outgoing[r].size();
  };
  {
    std::vector<std::span<const std::byte>> outgoing(p);
    std::vector<std::span<std::byte>> incoming(p);
    for (Rank s = 0; s < grid_columns_; ++s) {
      const auto rank = static_cast<std::size_t>(rank_at(row_, s));
      T* to = slice_at(this->columns(), s);
      for (std::int64_t i = 0; i < b.rows; ++i)
        to = std::copy_n(&b.data[i * b.stride + slices.begin(s)], slices.size(s), to);
      outgoing[rank] = bytes_at(slice_at(this->columns(), s), product(this->columns(), slices.size(s)));
      const Vertex above = column_blocks_.begin(rank_at(row_, s)) - column_blocks_.begin(begin);
      incoming[rank] = std::as_writable_bytes(
          std::span(b_slice_.data() + product(above, width), product(column_blocks_.size(rank_at(row_, s)), width)));
    }
    sent_to_others(outgoing);
    world_.exchange_bytes(outgoing, incoming);
  }
  std::fill_n(c_slice_.data(), product(grid_c, width), T{0});
  multiply(width);
  {
    std::vector<std::span<const std::byte>> outgoing(p);
    std::vector<std::span<std::byte>> incoming(p);
    for (Rank s = 0; s < grid_columns_; ++s) {
      const auto rank = static_cast<std::size_t>(rank_at(row_, s));
      const Vertex above = blocks_.begin(rank_at(row_, s)) - blocks_.begin(begin);
      outgoing[rank] =
          bytes_at(c_slice_.data() + product(above, width), product(blocks_.size(rank_at(row_, s)), width));
      incoming[rank] = std::as_writable_bytes(std::span(slice_at(rows(), s), product(rows(), slices.size(s))));
    }
    sent_to_others(outgoing);
    world_.exchange_bytes(outgoing, incoming);
  }
  for (Rank s = 0; s < grid_columns_; ++s) {
    const Vertex size = slices.size(s);
    write_rows<T>(world_.team(), row_nonzeros_, reduce_, c.part(0, slices.begin(s), c.rows, size),
                  [&, from = slice_at(rows(), s)](std::int64_t i) { return from + i * size; });
  }
}

template <class T>
GridVolume SummaSpmm<T>::volume(std::int64_t columns) const {
  const Blocks slices = Blocks::even(columns, grid_columns_);
  std::uint64_t a = 0;
  for (Rank s = 0; s < stages_; ++s)
    if (s / (stages_ / grid_columns_) == column_) a += block_bytes(s);
  GridVolume out{.a = world_.sum(a) * static_cast<std::uint64_t>(grid_columns_ - 1)};
  out.b = product(column_blocks_.count(), columns) * static_cast<std::uint64_t>(grid_rows_ - 1);
  for (Rank r = 0; r < world_.size(); ++r) {
    const Vertex elsewhere = columns - slices.size(r % grid_columns_);
    out.b += product(column_blocks_.size(r), elsewhere);
    out.c += product(blocks_.size(r), elsewhere);
  }
  out.b *= sizeof(T);
  out.c *= sizeof(T);
  return out;
}

template <class T>
std::vector<std::uint64_t> SummaSpmm<T>::traffic(std::int64_t columns) const {
  const Blocks slices = Blocks::even(columns, grid_columns_);
  const Vertex width = slices.size(column_);
  std::vector<std::uint64_t> levels(static_cast<std::size_t>(world_.hierarchy().depth()));
  const auto send = [&](Rank to, std::uint64_t bytes) {
    if (to != world_.rank()) levels[world_.level_to(to)] += bytes;
  };
  for (Rank s = 0; s < grid_columns_; ++s) {
    const Rank to = rank_at(row_, s);
    send(to, (product(this->columns(), slices.size(s)) + product(blocks_.size(to), width)) * sizeof(T));
  }
  const auto pass_on = [&](Rank position, Rank root, Rank ranks, std::uint64_t bytes, auto&& rank_of) {
    for (const int child : broadcast_neighbours(kShape, ranks, (position - root + ranks) % ranks).children)
      send(rank_of((child + root) % ranks), bytes);
  };
  for (Rank s = 0; s < stages_; ++s) {
    pass_on(column_, s / (stages_ / grid_columns_), grid_columns_, block_bytes(s),
            [&](Rank c) { return rank_at(row_, c); });
    pass_on(row_, s / (stages_ / grid_rows_), grid_rows_, product(stage_end(s) - stage_begin(s), width) * sizeof(T),
            [&](Rank r) { return rank_at(r, column_); });
  }
  return levels;
}

template <class T>
std::size_t SummaSpmm<T>::memory_bytes() const {
  std::size_t bytes = (row_nonzeros_.size() + stage_nonzeros_.size()) * sizeof(Edge) +
                      (b_slice_.size() + c_slice_.size() + redistributed_.size()) * sizeof(T);
  for (const auto& block : own_blocks_) bytes += block.size();
  for (const auto& turn : panels_)
    for (const auto& panel : turn) bytes += panel.size();
  return bytes;
}

template class SummaSpmm<float>;
template class SummaSpmm<double>;

}  // namespace atl
