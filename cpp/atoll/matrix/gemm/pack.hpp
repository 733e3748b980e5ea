// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/matrix/gemm/gemm.hpp>
#include <cstring>
#include <utility>

/// Packing of factors into the order in which tiles read them, and transposition. Both turn rows into columns in
/// registers, 16 bytes at a time: moving single values would cost up to a third of an undirected Floyd-Warshall at n =
/// 4096.
namespace atl {

/// The unsigned integer as wide as T: packing and transposing move bits.
template <class T>
using WordOf = std::conditional_t<
    sizeof(T) == 8, std::uint64_t,
    std::conditional_t<sizeof(T) == 4, std::uint32_t, std::conditional_t<sizeof(T) == 2, std::uint16_t, std::uint8_t>>>;

namespace packing {

/// A 16-byte vector of unsigned integers.
template <class Word>
struct Lanes {
  typedef Word Vector __attribute__((vector_size(16)));
  static constexpr std::size_t kCount = 16 / sizeof(Word);
};

/// Loads the next values as words, each value repeated until it fills its word.
template <class Word, class T>
typename Lanes<Word>::Vector load_words(const T* from) {
  if constexpr (sizeof(T) == sizeof(Word)) {
    typename Lanes<Word>::Vector w;
    std::memcpy(&w, from, sizeof(w));
    return w;
  } else {
    typedef T Narrow __attribute__((vector_size(Lanes<Word>::kCount * sizeof(T))));
    Narrow narrow;
    std::memcpy(&narrow, from, sizeof(narrow));
    return __builtin_convertvector(narrow, typename Lanes<Word>::Vector) * (sizeof(T) == 1 ? 0x01010101u : 0x00010001u);
  }
}

/// Turns rows into columns by repeatedly interleaving the first half of the rows with the second.
template <class Word, std::size_t... kLane>
void transpose_square(typename Lanes<Word>::Vector (&w)[sizeof...(kLane)], std::index_sequence<kLane...>) {
  constexpr std::size_t count = sizeof...(kLane);
#pragma GCC unroll 4
  for (std::size_t stage = 1; stage < count; stage *= 2) {
    typename Lanes<Word>::Vector next[count];
#pragma GCC unroll 8
    for (std::size_t i = 0; i < count / 2; ++i) {
      const auto &low = w[i], &high = w[i + count / 2];
      next[2 * i] = __builtin_shufflevector(low, high, (kLane / 2 + kLane % 2 * count)...);
      next[2 * i + 1] = __builtin_shufflevector(low, high, (kLane / 2 + kLane % 2 * count + count / 2)...);
    }
    std::memcpy(&w, &next, sizeof(w));
  }
}

}  // namespace packing

/// A value as a word, repeated if it is narrower.
template <class Word, class T>
Word word_of(T value) {
  Word word = 0;
  std::memcpy(&word, &value, sizeof(T));
  if constexpr (sizeof(Word) > sizeof(T)) word *= static_cast<Word>(sizeof(T) == 1 ? 0x01010101u : 0x00010001u);
  return word;
}

/// to[j * to_stride + i] = from[i * from_stride + j] for a block that fits in the first-level cache. If Word is wider
/// than T, each value is repeated until it fills a word.
template <class Word, class T>
[[gnu::noinline, gnu::noclone]] void transpose_block(const T* from, std::int64_t from_stride, std::int64_t rows,
                                                     std::int64_t cols, Word* to, std::int64_t to_stride) {
  const auto one_by_one = [&](std::int64_t i, std::int64_t first) {
    Word* out = to + first * to_stride + i;
    for (std::int64_t j = first; j < cols; ++j, out += to_stride) *out = word_of<Word>(from[i * from_stride + j]);
  };
  std::int64_t i = 0;
  constexpr auto side = static_cast<std::int64_t>(packing::Lanes<Word>::kCount);
  for (; i + side <= rows; i += side) {
    std::int64_t j = 0;
    for (; j + side <= cols; j += side) {
      typename packing::Lanes<Word>::Vector w[side];
#pragma GCC unroll 16
      for (std::int64_t r = 0; r < side; ++r) w[r] = packing::load_words<Word>(from + (i + r) * from_stride + j);
      packing::transpose_square<Word>(w, std::make_index_sequence<side>());
#pragma GCC unroll 16
      for (std::int64_t r = 0; r < side; ++r) std::memcpy(to + (j + r) * to_stride + i, &w[r], sizeof(w[r]));
    }
    for (std::int64_t r = i; r < i + side; ++r) one_by_one(r, j);
  }
  for (; i < rows; ++i) one_by_one(i, 0);
}

/// One group of a left panel: tile.rows values of A for each step, narrow ones repeated up to left_bytes. There are
/// `rows` of them from `row` on; padding beyond them is never stored to C, it only has to be initialised.
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
  constexpr std::int64_t kSteps = 64;  // at a time, so that the written lines stay in the first-level cache
  for (std::int64_t k = 0; k < depth; k += kSteps)
    transpose_block(a.view.data + row * a.view.stride + k, a.view.stride, rows, std::min(kSteps, depth - k),
                    packed + k * step, step);
}

/// One group of a right panel: tile.cols values of B for each step.
template <class T>
void pack_right(Factor<T> b, std::int64_t col, std::int64_t cols, const TileKernel& tile, std::byte* out) {
  const std::int64_t depth = b.rows(), step = tile.cols;
  auto* const packed = reinterpret_cast<WordOf<T>*>(out);
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
