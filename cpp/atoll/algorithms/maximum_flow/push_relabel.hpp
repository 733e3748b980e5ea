// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <atoll/base/types.hpp>
#include <functional>
#include <span>
#include <vector>

// The push-relabel algorithm [1] by highest labels, with global relabelling and gaps [2].
//
//   in the paper       here           meaning
//   r(v, w)            residual_      what an arc can still take
//   e(v)               excess_        what has come to v and not left it
//   d(v)               label_         lower bound of the number of arcs from v to the sink; n: none is known to lead there
//   current arc        current_       arcs before it lead to no vertex that is nearer
//
// Stage 1 pushes from the source until no vertex that reaches the sink has an excess: then the cut is known. Stage 2 returns
// what is left to the source in the same way, with the source as sink.
//
// [1] A. Goldberg, R. Tarjan. "A new approach to the maximum-flow problem." J. ACM 35(4), 1988.
// [2] B. Cherkassky, A. Goldberg. "On implementing the push-relabel method for the maximum flow problem." Algorithmica
//     19(4), 1997.
namespace atl {

/// An arc of a network; `back` is what the arc in the other direction can take at first.
template <class T>
struct Capacity {
  Local tail, head;
  T forth, back;
};

/// T: an integer, whose sums fit, or double.
template <class T>
class PushRelabel {
 public:
  PushRelabel(Local vertices, std::span<const Capacity<T>> arcs);

  /// `keep_on` is called once for about as much work as reading all arcs; it may throw.
  void run(Local source, Local target, const std::function<void()>& keep_on);
  T value() const { return value_; }
  /// The flow along the k-th arc, less that back.
  T flow(std::size_t k) const { return capacity_[k] - residual_[arc_[k]]; }
  /// Whether the target can be reached along arcs that could take more.
  bool reaches_target(Local v) const { return reaches_target_[v] != 0; }

 private:
  static constexpr Local kNone = -1;
  std::size_t begin(Local v) const { return first_[v]; }
  std::size_t end(Local v) const { return first_[static_cast<std::size_t>(v) + 1]; }

  void move_excess(Local from, Local sink, const std::function<void()>& keep_on);
  void relabel_all(Local sink);
  void discharge(Local v);
  void push(Local v, std::size_t arc);
  bool relabel(Local v);
  void close_gap(Local level);
  void enter_level(Local v);
  void leave_level(Local v);
  void activate(Local v);

  const Local n_;
  std::vector<std::size_t> first_;                              // [vertex] n + 1, of its arcs
  std::vector<Local> head_;                                     // [arc]
  std::vector<std::size_t> mate_;                               // [arc] the arc in the other direction
  std::vector<T> residual_;                                     // [arc]
  std::vector<std::size_t> arc_;                                // [k] the place of the k-th arc that was given
  std::vector<T> capacity_;                                     // [k]
  std::vector<T> excess_;                                       // [vertex]
  std::vector<Local> label_;                                    // [vertex]
  std::vector<std::size_t> current_;                            // [vertex]
  std::vector<Local> level_first_, level_next_, level_before_;  // [label], [vertex], [vertex]: the vertices of a label
  std::vector<Local> active_first_, active_next_;               // those with an excess, but for the ends
  std::vector<char> is_active_, reaches_target_;
  std::vector<Local> queue_;
  Local highest_ = 0, highest_active_ = 0;
  Local from_ = kNone, sink_ = kNone;
  std::size_t work_ = 0;
  T value_{};
};

// ---------------------------------------------------------------------------------------------------------------------

template <class T>
PushRelabel<T>::PushRelabel(Local vertices, std::span<const Capacity<T>> arcs)
    : n_(vertices),
      first_(static_cast<std::size_t>(vertices) + 1, 0),
      head_(2 * arcs.size()),
      mate_(2 * arcs.size()),
      residual_(2 * arcs.size()),
      arc_(arcs.size()),
      capacity_(arcs.size()) {
  const auto n = static_cast<std::size_t>(vertices);
  for (const auto& a : arcs) {
    ++first_[static_cast<std::size_t>(a.tail) + 1];
    ++first_[static_cast<std::size_t>(a.head) + 1];
  }
  for (std::size_t v = 0; v < n; ++v) first_[v + 1] += first_[v];
  std::vector<std::size_t> at(first_.begin(), first_.end() - 1);
  for (std::size_t k = 0; k < arcs.size(); ++k) {
    const auto& a = arcs[k];
    const std::size_t forth = at[static_cast<std::size_t>(a.tail)]++, back = at[static_cast<std::size_t>(a.head)]++;
    head_[forth] = a.head;
    head_[back] = a.tail;
    mate_[forth] = back;
    mate_[back] = forth;
    residual_[forth] = capacity_[k] = a.forth;
    residual_[back] = a.back;
    arc_[k] = forth;
  }
  excess_.assign(n, T{});
  label_.assign(n, 0);
  current_.assign(n, 0);
  level_first_.assign(n + 1, kNone);
  level_next_.assign(n, kNone);
  level_before_.assign(n, kNone);
  active_first_.assign(n + 1, kNone);
  active_next_.assign(n, kNone);
  is_active_.assign(n, 0);
  reaches_target_.assign(n, 0);
}

template <class T>
void PushRelabel<T>::run(Local source, Local target, const std::function<void()>& keep_on) {
  from_ = kNone;
  relabel_all(target);
  const bool is_reached = label_[static_cast<std::size_t>(source)] < n_;
  for (std::size_t v = 0; v < label_.size(); ++v) reaches_target_[v] = label_[v] < n_;
  if (!is_reached) return;
  for (std::size_t arc = begin(source); arc < end(source); ++arc) {
    const T amount = residual_[arc];
    residual_[arc] -= amount;
    residual_[mate_[arc]] += amount;
    excess_[static_cast<std::size_t>(head_[arc])] += amount;
  }
  move_excess(source, target, keep_on);
  value_ = excess_[static_cast<std::size_t>(target)];
  relabel_all(target);
  for (std::size_t v = 0; v < label_.size(); ++v) reaches_target_[v] = label_[v] < n_;
  move_excess(target, source, keep_on);
}

// Pushes all excess that can reach the sink into it; `from` keeps its own.
template <class T>
void PushRelabel<T>::move_excess(Local from, Local sink, const std::function<void()>& keep_on) {
  from_ = from;
  sink_ = sink;
  relabel_all(sink);
  const std::size_t enough = 6 * label_.size() + head_.size();
  while (highest_active_ >= 0) {
    const Local v = active_first_[static_cast<std::size_t>(highest_active_)];
    if (v == kNone) {
      --highest_active_;
      continue;
    }
    active_first_[static_cast<std::size_t>(highest_active_)] = active_next_[static_cast<std::size_t>(v)];
    is_active_[static_cast<std::size_t>(v)] = 0;
    discharge(v);
    if (work_ < enough) continue;
    keep_on();
    relabel_all(sink);
  }
}

// Sets all labels to the numbers of arcs to the sink, by a breadth-first search back from it.
template <class T>
void PushRelabel<T>::relabel_all(Local sink) {
  work_ = 0;
  std::ranges::fill(label_, n_);
  std::ranges::fill(level_first_, kNone);
  std::ranges::fill(active_first_, kNone);
  std::ranges::fill(is_active_, 0);
  highest_ = 0;
  highest_active_ = -1;
  queue_.assign(1, sink);
  label_[static_cast<std::size_t>(sink)] = 0;
  for (std::size_t next = 0; next < queue_.size(); ++next) {
    const Local v = queue_[next];
    current_[static_cast<std::size_t>(v)] = begin(v);
    if (v == from_) continue;
    for (std::size_t arc = begin(v); arc < end(v); ++arc) {
      const auto u = static_cast<std::size_t>(head_[arc]);
      if (label_[u] < n_ || !(residual_[mate_[arc]] > T{})) continue;
      label_[u] = label_[static_cast<std::size_t>(v)] + 1;
      queue_.push_back(head_[arc]);
    }
  }
  if (from_ != kNone) label_[static_cast<std::size_t>(from_)] = n_;  // nothing is pushed into it
  for (const Local v : queue_) {
    if (v == sink || v == from_) continue;
    enter_level(v);
    if (excess_[static_cast<std::size_t>(v)] > T{}) activate(v);
  }
}

template <class T>
void PushRelabel<T>::enter_level(Local v) {
  const Local level = label_[static_cast<std::size_t>(v)], first = level_first_[static_cast<std::size_t>(level)];
  level_next_[static_cast<std::size_t>(v)] = first;
  level_before_[static_cast<std::size_t>(v)] = kNone;
  if (first != kNone) level_before_[static_cast<std::size_t>(first)] = v;
  level_first_[static_cast<std::size_t>(level)] = v;
  highest_ = std::max(highest_, level);
}

template <class T>
void PushRelabel<T>::leave_level(Local v) {
  const Local before = level_before_[static_cast<std::size_t>(v)], next = level_next_[static_cast<std::size_t>(v)];
  if (before != kNone) {
    level_next_[static_cast<std::size_t>(before)] = next;
  } else {
    level_first_[static_cast<std::size_t>(label_[static_cast<std::size_t>(v)])] = next;
  }
  if (next != kNone) level_before_[static_cast<std::size_t>(next)] = before;
}

template <class T>
void PushRelabel<T>::activate(Local v) {
  const Local level = label_[static_cast<std::size_t>(v)];
  if (v == sink_ || v == from_ || level >= n_ || is_active_[static_cast<std::size_t>(v)]) return;
  is_active_[static_cast<std::size_t>(v)] = 1;
  active_next_[static_cast<std::size_t>(v)] = active_first_[static_cast<std::size_t>(level)];
  active_first_[static_cast<std::size_t>(level)] = v;
  highest_active_ = std::max(highest_active_, level);
}

template <class T>
void PushRelabel<T>::push(Local v, std::size_t arc) {
  const auto from = static_cast<std::size_t>(v), to = static_cast<std::size_t>(head_[arc]);
  const T amount = std::min(excess_[from], residual_[arc]);
  residual_[arc] -= amount;
  residual_[mate_[arc]] += amount;
  excess_[from] -= amount;
  excess_[to] += amount;
  activate(head_[arc]);
}

// Pushes v's excess to nearer vertices, and raises its label where none can take more, until it has none, or is cut off.
template <class T>
void PushRelabel<T>::discharge(Local v) {
  const auto at = static_cast<std::size_t>(v);
  do {
    for (std::size_t& arc = current_[at]; arc < end(v); ++arc) {
      if (!(residual_[arc] > T{}) || label_[at] != label_[static_cast<std::size_t>(head_[arc])] + 1) continue;
      push(v, arc);
      if (!(excess_[at] > T{})) return;
    }
  } while (relabel(v));
}

// False if no way to the sink is left.
template <class T>
bool PushRelabel<T>::relabel(Local v) {
  const auto at = static_cast<std::size_t>(v);
  work_ += 12 + (end(v) - begin(v));
  Local nearest = n_;
  for (std::size_t arc = begin(v); arc < end(v); ++arc) {
    const Local there = label_[static_cast<std::size_t>(head_[arc])];
    if (!(residual_[arc] > T{}) || there >= nearest) continue;
    nearest = there;
    current_[at] = arc;
  }
  const Local before = label_[at];
  leave_level(v);
  label_[at] = std::min(n_, nearest + 1);
  if (level_first_[static_cast<std::size_t>(before)] == kNone && before < n_) {
    close_gap(before);
    label_[at] = n_;
  }
  if (label_[at] >= n_) return false;
  enter_level(v);
  return true;
}

// No vertex is `level` arcs from the sink any more, so none that is farther reaches it.
template <class T>
void PushRelabel<T>::close_gap(Local level) {
  for (Local above = level + 1; above <= highest_; ++above) {
    for (Local v = level_first_[static_cast<std::size_t>(above)]; v != kNone;
         v = level_next_[static_cast<std::size_t>(v)]) {
      label_[static_cast<std::size_t>(v)] = n_;
      is_active_[static_cast<std::size_t>(v)] = 0;
    }
    level_first_[static_cast<std::size_t>(above)] = active_first_[static_cast<std::size_t>(above)] = kNone;
  }
  highest_ = level;
  highest_active_ = std::min(highest_active_, level);
}

}  // namespace atl
