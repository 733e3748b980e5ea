// SPDX-License-Identifier: Apache-2.0
#include <atoll/graph/rows.hpp>
#include <bit>

namespace atl {
namespace {

// Rows a thread takes at a time, and list length from which counting digits beats comparing.
constexpr std::size_t kRows = 512;
constexpr std::size_t kRadixFrom = 768;

using Buffer = std::vector<Local>;

void insertion_sort(Local* a, std::size_t n) {
  for (std::size_t i = 1; i < n; ++i) {
    const Local x = a[i];
    std::size_t j = i;
    for (; j > 0 && a[j - 1] > x; --j) a[j] = a[j - 1];
    a[j] = x;
  }
}

// Least digit first, 11 bits a pass; the passes depend on the largest value.
void radix_sort(Local* a, std::size_t n, Buffer& other) {
  constexpr int kBits = 11;
  constexpr std::uint32_t kMask = (1u << kBits) - 1;
  other.resize(std::max(other.size(), n));
  Local most = 0;
  for (std::size_t i = 0; i < n; ++i) most |= a[i];
  const int width = std::bit_width(static_cast<std::uint32_t>(most));
  Local *from = a, *to = other.data();
  for (int shift = 0; shift < width; shift += kBits) {
    std::uint32_t start[kMask + 1] = {};
    for (std::size_t i = 0; i < n; ++i) ++start[(static_cast<std::uint32_t>(from[i]) >> shift) & kMask];
    std::uint32_t sum = 0;
    for (auto& s : start) sum += std::exchange(s, sum);
    for (std::size_t i = 0; i < n; ++i) to[start[(static_cast<std::uint32_t>(from[i]) >> shift) & kMask]++] = from[i];
    std::swap(from, to);
  }
  if (from != a) std::memcpy(a, from, n * sizeof(Local));
}

void sort_row(Local* a, std::size_t n, Buffer& buffer) {
  constexpr std::size_t kInsertionUpTo = 24;
  if (n <= kInsertionUpTo) {
    insertion_sort(a, n);
  } else if (n < kRadixFrom) {
    std::sort(a, a + n);
  } else {
    radix_sort(a, n, buffer);
  }
}

// Sorts one row and merges it to its front; returns its new length.
std::size_t settle(std::span<Local> row, std::monostate*, Duplicates duplicates, Buffer& buffer) {
  sort_row(row.data(), row.size(), buffer);
  if (duplicates == Duplicates::keep) return row.size();
  return static_cast<std::size_t>(std::unique(row.begin(), row.end()) - row.begin());
}

template <class W>
std::size_t settle(std::span<Local> row, W* weight, Duplicates duplicates, Buffer&) {
  std::vector<std::pair<Local, W>> entries(row.size());
  for (std::size_t i = 0; i < row.size(); ++i) entries[i] = {row[i], weight[i]};
  std::sort(entries.begin(), entries.end());  // equal targets by weight: sums are the same on every machine
  std::size_t n = 0;
  for (const auto& [target, w] : entries) {
    if (duplicates != Duplicates::keep && n > 0 && row[n - 1] == target) {
      if (duplicates == Duplicates::merge_sum) weight[n - 1] += w;
      continue;  // merge_min: the first is the least
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
Edge sort_typed(Team& team, Csr& csr, W* weights, Duplicates duplicates) {
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
        const std::span row(csr.targets.data() + begin, n);
        const auto k = static_cast<Edge>(settle(row, weight_at(begin), duplicates, buffers[static_cast<std::size_t>(thread)]));
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
  return loops;
}

}  // namespace

Edge sort_rows(Team& team, Csr& csr, Duplicates duplicates) {
  if (csr.offsets.size() <= 1) return 0;
  const Edge loops = std::visit(
      [&](auto& column) -> Edge {
        using C = std::decay_t<decltype(column)>;
        if constexpr (std::is_same_v<C, std::monostate>) {
          return sort_typed<std::monostate>(team, csr, nullptr, duplicates);
        } else {
          return sort_typed(team, csr, column.data(), duplicates);
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
  return loops;
}

}  // namespace atl
