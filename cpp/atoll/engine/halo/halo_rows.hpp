// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/vertex_bits.hpp>
#include <bit>
#include <span>
#include <utility>
#include <vector>

namespace atl {

/// How many values a row has: value c of row r is at position r * values() + c. Shifts where that is a power of two.
class RowWidth {
 public:
  explicit RowWidth(std::size_t values)
      : values_(values), shift_(std::has_single_bit(values) ? std::countr_zero(values) : kNoShift) {}
  std::size_t values() const { return values_; }
  std::size_t row_of(std::size_t position) const {
    return shift_ != kNoShift ? position >> shift_ : position / values_;
  }
  std::size_t column_of(std::size_t position) const {
    return shift_ != kNoShift ? position & (values_ - 1) : position % values_;
  }
  std::size_t first_of(std::size_t row) const { return shift_ != kNoShift ? row << shift_ : row * values_; }
  /// Whether a loop over positions with row_of() is better than one over rows and columns.
  bool shifts_few() const { return shift_ != kNoShift && values_ <= kFew; }

 private:
  static constexpr int kNoShift = -1;
  static constexpr std::size_t kFew = 64;
  std::size_t values_;
  int shift_;
};

/// The rows that this rank shares with one other rank, in the order on which both agree, as local row numbers: those
/// that it owns (a list) or its copies of the other's (a list, or a range).
class HaloRows {
 public:
  HaloRows() = default;
  static HaloRows range(std::size_t begin, std::size_t count);
  /// A range where they follow each other, which takes no memory.
  static HaloRows listed(std::vector<Local> rows);
  /// The rows whose bits are set, ascending, group after group. Positions of changed values are then found by words of
  /// bits, which takes four bytes for each word; the masks outlive this.
  static HaloRows masked(const std::vector<const Array<std::uint64_t>*>& masks, bool by_words);

  std::size_t size() const { return size_; }
  bool is_range() const { return is_range_; }
  std::size_t begin() const { return begin_; }  ///< of a range
  Local row(std::size_t k) const { return is_range_ ? static_cast<Local>(begin_ + k) : list_[k]; }
  std::size_t memory_bytes() const;

 private:
  friend class HaloPositions;
  struct Group {
    const Array<std::uint64_t>* mask;
    std::vector<std::uint32_t> before;  // [word] rows of the group before the word
  };

  std::size_t size_ = 0, begin_ = 0;
  bool is_range_ = false;
  std::vector<Local> list_;
  std::vector<Group> groups_;
};

/// The positions of the values of such rows: the k-th value that the two ranks share is value k % width of the (k /
/// width)-th row. A view.
class HaloPositions {
 public:
  HaloPositions(const HaloRows& rows, RowWidth width)
      : rows_(rows), list_(rows.list_.data()), begin_(width.first_of(rows.begin_)), width_(width) {}

  /// Values.
  std::size_t size() const { return rows_.size() * width_.values(); }
  std::size_t at(std::size_t k) const { return rows_.is_range_ ? begin_ + k : listed(k); }
  /// Whether the values [begin, end) lie one after the other, as in a message.
  bool is_range() const { return rows_.is_range_; }

  /// f(k, row, column, count) for the values [begin, end), in runs of `count` neighbours in one row.
  template <class F>
  void for_runs(std::size_t begin, std::size_t end, F&& f) const;
  /// f(k, position) for the values [begin, end).
  template <class F>
  void for_all(std::size_t begin, std::size_t end, F&& f) const;
  /// f(k, position), ascending, for the changed ones among the values [begin, end). `changed` has a bit for each
  /// position.
  template <class F>
  void for_changed(const VertexBits& changed, std::size_t begin, std::size_t end, F&& f) const;

 private:
  std::size_t listed(std::size_t k) const {
    return width_.first_of(static_cast<std::size_t>(list_[width_.row_of(k)])) + width_.column_of(k);
  }
  template <class F>
  void for_changed_of_range(const VertexBits& changed, std::size_t begin, std::size_t end, F&& f) const;
  template <class F>
  void for_changed_by_words(const VertexBits& changed, std::size_t begin, std::size_t end, F&& f) const;

  const HaloRows& rows_;
  const Local* const list_;
  const std::size_t begin_;
  const RowWidth width_;
};

// ---------------------------------------------------------------------------------------------------------------------

template <class F>
void HaloPositions::for_runs(std::size_t begin, std::size_t end, F&& f) const {
  std::size_t row = width_.row_of(begin), column = width_.column_of(begin);
  for (std::size_t k = begin; k < end; ++row, column = 0) {
    const std::size_t count = std::min(width_.values() - column, end - k);
    f(k, rows_.is_range_ ? rows_.begin_ + row : static_cast<std::size_t>(list_[row]), column, count);
    k += count;
  }
}

template <class F>
void HaloPositions::for_all(std::size_t begin, std::size_t end, F&& f) const {
  if (rows_.is_range_) {
    for (std::size_t k = begin; k < end; ++k) f(k, begin_ + k);
  } else if (width_.values() == 1) {
    for (std::size_t k = begin; k < end; ++k) f(k, static_cast<std::size_t>(list_[k]));
  } else if (width_.shifts_few()) {
    for (std::size_t k = begin; k < end; ++k) f(k, listed(k));
  } else {
    for_runs(begin, end, [&](std::size_t k, std::size_t row, std::size_t column, std::size_t count) {
      const std::size_t first = width_.first_of(row) + column;
      for (std::size_t i = 0; i < count; ++i) f(k + i, first + i);
    });
  }
}

template <class F>
void HaloPositions::for_changed(const VertexBits& changed, std::size_t begin, std::size_t end, F&& f) const {
  if (rows_.is_range_) {
    for_changed_of_range(changed, begin, end, f);
  } else if (!rows_.groups_.empty()) {
    for_changed_by_words(changed, begin, end, f);
  } else {
    for_all(begin, end, [&](std::size_t k, std::size_t position) {
      if (changed.load(position / 64) >> (position % 64) & 1) f(k, position);
    });
  }
}

template <class F>
void HaloPositions::for_changed_of_range(const VertexBits& changed, std::size_t begin, std::size_t end, F&& f) const {
  const std::size_t first = begin_ + begin, shift = first % 64;
  for (std::size_t k = 0; k < end - begin; k += 64) {
    const std::size_t w = (first + k) / 64;
    std::uint64_t bits = changed.load(w) >> shift;
    // Not a word that the range does not reach: other threads may set the bits of copies there.
    if (shift > 0 && end - begin - k > 64 - shift) bits |= changed.load(w + 1) << (64 - shift);
    if (end - begin - k < 64) bits &= ~(~std::uint64_t{0} << (end - begin - k));
    for (; bits; bits &= bits - 1) {
      const std::size_t at = k + static_cast<std::size_t>(std::countr_zero(bits));
      f(begin + at, first + at);
    }
  }
}

// Iterates over words of bits, not over rows: usually few have changed.
template <class F>
void HaloPositions::for_changed_by_words(const VertexBits& changed, std::size_t begin, std::size_t end, F&& f) const {
  std::size_t first = 0;  // values of the groups before
  for (const HaloRows::Group& group : rows_.groups_) {
    if (first >= end) break;
    const auto& words = *group.mask;
    const auto& before = group.before;
    if (words.empty()) continue;
    const std::size_t skipped = begin > first ? width_.row_of(begin - first) : 0;
    auto w = static_cast<std::size_t>(std::upper_bound(before.begin(), before.end(), skipped) - before.begin()) - 1;
    for (; w < words.size() && first + width_.first_of(before[w]) < end; ++w) {
      const std::uint64_t mask = words[w];
      if (mask == 0) continue;
      for (std::size_t at = width_.first_of(w); at < width_.first_of(w + 1); ++at)
        for (std::uint64_t bits = changed.load(at); bits; bits &= bits - 1) {
          const std::size_t position = at * 64 + static_cast<std::size_t>(std::countr_zero(bits));
          const std::uint64_t bit = std::uint64_t{1} << width_.row_of(position) % 64;
          if (!(mask & bit)) continue;
          const auto row = before[w] + static_cast<std::size_t>(std::popcount(mask & (bit - 1)));
          const std::size_t k = first + width_.first_of(row) + width_.column_of(position);
          if (k >= begin && k < end) f(k, position);
        }
    }
    first += width_.first_of(before.back() + static_cast<std::size_t>(std::popcount(words[words.size() - 1])));
  }
}

}  // namespace atl
