// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <functional>
#include <queue>
#include <utility>
#include <vector>

/// The vertices that a search is to relax, least distance first. A vertex whose distance has fallen is there again with
/// the new one; whoever takes an entry compares it with the vertex's distance.
namespace atl {

template <class Sum>
struct QueueEntry {
  Sum distance;
  Local vertex;
  bool operator>(const QueueEntry& other) const { return distance > other.distance; }
};

/// Of searches by edges, where no entry is nearer than one that was put in before it.
template <class Sum>
class LevelQueue {
 public:
  void put(const QueueEntry<Sum>& entry) { entries_.push_back(entry); }
  bool empty() const { return first_ == entries_.size(); }
  const QueueEntry<Sum>& first() const { return entries_[first_]; }
  void drop_first() { ++first_; }
  std::size_t size() const { return entries_.size() - first_; }
  void clear() {
    entries_.clear();
    first_ = 0;
  }

 private:
  std::vector<QueueEntry<Sum>> entries_;
  std::size_t first_ = 0;
};

/// Of searches by weight.
template <class Sum>
class DistanceQueue {
 public:
  void put(const QueueEntry<Sum>& entry) { heap_.push(entry); }
  bool empty() const { return heap_.empty(); }
  const QueueEntry<Sum>& first() const { return heap_.top(); }
  void drop_first() { heap_.pop(); }
  std::size_t size() const { return heap_.size(); }
  void clear() { heap_ = {}; }

 private:
  std::priority_queue<QueueEntry<Sum>, std::vector<QueueEntry<Sum>>, std::greater<>> heap_;
};

}  // namespace atl
