// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/array.hpp>
#include <atoll/base/types.hpp>
#include <atomic>
#include <bit>
#include <cstdint>

namespace atl {

/// f(position) for each bit that is set, ascending.
template <class Words, class F>
void for_bits(const Words& words, F&& f, std::size_t first = 0) {
  for (std::size_t w = 0; w < words.size(); ++w)
    for (std::uint64_t bits = words[w]; bits; bits &= bits - 1)
      f(first + w * 64 + static_cast<std::size_t>(std::countr_zero(bits)));
}

/// A bit for each local vertex of a rank, or for each lane of each.
class VertexBits {
 public:
  explicit VertexBits(Local vertices) : words_((static_cast<std::size_t>(vertices) + 63) / 64) { clear(); }

  bool test(Local v) const { return words_[word(v)] >> (v % 64) & 1; }
  /// Any thread; returns false if the bit was set already. Sequentially consistent with reset() and
  /// combine_atomically(): if one thread changes a value and then sets its bit, and another resets the bit and then
  /// reads the value, either the bit stays set or the new value is read.
  bool set(Local v) {
    const std::uint64_t bit = std::uint64_t{1} << (v % 64);
    const std::atomic_ref<std::uint64_t> shared(words_[word(v)]);
    if (shared.load() & bit) return false;
    return !(shared.fetch_or(bit) & bit);
  }
  /// Where no other thread touches the word.
  void set_unsynchronized(Local v) { words_[word(v)] |= std::uint64_t{1} << (v % 64); }
  void reset_unsynchronized(Local v) { words_[word(v)] &= ~(std::uint64_t{1} << (v % 64)); }
  void set_group(Local v, std::uint64_t bits) { words_[word(v)] |= bits << (v % 64); }
  void reset(Local v) { std::atomic_ref<std::uint64_t>(words_[word(v)]).fetch_and(~(std::uint64_t{1} << (v % 64))); }
  void clear() { std::fill(words_.begin(), words_.end(), 0); }
  /// Clears the bits from v on; v is a multiple of 64.
  void clear_from(Local v) { std::fill(words_.begin() + std::min(word(v), words_.size()), words_.end(), 0); }
  /// Moves the other's bits below v, a multiple of 64, to this; the other's are cleared.
  void take_below(Local v, VertexBits& other) {
    const std::size_t end = std::min(word(v), words_.size());
    std::copy(other.words_.begin(), other.words_.begin() + end, words_.begin());
    std::fill(other.words_.begin(), other.words_.begin() + end, 0);
  }
  bool any() const {
    return std::any_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w != 0; });
  }
  void set_all() { std::fill(words_.begin(), words_.end(), ~std::uint64_t{0}); }

  std::size_t words() const { return words_.size(); }
  std::uint64_t& at(std::size_t w) { return words_[w]; }
  std::uint64_t at(std::size_t w) const { return words_[w]; }
  void swap(VertexBits& other) { words_.swap(other.words_); }

 private:
  static std::size_t word(Local v) { return static_cast<std::size_t>(v) / 64; }
  Array<std::uint64_t> words_;
};

}  // namespace atl
