// SPDX-License-Identifier: Apache-2.0
#include <atoll/graph/rows.hpp>
#include <bit>

namespace atl {
namespace {

// Rows a thread takes at a time.
constexpr std::size_t kRows = 512;
// List lengths up to which each way to sort was fastest on Zen 5: comparing neighbours, 8-bit digits, 11-bit digits.
constexpr std::size_t kInsertionUpTo = 24, kNarrowDigitsUpTo = 1024;
// From this share of all local numbers on, a list is sorted by setting bits and reading them back.
constexpr std::size_t kBitmapShare = 64;

struct Buffer {
  std::vector<Local> other;
  std::vector<std::uint64_t> bits;  // all 0 between uses
  bool merged_to_least = false;
};

void insertion_sort(Local* a, std::size_t n) {
  for (std::size_t i = 1; i < n; ++i) {
    const Local x = a[i];
    std::size_t j = i;
    for (; j > 0 && a[j - 1] > x; --j) a[j] = a[j - 1];
    a[j] = x;
  }
}

// Least digit first; all digits are counted in one reading.
template <int Bits>
void radix_sort(Local* a, std::size_t n, std::vector<Local>& other) {
  constexpr std::size_t kDigits = std::size_t{1} << Bits;
  constexpr int kMostPasses = (31 + Bits - 1) / Bits;
  if (other.size() < n) other.resize(n);
  std::uint32_t most = 0;
  for (std::size_t i = 0; i < n; ++i) most |= static_cast<std::uint32_t>(a[i]);
  const int passes = (std::bit_width(most) + Bits - 1) / Bits;
  std::uint32_t start[kMostPasses][kDigits];
  std::memset(start, 0, static_cast<std::size_t>(passes) * sizeof start[0]);
  for (std::size_t i = 0; i < n; ++i)
    for (int p = 0; p < passes; ++p) ++start[p][static_cast<std::uint32_t>(a[i]) >> (p * Bits) & (kDigits - 1)];
  Local *from = a, *to = other.data();
  for (int p = 0; p < passes; ++p) {
    std::uint32_t sum = 0;
    for (auto& s : start[p]) sum += std::exchange(s, sum);
    for (std::size_t i = 0; i < n; ++i)
      to[start[p][static_cast<std::uint32_t>(from[i]) >> (p * Bits) & (kDigits - 1)]++] = from[i];
    std::swap(from, to);
  }
  if (from != a) std::memcpy(a, from, n * sizeof(Local));
}

// Sorts and merges at once; returns the new length.
std::size_t sort_by_bits(Local* a, std::size_t n, std::size_t locals, std::vector<std::uint64_t>& bits) {
  bits.resize(locals / 64 + 1);
  for (std::size_t i = 0; i < n; ++i) bits[static_cast<std::size_t>(a[i]) / 64] |= std::uint64_t{1} << (a[i] % 64);
  std::size_t count = 0;
  for (std::size_t w = 0; w < bits.size(); ++w)
    for (std::uint64_t word = std::exchange(bits[w], 0); word; word &= word - 1)
      a[count++] = static_cast<Local>(w * 64) + std::countr_zero(word);
  return count;
}

void sort_row(Local* a, std::size_t n, Buffer& buffer) {
  if (n <= kInsertionUpTo) {
    insertion_sort(a, n);
  } else if (n <= kNarrowDigitsUpTo) {
    radix_sort<8>(a, n, buffer.other);
  } else {
    radix_sort<11>(a, n, buffer.other);
  }
}

// Sorts one row and merges it to its front; returns its new length.
std::size_t settle(Local, std::span<Local> row, std::monostate*, Duplicates duplicates, std::size_t locals,
                   Buffer& buffer) {
  if (duplicates != Duplicates::keep && row.size() > kNarrowDigitsUpTo && row.size() > locals / kBitmapShare)
    return sort_by_bits(row.data(), row.size(), locals, buffer.bits);
  sort_row(row.data(), row.size(), buffer);
  if (duplicates == Duplicates::keep) return row.size();
  return static_cast<std::size_t>(std::unique(row.begin(), row.end()) - row.begin());
}

template <class W>
std::size_t settle(Local v, std::span<Local> row, W* weight, Duplicates duplicates, std::size_t, Buffer& buffer) {
  std::vector<std::pair<Local, W>> entries(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) entries[i] = {row[i], weight[i]};
  std::sort(entries.begin(), entries.end());  // equal targets by weight: sums are the same on every machine
  std::size_t n = 0;
  for (const auto& [target, w] : entries) {
    if (duplicates != Duplicates::keep && n > 0 && row[n - 1] == target) {
      if (duplicates == Duplicates::merge_sum) weight[n - 1] += w;
      if (duplicates == Duplicates::merge_max) weight[n - 1] = w;
      // merge_min: the first is the least
      buffer.merged_to_least |= duplicates == Duplicates::merge_min && weight[n - 1] != w && target != v;
      continue;
    }
    row[n] = target;
    weight[n++] = w;
  }
  return n;
}

template <class T>
void move_down(T* values, Edge to, Edge from, Edge count) {
  if (to != from) std::memmove(values + to, values + from, static_cast<std::size_t>(count) * sizeof(T));
}

template <class W>
SortedRows sort_typed(Team& team, Csr& csr, W* weights, Duplicates duplicates, std::size_t locals) {
  const std::size_t rows = csr.offsets.size() - 1;
  const std::size_t chunks = (rows + kRows - 1) / kRows;
  Array<std::uint32_t> kept(rows);  // lists are shorter than 2^32: targets are distinct, or memory has ended before
  Array<Edge> chunk_size(chunks);
  std::vector<Buffer> buffers(static_cast<std::size_t>(team.size()));
  std::atomic<Edge> loops{0};
  auto weight_at = [&](Edge e) { return weights ? weights + e : nullptr; };

  // Each chunk of rows is settled and packed to the chunk's own front ...
  team.for_range(chunks, 1, [&](int thread, std::size_t a, std::size_t b) {
    for (std::size_t c = a; c < b; ++c) {
      const std::size_t first = c * kRows, last = std::min(rows, first + kRows);
      Edge end = csr.offsets[first], own_loops = 0;
      for (std::size_t v = first; v < last; ++v) {
        const Edge begin = csr.offsets[v];
        const auto n = static_cast<std::size_t>(csr.offsets[v + 1] - begin);
        if (n > kNarrowDigitsUpTo) team.cancellation_point(thread);  // hubs lie together, in the first chunk
        const std::span row(csr.targets.data() + begin, n);
        const auto k = static_cast<Edge>(
            settle(static_cast<Local>(v), row, weight_at(begin), duplicates, locals, buffers[thread]));
        const auto own = std::equal_range(row.begin(), row.begin() + k, static_cast<Local>(v));
        own_loops += own.second - own.first;
        move_down(csr.targets.data(), end, begin, k);
        if constexpr (!std::is_same_v<W, std::monostate>) move_down(weights, end, begin, k);
        kept[v] = static_cast<std::uint32_t>(k);
        end += k;
      }
      chunk_size[c] = end - csr.offsets[first];
      loops.fetch_add(own_loops, std::memory_order_relaxed);
    }
  });
  // ... then the chunks close up, in order: a chunk's new place may overlap its neighbour's old one.
  Edge end = 0;
  for (std::size_t c = 0; c < chunks; ++c) {
    const Edge begin = csr.offsets[c * kRows];
    move_down(csr.targets.data(), end, begin, chunk_size[c]);
    if constexpr (!std::is_same_v<W, std::monostate>) move_down(weights, end, begin, chunk_size[c]);
    end += chunk_size[c];
  }
  Edge sum = 0;
  for (std::size_t v = 0; v < rows; ++v) {
    csr.offsets[v] = sum;
    sum += kept[v];
  }
  csr.offsets[rows] = sum;
  return {.loops = loops,
          .merged_to_least = std::ranges::any_of(buffers, [](const Buffer& b) { return b.merged_to_least; })};
}

}  // namespace

SortedRows sort_rows(Team& team, Csr& csr, Duplicates duplicates, Local locals) {
  if (csr.offsets.size() <= 1) return {};
  const SortedRows sorted = std::visit(
      [&](auto& column) -> SortedRows {
        using C = std::decay_t<decltype(column)>;
        if constexpr (std::is_same_v<C, std::monostate>) {
          return sort_typed<std::monostate>(team, csr, nullptr, duplicates, static_cast<std::size_t>(locals));
        } else {
          return sort_typed(team, csr, column.data(), duplicates, static_cast<std::size_t>(locals));
        }
      },
      csr.weights);
  const auto left = static_cast<std::size_t>(csr.size());
  csr.targets.truncate(left);
  std::visit(
      [&](auto& column) {
        if constexpr (!std::is_same_v<std::decay_t<decltype(column)>, std::monostate>) column.truncate(left);
      },
      csr.weights);
  return sorted;
}

}  // namespace atl
