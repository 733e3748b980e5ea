// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/gemm.hpp>
#include <atoll/base/error.hpp>
#include <cstring>

/// The order in which tiles read their factors, and transposes: both turn rows into columns, four by four in registers,
/// as one value at a time would cost up to a third of an undirected Floyd-Warshall at n = 4096.
namespace atl {

namespace packing {

typedef std::uint32_t Words __attribute__((vector_size(16)));

/// Four values as 32-bit words, each repeated until it fills its word.
template <class T>
Words load_words(const T* from) {
  if constexpr (sizeof(T) == 4) {
    Words w;
    std::memcpy(&w, from, sizeof(w));
    return w;
  } else {
    typedef T Four __attribute__((vector_size(4 * sizeof(T))));
    Four narrow;
    std::memcpy(&narrow, from, sizeof(narrow));
    return __builtin_convertvector(narrow, Words) * (sizeof(T) == 1 ? 0x01010101u : 0x00010001u);
  }
}

inline void transpose_4x4(Words (&w)[4]) {
  const Words a = __builtin_shuffle(w[0], w[1], Words{0, 4, 1, 5}),
              b = __builtin_shuffle(w[0], w[1], Words{2, 6, 3, 7});
  const Words c = __builtin_shuffle(w[2], w[3], Words{0, 4, 1, 5}),
              d = __builtin_shuffle(w[2], w[3], Words{2, 6, 3, 7});
  w[0] = __builtin_shuffle(a, c, Words{0, 1, 4, 5});
  w[1] = __builtin_shuffle(a, c, Words{2, 3, 6, 7});
  w[2] = __builtin_shuffle(b, d, Words{0, 1, 4, 5});
  w[3] = __builtin_shuffle(b, d, Words{2, 3, 6, 7});
}

}  // namespace packing

/// A value, or a word that repeats it.
template <class Word, class T>
Word word_of(T value) {
  Word word = 0;
  std::memcpy(&word, &value, sizeof(T));
  if constexpr (sizeof(Word) > sizeof(T)) word *= static_cast<Word>(sizeof(T) == 1 ? 0x01010101u : 0x00010001u);
  return word;
}

/// to[j * to_stride + i] = from[i * from_stride + j] for a block that fits in the first cache; narrow values become words
/// that repeat them where Word is wider than T.
template <class Word, class T>
[[gnu::noinline, gnu::noclone]] void transpose_block(const T* from, std::int64_t from_stride, std::int64_t rows,
                                                     std::int64_t cols, Word* to, std::int64_t to_stride) {
  const auto one_by_one = [&](std::int64_t i, std::int64_t first) {
    Word* out = to + first * to_stride + i;
    for (std::int64_t j = first; j < cols; ++j, out += to_stride) *out = word_of<Word>(from[i * from_stride + j]);
  };
  std::int64_t i = 0;
  if constexpr (sizeof(Word) == 4) {
    for (; i + 4 <= rows; i += 4) {
      std::int64_t j = 0;
      for (; j + 4 <= cols; j += 4) {
        packing::Words w[4];
        for (std::int64_t r = 0; r < 4; ++r) w[r] = packing::load_words(from + (i + r) * from_stride + j);
        packing::transpose_4x4(w);
        for (std::int64_t r = 0; r < 4; ++r) std::memcpy(to + (j + r) * to_stride + i, &w[r], sizeof(w[r]));
      }
      for (std::int64_t r = i; r < i + 4; ++r) one_by_one(r, j);
    }
  }
  for (; i < rows; ++i) one_by_one(i, 0);
}

/// One group of a left panel: tile.rows values of A for each step, narrow ones repeated up to left_bytes. There are
/// `rows` of them from `row` on; what lies past them is not stored, so it only must be something.
template <class T>
void pack_left(Factor<T> a, std::int64_t row, std::int64_t rows, const TileKernel& tile, std::byte* out) {
  using Word = std::conditional_t<sizeof(T) == 8, std::uint64_t, std::uint32_t>;
  ATOLL_ASSERT(tile.left_bytes == sizeof(Word));
  Word* const packed = reinterpret_cast<Word*>(out);
  const std::int64_t depth = a.cols(), step = tile.rows;
  if (a.transposed) {
    for (std::int64_t k = 0; k < depth; ++k) {
      const T* const from = a.view.data + k * a.view.stride + row;
      for (std::int64_t r = 0; r < rows; ++r) packed[k * step + r] = word_of<Word>(from[r]);
      std::fill(packed + k * step + rows, packed + (k + 1) * step, Word{});
    }
    return;
  }
  if (rows < step) std::memset(out, 0, static_cast<std::size_t>(depth * step) * sizeof(Word));
  constexpr std::int64_t kSteps = 64;  // at a time, so that the lines written stay in the first cache
  for (std::int64_t k = 0; k < depth; k += kSteps)
    transpose_block(a.view.data + row * a.view.stride + k, a.view.stride, rows, std::min(kSteps, depth - k),
                    packed + k * step, step);
}

/// One group of a right panel: tile.cols values of B for each step.
template <class T>
void pack_right(Factor<T> b, std::int64_t col, std::int64_t cols, const TileKernel& tile, std::byte* out) {
  const std::int64_t depth = b.rows(), step = tile.cols;
  T* const packed = reinterpret_cast<T*>(out);
  if (cols < step) std::memset(out, 0, static_cast<std::size_t>(depth * step) * sizeof(T));
  if (b.transposed) {
    constexpr std::int64_t kSteps = 32;
    for (std::int64_t k = 0; k < depth; k += kSteps)
      transpose_block(b.view.data + col * b.view.stride + k, b.view.stride, cols, std::min(kSteps, depth - k),
                      packed + k * step, step);
    return;
  }
  for (std::int64_t k = 0; k < depth; ++k)
    std::memcpy(packed + k * step, b.view.data + k * b.view.stride + col, static_cast<std::size_t>(cols) * sizeof(T));
}

}  // namespace atl
