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

/// A bit for each local vertex of a rank, or for each of several values of each.
class VertexBits {
 public:
  explicit VertexBits(std::size_t bits) : words_((bits + 63) / 64) { clear(); }

  bool test(std::size_t v) const { return words_[v / 64] >> (v % 64) & 1; }
  /// Any thread; returns false if the bit was set already. Sequentially consistent with reset() and
  /// combine_atomically(): if one thread changes a value and then sets its bit, and another resets the bit and then
  /// reads the value, either the bit stays set or the new value is read.
  bool set(std::size_t v) {
    const std::uint64_t bit = std::uint64_t{1} << (v % 64);
    const std::atomic_ref<std::uint64_t> shared(words_[v / 64]);
    if (shared.load() & bit) return false;
    return !(shared.fetch_or(bit) & bit);
  }
  /// Where no other thread touches the word.
  void set_unsynchronized(std::size_t v) { words_[v / 64] |= std::uint64_t{1} << (v % 64); }
  void reset_unsynchronized(std::size_t v) { words_[v / 64] &= ~(std::uint64_t{1} << (v % 64)); }
  void set_group(std::size_t v, std::uint64_t bits) { words_[v / 64] |= bits << (v % 64); }
  void reset(std::size_t v) {
    std::atomic_ref<std::uint64_t>(words_[v / 64]).fetch_and(~(std::uint64_t{1} << (v % 64)));
  }
  void clear() { std::fill(words_.begin(), words_.end(), 0); }
  /// Clears the bits from v on.
  void clear_from(std::size_t v) {
    if (v / 64 >= words_.size()) return;
    words_[v / 64] &= ~(~std::uint64_t{0} << (v % 64));
    std::fill(words_.begin() + v / 64 + 1, words_.end(), 0);
  }
  /// Moves the other's bits below v, a multiple of 64, to this; the other's are cleared.
  void take_below(std::size_t v, VertexBits& other) {
    const std::size_t end = std::min(v / 64, words_.size());
    std::copy(other.words_.begin(), other.words_.begin() + end, words_.begin());
    std::fill(other.words_.begin(), other.words_.begin() + end, 0);
  }
  bool any() const {
    return std::any_of(words_.begin(), words_.end(), [](std::uint64_t w) { return w != 0; });
  }
  void set_all() { std::fill(words_.begin(), words_.end(), ~std::uint64_t{0}); }

  /// Calls f(w) for each nonzero word in [first, end), ascending. Tests eight words at a time, so that a sparse set costs
  /// little more than reading its words.
  template <class F>
  void for_words(std::size_t first, std::size_t end, F&& f) const {
    const std::uint64_t* words = words_.data();
    for (; first + 8 <= end; first += 8) {
      std::uint64_t any = 0;
      for (std::size_t w = first; w < first + 8; ++w) any |= words[w];
      if (any)
        for (std::size_t w = first; w < first + 8; ++w)
          if (words[w]) f(w);
    }
    for (; first < end; ++first)
      if (words[first]) f(first);
  }

  std::size_t words() const { return words_.size(); }
  std::uint64_t& at(std::size_t w) { return words_[w]; }
  std::uint64_t at(std::size_t w) const { return words_[w]; }
  /// A word while other threads set other bits of it.
  std::uint64_t load(std::size_t w) const {
    return std::atomic_ref(const_cast<std::uint64_t&>(words_[w])).load(std::memory_order_relaxed);
  }
  void swap(VertexBits& other) { words_.swap(other.words_); }

 private:
  Array<std::uint64_t> words_;
};

}  // namespace atl
