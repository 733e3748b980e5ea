// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/spmm/joint/cover.hpp>
#include <limits>
#include <numeric>

namespace atl::spmm {
namespace {

constexpr std::uint32_t kNone = std::numeric_limits<std::uint32_t>::max();

// The rows of each column of a block, by numbers inside it, and a matching that grows.
class BlockMatching {
 public:
  /// nonzeros: ascending, each once.
  explicit BlockMatching(const std::vector<Nonzero>& nonzeros) {
    rows_.reserve(nonzeros.size());
    for (const Nonzero& at : nonzeros) rows_.push_back(at.row);
    std::ranges::sort(rows_);
    rows_.erase(std::unique(rows_.begin(), rows_.end()), rows_.end());
    row_of_.reserve(nonzeros.size());
    for (const Nonzero& at : nonzeros) {
      if (columns_.empty() || columns_.back() != at.column) {
        columns_.push_back(at.column);
        first_.push_back(row_of_.size());
      }
      row_of_.push_back(static_cast<std::uint32_t>(std::ranges::lower_bound(rows_, at.row) - rows_.begin()));
    }
    first_.push_back(row_of_.size());
    row_at_.assign(columns_.size(), kNone);
    column_at_.assign(rows_.size(), kNone);
    layer_.resize(columns_.size());
    next_.resize(columns_.size());
  }

  void grow_to_maximum() {
    take_free_rows();
    while (find_layers())
      for (std::uint32_t c = 0; c < columns_.size(); ++c)
        if (row_at_[c] == kNone) augment(c);
  }

  /// After grow_to_maximum(): columns that no alternating path from an unmatched column reaches, and the rows that one
  /// does.
  RowCover cover() const {
    RowCover out;
    for (std::uint32_t c = 0; c < columns_.size(); ++c) {
      if (layer_[c] == kNone)
        out.columns.push_back(columns_[c]);
      else if (row_at_[c] != kNone)
        out.rows.push_back(rows_[row_at_[c]]);
    }
    std::ranges::sort(out.rows);
    return out;
  }

 private:
  void match(std::uint32_t column, std::uint32_t row) {
    row_at_[column] = row;
    column_at_[row] = column;
  }

  // Columns of few rows first: others find one more easily.
  void take_free_rows() {
    std::vector<std::uint32_t> order(columns_.size());
    std::iota(order.begin(), order.end(), 0U);
    std::ranges::stable_sort(order, {}, [&](std::uint32_t c) { return first_[c + 1] - first_[c]; });
    for (const std::uint32_t c : order)
      for (std::size_t e = first_[c]; e < first_[c + 1]; ++e)
        if (column_at_[row_of_[e]] == kNone) {
          match(c, row_of_[e]);
          break;
        }
  }

  // Breadth-first from the unmatched columns; whether an unmatched row was met. Layers behind it are not looked at.
  bool find_layers() {
    std::vector<std::uint32_t> now, then;
    for (std::uint32_t c = 0; c < columns_.size(); ++c) {
      layer_[c] = row_at_[c] == kNone ? 0 : kNone;
      next_[c] = first_[c];
      if (layer_[c] == 0) now.push_back(c);
    }
    bool found = false;
    for (; !now.empty() && !found; now.swap(then), then.clear())
      for (const std::uint32_t c : now)
        for (std::size_t e = first_[c]; e < first_[c + 1]; ++e) {
          const std::uint32_t to = column_at_[row_of_[e]];
          if (to == kNone) {
            found = true;
          } else if (layer_[to] == kNone) {
            layer_[to] = layer_[c] + 1;
            then.push_back(to);
          }
        }
    return found;
  }

  // Depth-first along the layers; each nonzero is looked at once a phase.
  void augment(std::uint32_t from) {
    path_.assign(1, from);
    while (!path_.empty()) {
      const std::uint32_t c = path_.back();
      if (next_[c] == first_[c + 1]) {
        path_.pop_back();
        if (!path_.empty()) ++next_[path_.back()];
        continue;
      }
      const std::uint32_t to = column_at_[row_of_[next_[c]]];
      if (to == kNone) {
        for (const std::uint32_t column : path_) match(column, row_of_[next_[column]]);
        for (const std::uint32_t column : path_) next_[column] = first_[column + 1];  // in one path only
        return;
      }
      if (layer_[to] == layer_[c] + 1)
        path_.push_back(to);
      else
        ++next_[c];
    }
  }

  std::vector<Vertex> columns_, rows_;       // the numbers in the matrix
  std::vector<std::size_t> first_, next_;    // [column] of its nonzeros; of those that this phase has not looked at
  std::vector<std::uint32_t> row_of_;        // [nonzero]
  std::vector<std::uint32_t> row_at_;        // [column] it is matched with
  std::vector<std::uint32_t> column_at_;     // [row]
  std::vector<std::uint32_t> layer_, path_;  // [column]; columns on the way
};

}  // namespace

RowCover minimum_cover(std::vector<Nonzero> nonzeros) {
  std::ranges::sort(nonzeros);
  nonzeros.erase(std::unique(nonzeros.begin(), nonzeros.end()), nonzeros.end());
  BlockMatching matching(nonzeros);
  matching.grow_to_maximum();
  return matching.cover();
}

}  // namespace atl::spmm
