// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/isa/kernel_variants.hpp>
#include <atoll/matrix/spmm/spmm.hpp>
#include <limits>

namespace atl {
namespace {

// A task of 4,096 nonzeros takes some 20 us at 32 columns, so that taking it costs nothing and the last one delays
// little. A row without nonzeros still costs the write of its part of C.
constexpr Edge kTask = 4096;
constexpr Edge kRowCost = 4;

template <class T>
T identity(Reduce reduce) {
  if (reduce == Reduce::max) return -std::numeric_limits<T>::infinity();
  if (reduce == Reduce::min) return std::numeric_limits<T>::infinity();
  return T{0};
}

template <class T>
void check_view(const char* name, const MatrixView<T>& view, std::int64_t rows, std::int64_t columns) {
  if (view.rows != rows || view.cols != columns || view.stride < view.cols)
    throw InputError(fmt::format(
        "SpMM: {} is {} x {} with a stride of {} ({} x {} is needed, rows one after the other). Pass a matrix "
        "of that shape.",
        name, view.rows, view.cols, view.stride, rows, columns));
}

}  // namespace

RowSchedule::RowSchedule(const SparsePattern& a) {
  const auto rows = static_cast<Local>(a.rows);
  auto offset = [&](Local i) { return a.offsets[i]; };
  auto cost = [&](Local first, Local last) { return offset(last) - offset(first) + (last - first) * kRowCost; };
  for (Local first = 0; first < rows;) {
    const Edge begin = offset(first), length = offset(first + 1) - begin;
    if (length > 2 * kTask) {
      const Edge count = (length + kTask - 1) / kTask;
      const auto first_piece = static_cast<Local>(pieces_.size());
      for (Edge p = 0; p < count; ++p) {
        const auto piece = static_cast<Local>(pieces_.size());
        blocks_.push_back({first, first + 1, piece, begin + length * p / count, begin + length * (p + 1) / count});
        pieces_.push_back(piece);
      }
      long_rows_.push_back({first, first_piece, static_cast<Local>(pieces_.size())});
      ++first;
      continue;
    }
    Local last = first + 1;
    while (last < rows && offset(last + 1) - offset(last) <= 2 * kTask && cost(first, last) < kTask) ++last;
    blocks_.push_back({first, last});
    first = last;
  }
}

std::size_t RowSchedule::memory_bytes() const {
  return blocks_.capacity() * sizeof(Block) + long_rows_.capacity() * sizeof(LongRow) +
         pieces_.capacity() * sizeof(Local);
}

template <class T>
Spmm<T>::Spmm(SparseView<T> a, Reduce reduce, Isa isa, T empty)
    : a_(a),
      reduce_(reduce),
      schedule_(a.pattern),
      kernels_(spmm_kernels<T>(reduce, a.values != nullptr, isa)),
      joins_(spmm_kernels<T>(reduce, false, isa)),
      empty_(empty) {}

template <class T>
Spmm<T>::Spmm(SparseView<T> a, Reduce reduce, Isa isa) : Spmm(a, reduce, isa, T{0}) {
  set_factors([&](std::size_t i) { return a.pattern.offsets[i + 1] - a.pattern.offsets[i]; });
}

template <class T>
Spmm<T>::Spmm(SparseView<T> part, Reduce reduce, std::span<const Edge> row_nonzeros, Isa isa)
    : Spmm(part, reduce, isa, identity<T>(reduce)) {
  set_factors([&](std::size_t i) { return row_nonzeros[i]; });
}

template <class T>
template <class Count>
void Spmm<T>::set_factors(Count&& count) {
  if (reduce_ != Reduce::mean) return;
  factors_ = Array<T>(static_cast<std::size_t>(a_.pattern.rows));
  for (std::size_t i = 0; i < factors_.size(); ++i) factors_[i] = T{1} / static_cast<T>(std::max(Edge{1}, count(i)));
}

// The parts of `columns` that one kernel after the other does.
template <class T>
std::vector<typename Spmm<T>::Run::Panel> Spmm<T>::Run::panels_of(std::span<const SpmmLanes<T>> kernels,
                                                                  std::ptrdiff_t columns) {
  const auto fits = std::ranges::find_if(kernels, [&](const SpmmLanes<T>& l) { return l.lanes <= columns; });
  const std::ptrdiff_t lanes = fits->lanes, vectors = (columns + lanes - 1) / lanes,
                       panels = (vectors + kSpmmVectors - 1) / kSpmmVectors;
  std::vector<Panel> out;
  for (std::ptrdiff_t p = 0, first = 0; p < panels; ++p) {
    // Columns are divided as evenly as possible: the last part must have two vectors if it is to overlap with itself.
    const std::ptrdiff_t of_panel = vectors / panels + (p < vectors % panels),
                         width = std::min(columns - first, of_panel * lanes);
    out.push_back({fits->by_vectors[of_panel - 1], first, width});
    first += width;
  }
  return out;
}

template <class T>
Spmm<T>::Run::Run(const Spmm& spmm, MatrixView<const T> b, MatrixView<T> c, bool accumulate) : spmm_(spmm), c_(c) {
  const SparsePattern& a = spmm.a_.pattern;
  check_view("B", b, a.columns, b.cols);
  check_view("C", c, a.rows, b.cols);
  rows_ = {.first = 0,
           .last = 0,
           .offsets = a.offsets.data(),
           .column_indices = a.column_indices.data(),
           .values = spmm.a_.values,
           .factors = spmm.factors_.empty() ? nullptr : spmm.factors_.data(),
           .nonzeros = a.nonzeros(),
           .b = b.data,
           .b_stride = b.stride,
           .c = c.data,
           .c_stride = c.stride,
           .accumulate = accumulate,
           .empty = spmm.empty_};
  if (c.cols == 0 || c.rows == 0) {
    complete_ = true;
    return;
  }
  panels_ = panels_of(spmm.kernels_, c.cols);
  joins_ = panels_of(spmm.joins_, c.cols);
  pieces_ = Array<T>(spmm.schedule_.pieces().size() * static_cast<std::size_t>(c.cols));
}

template <class T>
std::optional<Edge> Spmm<T>::Run::step() {
  const auto blocks = spmm_.schedule_.blocks();
  if (complete()) return {};
  const std::size_t k = next_.fetch_add(1, std::memory_order_relaxed);
  if (k >= blocks.size()) return {};
  const Edge nonzeros = reduce_block(blocks[k]);
  if (done_.fetch_add(1, std::memory_order_acq_rel) + 1 == blocks.size()) {
    for (const RowSchedule::LongRow& row : spmm_.schedule_.long_rows()) join(row);
    complete_.store(true, std::memory_order_release);
  }
  return nonzeros;
}

template <class T>
Edge Spmm<T>::Run::finish(Team& team) {
  if (complete()) return 0;
  const auto blocks = spmm_.schedule_.blocks();
  const std::size_t done = std::min(next_.exchange(blocks.size()), blocks.size());
  std::atomic<Edge> nonzeros{0};
  team.for_range(blocks.size() - done, 1, [&](int, std::size_t k, std::size_t) {
    nonzeros.fetch_add(reduce_block(blocks[done + k]), std::memory_order_relaxed);
  });
  const auto long_rows = spmm_.schedule_.long_rows();
  team.for_range(long_rows.size(), 1, [&](int, std::size_t k, std::size_t) { join(long_rows[k]); });
  complete_.store(true, std::memory_order_release);
  return nonzeros;
}

template <class T>
void Spmm<T>::Run::run(const std::vector<Panel>& panels, SpmmRows<T> rows) {
  const T* const from = rows.b;
  T* const to = rows.c;
  for (const Panel& panel : panels) {
    rows.b = from + panel.first;
    rows.c = to + panel.first;
    panel.kernel(rows, panel.columns);
  }
}

template <class T>
Edge Spmm<T>::Run::reduce_block(const RowSchedule::Block& block) {
  SpmmRows<T> rows = rows_;
  rows.first = block.first;
  rows.last = block.last;
  if (block.piece < 0) {
    run(panels_, rows);
    return rows.offsets[block.last] - rows.offsets[block.first];
  }
  const Edge range[] = {block.begin, block.end};
  rows.first = 0;
  rows.last = 1;
  rows.offsets = range;
  rows.factors = nullptr;
  rows.c = pieces_.data() + block.piece * c_.cols;
  rows.accumulate = false;
  run(panels_, rows);
  return block.end - block.begin;
}

// A long row is the product of a row of ones with its pieces.
template <class T>
void Spmm<T>::Run::join(const RowSchedule::LongRow& row) {
  const auto numbers = spmm_.schedule_.pieces();
  const Edge range[] = {row.first, row.last};
  SpmmRows<T> rows = rows_;
  rows.last = 1;
  rows.offsets = range;
  rows.column_indices = numbers.data();
  rows.values = nullptr;
  if (rows.factors) rows.factors += row.row;
  rows.nonzeros = static_cast<Edge>(numbers.size());
  rows.b = pieces_.data();
  rows.b_stride = c_.cols;
  rows.c = c_.data + row.row * c_.stride;
  run(joins_, rows);
}

template <class T>
void finish_rows(Team& team, std::span<const Edge> row_nonzeros, MatrixView<T> c) {
  team.for_range(row_nonzeros.size(), 4096, [&](int, std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      if (row_nonzeros[i] == 0) std::ranges::fill(c.row(static_cast<std::int64_t>(i)), T{0});
  });
}

template <class T>
void sampled_product(Team& team, const SparsePattern& a, MatrixView<const T> x, MatrixView<const T> y,
                     std::span<T> values, Isa isa) {
  check_view("X", x, a.rows, x.cols);
  check_view("Y", y, a.columns, x.cols);
  if (values.size() != a.column_indices.size())
    throw InputError(fmt::format("SDDMM: room for {} values ({} nonzeros). Pass one value for each nonzero.",
                                 values.size(), a.column_indices.size()));
  const SddmmKernel<T> kernel = sddmm_kernel<T>(isa);
  // Long rows need no pieces: each nonzero is a result of its own, so that any cut will do.
  const auto tasks = static_cast<std::size_t>((a.nonzeros() + kTask - 1) / kTask);
  team.for_range(tasks, 1, [&](int, std::size_t k, std::size_t) {
    const Edge begin = static_cast<Edge>(k) * kTask, end = std::min(a.nonzeros(), begin + kTask);
    auto i = static_cast<std::size_t>(std::ranges::upper_bound(a.offsets, begin) - a.offsets.begin()) - 1;
    for (Edge e = begin; e < end; ++i) {
      const Edge range[] = {e, std::min(end, a.offsets[i + 1])};
      kernel({.first = 0,
              .last = 1,
              .offsets = range,
              .column_indices = a.column_indices.data(),
              .nonzeros = a.nonzeros(),
              .x = x.data + static_cast<std::ptrdiff_t>(i) * x.stride,
              .x_stride = x.stride,
              .y = y.data,
              .y_stride = y.stride,
              .columns = x.cols,
              .out = values.data() + e});
      e = range[1];
    }
  });
}

template <class T>
std::span<const SpmmLanes<T>> spmm_kernels(Reduce reduce, bool weighted, Isa isa) {
  return ATOLL_KERNEL_VARIANTS(spmm_kernels, <T>).at(isa)(reduce, weighted);
}

template <class T>
SddmmKernel<T> sddmm_kernel(Isa isa) {
  return ATOLL_KERNEL_VARIANTS(sddmm_kernel, <T>).at(isa)();
}

template class Spmm<float>;
template class Spmm<double>;
template void finish_rows(Team&, std::span<const Edge>, MatrixView<float>);
template void finish_rows(Team&, std::span<const Edge>, MatrixView<double>);
template void sampled_product(Team&, const SparsePattern&, MatrixView<const float>, MatrixView<const float>,
                              std::span<float>, Isa);
template void sampled_product(Team&, const SparsePattern&, MatrixView<const double>, MatrixView<const double>,
                              std::span<double>, Isa);
template std::span<const SpmmLanes<float>> spmm_kernels(Reduce, bool, Isa);
template std::span<const SpmmLanes<double>> spmm_kernels(Reduce, bool, Isa);
template SddmmKernel<float> sddmm_kernel(Isa);
template SddmmKernel<double> sddmm_kernel(Isa);

}  // namespace atl
