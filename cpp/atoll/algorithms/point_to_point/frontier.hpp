// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/types.hpp>
#include <limits>
#include <vector>

/// The vertices that a search is to relax: those whose keys are below the horizon in the order in which they came, and all
/// others, without an order, until the horizon moves. With horizons some edges apart that costs less than a heap. A key is
/// a distance, or a bound on the length of a path through the vertex.
///
/// A vertex whose key has fallen is put in again; its older entries are stale.
namespace atl {

template <class Key>
class Frontier {
 public:
  /// `far`: what least() is when nothing waits.
  explicit Frontier(Key far) : far_(far), least_(far) {}

  void put(Key key, Local v) {
    if (key < horizon_) {
      near_.push_back({key, v});
    } else {
      beyond_.push_back({key, v});
      least_ = std::min(least_, key);
    }
  }
  /// A lower bound on the keys of what waits; between rounds that is all.
  Key least() const { return least_; }
  std::size_t waiting() const { return beyond_.size(); }

  /// Begins a round; is_stale(key, vertex).
  template <class IsStale>
  void begin_round(Key horizon, IsStale&& is_stale) {
    horizon_ = horizon;
    near_.clear();
    taken_ = 0;
    least_ = far_;
    std::size_t kept = 0;
    for (const Entry& entry : beyond_) {
      if (is_stale(entry.key, entry.vertex)) continue;
      if (entry.key < horizon) {
        near_.push_back(entry);
      } else {
        least_ = std::min(least_, entry.key);
        beyond_[kept++] = entry;
      }
    }
    beyond_.resize(kept);
  }
  /// The next vertex nearer than the horizon that is not stale; -1 if there is none: then the round is over.
  template <class IsStale>
  Local take(IsStale&& is_stale) {
    while (taken_ < near_.size()) {
      const Entry entry = near_[taken_++];
      if (!is_stale(entry.key, entry.vertex)) return entry.vertex;
    }
    horizon_ = kNoRound;
    return -1;
  }
  void clear() {
    near_.clear();
    beyond_.clear();
    taken_ = 0;
    least_ = far_;
    horizon_ = kNoRound;
  }

 private:
  struct Entry {
    Key key;
    Local vertex;
  };
  static constexpr Key kNoRound = std::numeric_limits<Key>::lowest();  // all that comes waits
  const Key far_;
  Key least_, horizon_ = kNoRound;
  std::vector<Entry> near_, beyond_;
  std::size_t taken_ = 0;
};

}  // namespace atl
