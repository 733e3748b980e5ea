// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/order/permute.hpp>
#include <atoll/spmm/row_order.hpp>
#include <atoll/spmm/volume.hpp>
#include <cstring>
#include <numeric>

namespace atl {
namespace {

constexpr std::size_t kRowOrderGrain = 1024;  // rows of a task

template <class V>
std::span<const V> span_of(const Array<V>& values) {
  return {values.data(), values.size()};
}

// Rank 0's numbers, and the blocks of new rows: on every rank. Collective.
template <class T>
std::pair<Array<Local>, Blocks> find_numbers(World& world, const MatrixRows<T>& a, Ordering method,
                                             const OrderingOptions& options) {
  const auto ranks = static_cast<std::size_t>(world.size()), n = static_cast<std::size_t>(a.blocks.count());
  const bool finds = world.rank() == 0;
  const std::vector<Edge> nonzeros = world.all_gather(static_cast<Edge>(a.columns.size()));
  Array<Local> columns(a.columns.size());
  world.team().for_range(columns.size(), std::size_t{1} << 16, [&](int, std::size_t e, std::size_t end) {
    for (; e < end; ++e) columns[e] = static_cast<Local>(a.columns[e]);
  });
  Array<Edge> offsets(finds ? n + 1 : 0);
  Array<Local> column_indices(
      finds ? static_cast<std::size_t>(std::accumulate(nonzeros.begin(), nonzeros.end(), Edge{0})) : 0);
  // Ranks have consecutive rows, so their parts lie one after the other.
  const auto gather = [&]<class V>(std::span<const V> mine, Array<V>& all, std::size_t first, auto&& count) {
    std::vector<std::span<const std::byte>> outgoing(ranks);
    std::vector<std::span<std::byte>> incoming(ranks);
    outgoing[0] = std::as_bytes(mine);
    if (finds)
      for (std::size_t r = 0; r < ranks; first += count(r), ++r)
        incoming[r] = std::as_writable_bytes(std::span(all.data() + first, count(r)));
    world.exchange_bytes(outgoing, incoming);
  };
  gather(span_of(a.offsets).subspan(1), offsets, 1,
         [&](std::size_t r) { return static_cast<std::size_t>(a.blocks.size(static_cast<Rank>(r))); });
  gather(span_of(columns), column_indices, 0, [&](std::size_t r) { return static_cast<std::size_t>(nonzeros[r]); });
  columns = {};

  Array<Local> numbers(n);
  std::vector<Vertex> first(ranks + 1);
  world.collective_try([&] {
    if (!finds) return;
    offsets[0] = 0;
    Edge before = 0;  // nonzeros of ranks before r
    for (std::size_t r = 0; r < ranks; before += nonzeros[r], ++r)
      for (auto i = static_cast<std::size_t>(a.blocks.begin(static_cast<Rank>(r)));
           i < static_cast<std::size_t>(a.blocks.end(static_cast<Rank>(r))); ++i)
        offsets[i + 1] += before;
    const auto rows = static_cast<std::int64_t>(n);
    numbers = new_numbers(world.team(), {rows, rows, span_of(offsets), span_of(column_indices)}, method, options);
    Array<Edge> lengths(n + 1, 0);  // of new rows, then their offsets
    for (std::size_t i = 0; i < n; ++i) lengths[static_cast<std::size_t>(numbers[i]) + 1] = offsets[i + 1] - offsets[i];
    for (std::size_t i = 0; i < n; ++i) lengths[i + 1] += lengths[i];
    const Blocks blocks = blocks_by_nonzeros({rows, rows, span_of(lengths), {}}, world.size());
    for (std::size_t r = 0; r <= ranks; ++r) first[r] = r < ranks ? blocks.begin(static_cast<Rank>(r)) : blocks.count();
  });
  world.broadcast(std::span(numbers.data(), n), 0);
  world.broadcast(std::span(first), 0);
  return {std::move(numbers), Blocks(std::move(first))};
}

}  // namespace

RowOrder::RowOrder(World& world, Blocks old_blocks, Blocks new_blocks, std::span<const Local> numbers)
    : world_(&world), old_blocks_(std::move(old_blocks)), new_blocks_(std::move(new_blocks)) {
  const Rank me = world.rank(), ranks = world.size();
  const auto count = static_cast<std::size_t>(ranks);
  const Vertex begin = new_blocks_.begin(me), end = new_blocks_.end(me);
  new_.rows = Array<Local>(static_cast<std::size_t>(end - begin));
  std::size_t at = 0;
  for (Rank r = 0; r < ranks; ++r) {
    new_.first.push_back(at);
    for (Vertex row = old_blocks_.begin(r); row < old_blocks_.end(r); ++row)
      if (const Vertex number = numbers[row]; number >= begin && number < end)
        new_.rows[at++] = static_cast<Local>(number - begin);
  }
  new_.first.push_back(at);

  const auto own =
      numbers.subspan(static_cast<std::size_t>(old_blocks_.begin(me)), static_cast<std::size_t>(old_blocks_.size(me)));
  std::vector<std::size_t> sizes(count + 1, 0);
  for (const Local number : own) ++sizes[static_cast<std::size_t>(new_blocks_.owner(number)) + 1];
  for (std::size_t r = 0; r < count; ++r) sizes[r + 1] += sizes[r];
  old_.first = sizes;
  old_.rows = Array<Local>(own.size());
  for (std::size_t i = 0; i < own.size(); ++i) old_.rows[sizes[new_blocks_.owner(own[i])]++] = static_cast<Local>(i);
}

template <class In, class Out>
void RowOrder::move(const Side& from, const Side& to, In&& in, Out&& out) const {
  const auto me = static_cast<std::size_t>(world_->rank()), ranks = static_cast<std::size_t>(world_->size());
  Team& team = world_->team();
  // Where each row lies in the buffer; those that stay are copied from place to place.
  const auto layout = [&](const Side& side, auto&& bytes) {
    std::vector<std::size_t> starts(side.rows.size() + 1, 0);
    for (std::size_t i = 0; i < side.rows.size(); ++i)
      starts[i + 1] = starts[i] + (i >= side.first[me] && i < side.first[me + 1] ? 0 : bytes(side.rows[i]).size());
    return starts;
  };
  const std::vector<std::size_t> leaving = layout(from, in), coming = layout(to, out);
  Array<std::byte> sent(leaving.back()), received(coming.back());
  team.for_range(from.rows.size(), kRowOrderGrain, [&](int, std::size_t i, std::size_t end) {
    for (; i < end; ++i) {
      const auto row = in(from.rows[i]);
      const bool stays = i >= from.first[me] && i < from.first[me + 1];
      std::byte* const target =
          stays ? out(to.rows[to.first[me] + i - from.first[me]]).data() : sent.data() + leaving[i];
      if (!row.empty()) std::memcpy(target, row.data(), row.size());
    }
  });
  std::vector<std::span<const std::byte>> outgoing(ranks);
  std::vector<std::span<std::byte>> incoming(ranks);
  for (std::size_t r = 0; r < ranks; ++r) {
    outgoing[r] = {sent.data() + leaving[from.first[r]], leaving[from.first[r + 1]] - leaving[from.first[r]]};
    incoming[r] = {received.data() + coming[to.first[r]], coming[to.first[r + 1]] - coming[to.first[r]]};
  }
  world_->exchange_bytes(outgoing, incoming);
  team.for_range(to.rows.size(), kRowOrderGrain, [&](int, std::size_t i, std::size_t end) {
    for (; i < end; ++i)
      if (const std::size_t bytes = coming[i + 1] - coming[i]; bytes > 0)
        std::memcpy(out(to.rows[i]).data(), received.data() + coming[i], bytes);
  });
}

void RowOrder::move_rows(const Side& from, Rows<const std::byte> in, const Side& to, Rows<std::byte> out) const {
  const auto rows = static_cast<std::int64_t>(from.rows.size()), new_rows = static_cast<std::int64_t>(to.rows.size());
  const std::size_t bytes = world_->max(in.bytes);
  world_->agree(in.rows == rows && out.rows == new_rows && in.bytes == bytes && out.bytes == bytes,
                fmt::format("rows in another order: on rank {} {} rows of {} bytes become {} of {} ({} and {} are "
                            "needed there, of {} bytes as on the other ranks). Pass matrices of that shape.",
                            world_->rank(), in.rows, in.bytes, out.rows, out.bytes, rows, new_rows, bytes));
  const auto view = [bytes](const auto& matrix) {
    return [=](Local row) { return std::span(matrix.data + static_cast<std::size_t>(row) * matrix.stride, bytes); };
  };
  move(from, to, view(in), view(out));
}

Array<Edge> RowOrder::moved_offsets(std::span<const Edge> offsets) const {
  std::vector<Edge> lengths(old_.rows.size());
  for (std::size_t i = 0; i < lengths.size(); ++i) lengths[i] = offsets[i + 1] - offsets[i];
  const std::vector<Edge> moved = to_new(std::span<const Edge>(lengths));
  Array<Edge> out(moved.size() + 1);
  out[0] = 0;
  for (std::size_t i = 0; i < moved.size(); ++i) out[i + 1] = out[i] + moved[i];
  return out;
}

template <class V>
Array<V> RowOrder::moved_entries(std::span<const Edge> offsets, std::span<const V> entries,
                                 std::span<const Edge> new_offsets) const {
  Array<V> out(static_cast<std::size_t>(new_offsets.back()));
  const auto list = [](std::span<const Edge> of, auto all) {
    return [=](Local row) {
      const auto i = static_cast<std::size_t>(row), begin = static_cast<std::size_t>(of[i]);
      return all.subspan(begin * sizeof(V), static_cast<std::size_t>(of[i + 1]) * sizeof(V) - begin * sizeof(V));
    };
  };
  move(old_, new_, list(offsets, std::as_bytes(entries)),
       list(new_offsets, std::as_writable_bytes(std::span(out.data(), out.size()))));
  return out;
}

template <class T>
SparseMatrix<T> RowOrder::to_new(const SparseMatrix<T>& from) const {
  world_->agree(from.rows == old_rows(),
                fmt::format("rows in another order: rank {} has a sparse matrix of {} rows ({} are its own). Pass one "
                            "row for each.",
                            world_->rank(), from.rows, old_rows()));
  const bool weighted = world_->any(!from.values.empty());
  SparseMatrix<T> out{.rows = new_rows(), .columns = from.columns};
  out.offsets = moved_offsets(span_of(from.offsets));
  out.column_indices = moved_entries(span_of(from.offsets), span_of(from.column_indices), span_of(out.offsets));
  if (!weighted) return out;
  const Array<T> ones(from.values.empty() ? from.column_indices.size() : 0, T{1});
  out.values =
      moved_entries(span_of(from.offsets), span_of(from.values.empty() ? ones : from.values), span_of(out.offsets));
  return out;
}

template <class T>
MatrixRows<T> RowOrder::to_new(const MatrixRows<T>& from, std::span<const Local> numbers) const {
  // A sparse matrix with the new columns, until they have arrived: its indices are half as wide as columns.
  const bool weighted = world_->any(!from.values.empty());
  Team& team = world_->team();
  Array<Local> renumbered(from.columns.size());
  team.for_range(renumbered.size(), std::size_t{1} << 16, [&](int, std::size_t e, std::size_t end) {
    for (; e < end; ++e) renumbered[e] = numbers[from.columns[e]];
  });
  MatrixRows<T> out{.blocks = new_blocks_, .column_blocks = new_blocks_};
  out.offsets = moved_offsets(span_of(from.offsets));
  const Array<Local> columns = moved_entries(span_of(from.offsets), span_of(renumbered), span_of(out.offsets));
  renumbered = {};
  Array<T> values;
  if (weighted) {
    const Array<T> ones(from.values.empty() ? from.columns.size() : 0, T{1});
    values =
        moved_entries(span_of(from.offsets), span_of(from.values.empty() ? ones : from.values), span_of(out.offsets));
    out.values = Array<T>(values.size());
  }
  out.columns = Array<Vertex>(columns.size());
  // Rows are sorted as words of (column, place in the row).
  std::vector<std::vector<std::uint64_t>> scratch(static_cast<std::size_t>(team.size()));
  team.for_range(static_cast<std::size_t>(out.rows()), kRowOrderGrain, [&](int thread, std::size_t i, std::size_t end) {
    auto& words = scratch[thread];
    for (; i < end; ++i) {
      const auto begin = static_cast<std::size_t>(out.offsets[i]);
      words.resize(static_cast<std::size_t>(out.offsets[i + 1]) - begin);
      for (std::size_t k = 0; k < words.size(); ++k)
        words[k] = static_cast<std::uint64_t>(columns[begin + k]) << 32 | k;
      std::sort(words.begin(), words.end());
      for (std::size_t k = 0; k < words.size(); ++k) {
        out.columns[begin + k] = static_cast<Vertex>(words[k] >> 32);
        if (weighted) out.values[begin + k] = values[begin + (words[k] & UINT32_MAX)];
      }
    }
  });
  return out;
}

template <class T>
std::string why_not_reordered(const World& world, const MatrixRows<T>& a) {
  const Rank p = world.size(), me = world.rank();
  const Vertex n = a.blocks.count();
  bool alike = a.blocks.ranks() == p && a.column_blocks.ranks() == p && n == a.column_blocks.count();
  for (Rank r = 0; alike && r < p; ++r) alike = a.blocks.begin(r) == a.column_blocks.begin(r);
  if (!alike)
    return fmt::format(
        "the matrix to be ordered has {} rows and {} columns, or other owners of rows than of columns (both "
        "get the same new numbers and owners). Pass a square one whose columns are owned as its rows are.",
        n, a.column_blocks.count());
  if (n > kMostRows)
    return fmt::format("the matrix to be ordered has {} rows (row numbers have 32 bits). Order a smaller one.", n);
  if (a.rows() != a.blocks.size(me) || a.offsets[a.offsets.size() - 1] != static_cast<Edge>(a.columns.size()))
    return fmt::format(
        "the matrix to be ordered: rank {} has {} row offsets and {} columns ({} rows are its own). Pass "
        "CSR arrays of the rank's rows.",
        me, a.offsets.size(), a.columns.size(), a.blocks.size(me));
  for (const Vertex column : a.columns)
    if (column < 0 || column >= n)
      return fmt::format(
          "the matrix to be ordered: a nonzero of rank {} is in column {} (the matrix has {} columns). "
          "Correct the column numbers.",
          me, column, n);
  return {};
}

template <class T>
ReorderedRows<T> reordered(World& world, const MatrixRows<T>& a, Ordering method, const OrderingOptions& options) {
  const std::string reason = why_not_reordered(world, a);
  world.agree(reason.empty(), reason);
  const auto [numbers, blocks] = find_numbers(world, a, method, options);
  RowOrder order(world, a.blocks, blocks, span_of(numbers));
  MatrixRows<T> rows = order.to_new(a, span_of(numbers));
  return {std::move(rows), std::move(order)};
}

#define ATOLL_ROW_ORDER_OF(T)                                                                  \
  template SparseMatrix<T> RowOrder::to_new(const SparseMatrix<T>&) const;                     \
  template std::string why_not_reordered(const World&, const MatrixRows<T>&);                  \
  template MatrixRows<T> RowOrder::to_new(const MatrixRows<T>&, std::span<const Local>) const; \
  template ReorderedRows<T> reordered(World&, const MatrixRows<T>&, Ordering, const OrderingOptions&);
ATOLL_ROW_ORDER_OF(float)
ATOLL_ROW_ORDER_OF(double)
#undef ATOLL_ROW_ORDER_OF

}  // namespace atl
