// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/types.hpp>
#include <bit>
#include <cstdint>
#include <span>
#include <vector>

/// Finds the most frequent label among a vertex's neighbours, the smallest of equally frequent ones.
///
///     LabelTable<Vertex> counts(0);                // one for each thread; or LabelCounters counts(largest label + 1)
///     counts.open(out.size() + in.size());         // upper bound of the number of labels added
///     counts.add(out, label);                      // label[u] of every u in the list
///     next = counts.most_frequent();
///
/// A table also takes a label that has been counted elsewhere, and lists what it has:
///
///     counts.add(label, 3);
///     counts.for_each([&](Label label, std::uint32_t count) { ... });
namespace atl {

/// One counter for each possible label: no probing, so no mispredicted branches.
class LabelCounters {
 public:
  explicit LabelCounters(std::size_t labels) : count_(labels) {}

  void open(std::size_t most) {
    for (std::size_t k = 0; k < used_count_; ++k) count_[used_[k]] = 0;
    used_count_ = 0;
    if (used_.size() < most + 1) used_.resize(most + 1);
    front_ = 0;
  }

  void add(std::span<const Local> list, const Local* label) {
    std::uint64_t front = front_;
    std::size_t used = used_count_;
    for (const Local u : list) {
      const Local l = label[u];
      const std::uint64_t count = ++count_[l];
      used_[used] = l;
      used += count == 1;
      front = std::max(front, count << 32 | ~static_cast<std::uint32_t>(l));  // of equal counts the smaller label
    }
    front_ = front;
    used_count_ = used;
  }

  /// Needs at least one label.
  Local most_frequent() const { return static_cast<Local>(~static_cast<std::uint32_t>(front_)); }

 private:
  std::vector<std::uint32_t> count_;
  std::vector<Local> used_;
  std::size_t used_count_ = 0;
  std::uint64_t front_ = 0;
};

/// An open-addressing hash table, at most half full, for labels of any size. Clears only the slots in use.
template <class Label>
class LabelTable {
 public:
  explicit LabelTable(std::size_t) {}

  void open(std::size_t labels) {
    for (const std::uint32_t at : used_) slots_[at].count = 0;
    used_.clear();
    most_ = 0;
    const std::size_t size = std::bit_ceil(2 * labels + 2);
    if (slots_.size() < size) slots_.resize(size);
    shift_ = 64 - std::countr_zero(size);
    mask_ = size - 1;
  }

  void add(std::span<const Local> list, const Label* label) {
    for (const Local u : list) add(label[u], 1);
  }

  void add(Label label, std::uint32_t count) {
    std::size_t at = static_cast<std::uint64_t>(label) * 0x9E3779B97F4A7C15u >> shift_;
    while (slots_[at].count != 0 && slots_[at].label != label) at = (at + 1) & mask_;
    Slot& slot = slots_[at];
    if (slot.count == 0) {
      slot.label = label;
      used_.push_back(static_cast<std::uint32_t>(at));
    }
    put_in_front(label, slot.count += count);
  }

  template <class F>
  void for_each(F&& f) const {
    for (const std::uint32_t at : used_) f(slots_[at].label, slots_[at].count);
  }

  /// Needs at least one label.
  Label most_frequent() const { return best_; }

 private:
  struct Slot {
    Label label = 0;
    std::uint32_t count = 0;
  };

  // Counts only grow, so it suffices to compare with the best label at each addition.
  void put_in_front(Label label, std::uint32_t count) {
    if (count < most_ || (count == most_ && label > best_)) return;
    most_ = count;
    best_ = label;
  }

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> used_;
  std::size_t mask_ = 0;
  int shift_ = 63;
  std::uint32_t most_ = 0;
  Label best_ = 0;
};

/// The most frequent label in the first round, when each neighbour has its own id: only repeated neighbours count more
/// than once. Both lists ascend.
template <class Id>
Id most_repeated(std::span<const Local> out, std::span<const Local> in, const Id* id) {
  Id best = 0;
  std::size_t most = 0;
  for (std::size_t i = 0, k = 0; i < out.size() || k < in.size();) {
    const Local u = k == in.size() || (i < out.size() && out[i] < in[k]) ? out[i] : in[k];
    std::size_t count = 0;
    for (; i < out.size() && out[i] == u; ++i) ++count;
    for (; k < in.size() && in[k] == u; ++k) ++count;
    const Id label = id[u];
    if (count < most || (count == most && label > best)) continue;
    most = count;
    best = label;
  }
  return best;
}

}  // namespace atl
