// SPDX-License-Identifier: Apache-2.0
// Gorder [1]: next comes the row that shares most with the `window` rows before it.
//
//   in the paper        here
//   S_s(u, v)           columns that rows u and v share (the paper: in-neighbours that u and v share; a row of a matrix
//                       names what a product reads, so sharing columns is what saves reading)
//   S_n(u, v)           a_uv + a_vu
//   w                   window
//   unit heap Q         UnitHeap: a list for each key; +1 at once, -1 only when the row is at the top
//
// A column of more than sqrt(n) nonzeros is not counted as shared: it says little, and costs the square of its degree.
// Duplicates count as often as they are there, self-loops not. One thread.
//
// [1] H. Wei, J. X. Yu, C. Lu, X. Lin. "Speedup graph processing by graph ordering." SIGMOD 2016.
#include <atoll/order/methods.hpp>
#include <atoll/order/rows.hpp>
#include <cmath>
#include <vector>

namespace atl::order {
namespace {

constexpr Local kNoNode = -1;

// Rows by key, of which all begin at 0. A decrement only grows the row's debt, which the next increment pays back, or
// take_top(), when the row is there: keys in the lists are upper bounds.
class UnitHeap {
 public:
  explicit UnitHeap(std::int64_t rows) : nodes_(static_cast<std::size_t>(rows)), first_{kNoNode} {
    for (auto v = static_cast<Local>(rows - 1); v >= 0; --v) {
      at(v).debt = 0;
      put(v, 0);
    }
  }
  void increment(Local v) {
    Node& node = at(v);
    if (node.key < 0) return;
    if (node.debt > 0) {
      --node.debt;
      return;
    }
    const Local key = node.key;
    unlink(v);
    put(v, key + 1);
  }
  void decrement(Local v) { ++at(v).debt; }  // of a row that was taken: nobody looks at it
  void take(Local v) {
    unlink(v);
    at(v).key = -1;
  }
  Local take_top() {
    for (;;) {
      while (first_[top_] == kNoNode) --top_;
      const Local v = first_[top_];
      const Local debt = std::exchange(at(v).debt, 0);
      if (debt == 0) {
        take(v);
        return v;
      }
      const Local key = at(v).key - debt;
      unlink(v);
      put(v, key);
    }
  }

 private:
  struct Node {
    Local before, after, key, debt;
  };
  Node& at(Local v) { return nodes_[v]; }
  void unlink(Local v) {
    const Node node = at(v);
    (node.before == kNoNode ? first_[node.key] : at(node.before).after) = node.after;
    if (node.after != kNoNode) at(node.after).before = node.before;
  }
  void put(Local v, Local key) {
    if (static_cast<std::size_t>(key) == first_.size()) first_.push_back(kNoNode);
    Local& first = first_[key];
    Node& node = at(v);
    node.before = kNoNode;
    node.after = first;
    node.key = key;
    if (first != kNoNode) at(first).before = v;
    first = v;
    if (key > top_) top_ = key;
  }

  Array<Node> nodes_;
  std::vector<Local> first_;  // [key]
  Local top_ = 0;             // no row has a greater key
};

}  // namespace

Array<Local> by_shared_columns(Team& team, const SparsePattern& a, int window) {
  Array<Local> order(static_cast<std::size_t>(a.rows));
  if (a.rows == 0) return order;
  const SparseMatrix<float> transposed = transpose(team, SparseView<float>{a});
  const SparsePattern t = transposed.pattern();
  const auto most_shared = static_cast<std::uint64_t>(std::sqrt(static_cast<double>(a.rows)));
  const auto for_each_point = [&](Local v, auto&& f) {
    for (const Local u : row(a, v))
      if (u != v) f(u);
    for (const Local u : row(t, v))
      if (u != v) f(u);
    for (const Local column : row(a, v)) {
      if (column == v || degree(t, column) > most_shared) continue;
      for (const Local u : row(t, column))
        if (u != v && u != column) f(u);
    }
  };

  UnitHeap heap(a.rows);
  Local first = 0;
  for (Local v = 0; v < a.rows; ++v)
    if (degree(a, v) > degree(a, first)) first = v;
  heap.take(first);
  order[0] = first;
  const auto width = static_cast<std::size_t>(window);
  constexpr std::size_t kAskEvery = 64;  // a row may have a million points
  for (std::size_t i = 1; i < order.size(); ++i) {
    if (i % kAskEvery == 0) team.cancellation_point();
    for_each_point(order[i - 1], [&](Local u) { heap.increment(u); });
    if (i > width) for_each_point(order[i - 1 - width], [&](Local u) { heap.decrement(u); });
    order[i] = heap.take_top();
  }
  return order;
}

}  // namespace atl::order
