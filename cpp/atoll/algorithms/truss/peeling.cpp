// SPDX-License-Identifier: Apache-2.0
// Truss numbers by peeling [1, in truss_numbers.hpp]. Level by level, edges that are in no more triangles than the level
// are removed, with the triangles that they are in.
//
//   in the paper           here               meaning
//   S(e)                   support_           triangles of e whose edges are left
//   X                      Thread::mark       edges of one node, by the other end
//   curr, next             current_, next     edges at this level, and those that come down to it meanwhile
//   inCurr, processed      state_
//
// Of the edges of a triangle that are removed at the same time, the one of the lowest number lowers the supports.
//
// Deviations: edges are numbered by the end of higher degree, so that the current ones come by groups of the same end,
// whose list is marked once for all of them; for few edges the longer list is searched instead. Lists drop what has been
// removed, whenever that is a quarter of the edges.
#include <algorithm>
#include <atoll/algorithms/truss/peeling.hpp>
#include <atomic>
#include <limits>
#include <numeric>

namespace atl {
namespace {

constexpr Local kNoLevel = std::numeric_limits<Local>::max();
// A list is marked where the lists that are held against it have at least this share of its entries.
constexpr std::size_t kShareToMark = 8;
constexpr std::size_t kEdgesAtATime = 64;
constexpr std::size_t kShareToDrop = 4;

// Calls f(node) for each other node in the list, once.
template <class F>
void for_others(const Csr& lists, Local v, F&& f) {
  Local before = -1;
  for (const Local u : lists.neighbours(v)) {
    if (u != v && u != before) f(u);
    before = u;
  }
}

}  // namespace

TrussPeeling::TrussPeeling(Team& team, std::size_t nodes, const Csr& lists, std::string_view name)
    : team_(team),
      nodes_(nodes),
      first_(nodes + 1),
      begin_(nodes + 1),
      size_(nodes),
      threads_(static_cast<std::size_t>(team.size())) {
  number_edges(lists, name);
  entries_ = Array<Entry>(2 * edges());
  support_ = Array<Local>(edges());
  more_ = Array<Local>(edges());
  state_ = Array<State>(edges());
  for (Thread& thread : threads_) thread.mark = Array<EdgeNumber>(nodes, 0);
}

template <class F>
void TrussPeeling::for_nodes(F&& f) {
  team_.for_range(nodes_, kGrain, [&](int t, std::size_t a, std::size_t b) {
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) f(threads_[t], v);
  });
}

void TrussPeeling::number_edges(const Csr& lists, std::string_view name) {
  first_[0] = begin_[0] = 0;
  for_nodes([&](Thread&, Local v) {
    Edge higher = 0, all = 0;
    for_others(lists, v, [&](Local u) {
      higher += u > v;
      ++all;
    });
    first_[index(v) + 1] = higher;
    begin_[index(v) + 1] = all;
  });
  std::partial_sum(first_.begin(), first_.end(), first_.begin());
  std::partial_sum(begin_.begin(), begin_.end(), begin_.begin());
  const auto count = static_cast<std::size_t>(first_[nodes_]);
  check(count < std::numeric_limits<EdgeNumber>::max(),
        "truss numbers: {} has {} edges (one rank finds those of less than 2^32). Take more ranks.", name, count);
  low_ = Array<Local>(count);
  high_ = Array<Local>(count);
  for_nodes([&](Thread&, Local v) {
    Edge at = first_[v];
    for_others(lists, v, [&](Local u) {
      if (u < v) return;
      low_[static_cast<std::size_t>(at)] = v;
      high_[static_cast<std::size_t>(at++)] = u;
    });
  });
}

TrussPeeling::EdgeNumber TrussPeeling::edge_between(Local low, Local high) const {
  const Local* const all = high_.data();
  return static_cast<EdgeNumber>(std::lower_bound(all + first_[low], all + first_[index(low) + 1], high) - all);
}

Local TrussPeeling::truss(Local a, Local b) const {
  return a == b ? 0 : support_[edge_between(std::min(a, b), std::max(a, b))] + 2;
}

// Lists of all edges, by ascending other ends: each node's own edges go to its end, those of lower nodes are sent there.
void TrussPeeling::fill_lists() {
  for_nodes([&](Thread&, Local v) {
    size_[v] = static_cast<std::size_t>(begin_[index(v) + 1] - begin_[v]);
    Edge at = begin_[index(v) + 1] - (first_[index(v) + 1] - first_[v]);
    for (Edge e = first_[v]; e < first_[index(v) + 1]; ++e)
      entries_[static_cast<std::size_t>(at++)] = {high_[static_cast<std::size_t>(e)], static_cast<EdgeNumber>(e)};
  });
  // In the order of lower ends; each thread writes to nodes of its own.
  team_.run([&](int t) {
    const auto [first, end] = team_.share(t, nodes_, 16);
    std::vector<Edge> at(begin_.begin() + first, begin_.begin() + end);
    for (std::size_t e = 0; e < edges(); ++e)
      if (const std::size_t v = index(high_[e]); v >= first && v < end)
        entries_[static_cast<std::size_t>(at[v - first]++)] = {low_[e], static_cast<EdgeNumber>(e)};
  });
}

// Each triangle once, at its highest node v, between two of the lower nodes on v's list. Edges of v are v's thread's.
void TrussPeeling::count_triangles() {
  std::fill(more_.begin(), more_.end(), 0);
  std::fill(support_.begin(), support_.end(), 0);
  const auto lower = [&](Local v) {
    return list(v).first(size_[v] - static_cast<std::size_t>(first_[index(v) + 1] - first_[v]));
  };
  team_.for_range(nodes_, kGrain / 4, [&](int t, std::size_t a, std::size_t b) {
    Array<EdgeNumber>& mark = threads_[t].mark;
    for (auto v = static_cast<Local>(a); v < static_cast<Local>(b); ++v) {
      const std::span<const Entry> own = lower(v);
      if (own.size() < 2) continue;
      for (const auto [u, edge] : own) mark[u] = edge + 1;
      for (const auto [u, edge] : own) {
        Local closed = 0;
        for (const auto [w, opposite] : lower(u))
          if (const EdgeNumber third = mark[w]; third > 0) {
            ++closed;
            ++support_[third - 1];
            std::atomic_ref(more_[opposite]).fetch_add(1, std::memory_order_relaxed);
          }
        support_[edge] += closed;
      }
      for (const auto [u, edge] : own) mark[u] = 0;
    }
  });
  team_.for_range(edges(), kGrain * 64, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t e = a; e < b; ++e) support_[e] += more_[e];
  });
}

void TrussPeeling::run() {
  fill_lists();
  count_triangles();
  team_.run([&](int t) {
    const auto [first, end] = team_.share(t, edges(), 64);
    threads_[t].left.resize(end - first);
    std::iota(threads_[t].left.begin(), threads_[t].left.end(), static_cast<EdgeNumber>(first));
    for (std::size_t e = first; e < end; ++e) state_[e] = State::left;
  });
  std::size_t left = edges(), removed = 0;  // removed, but still in the lists
  for (Local level = 0; left > 0; ++level) {
    scan(level);
    if (current_.empty()) {
      for (const Thread& thread : threads_)
        level = &thread == &threads_[0] ? thread.least : std::min(level, thread.least);
      scan(level);
    }
    for (; !current_.empty(); current_ = gathered([](Thread& thread) { return &thread.next; })) {
      remove(level);
      left -= current_.size();
      removed += current_.size();
    }
    if (removed * kShareToDrop < left) continue;
    drop_removed();
    removed = 0;
  }
}

// Returns the edges in the lists that take(thread) points to, ascending, and empties the lists.
template <class Take>
std::vector<TrussPeeling::EdgeNumber> TrussPeeling::gathered(Take&& take) {
  std::vector<EdgeNumber> all;
  for (Thread& thread : threads_) {
    std::vector<EdgeNumber>& part = *take(thread);
    all.insert(all.end(), part.begin(), part.end());
    part.clear();
  }
  if (!std::is_sorted(all.begin(), all.end())) std::sort(all.begin(), all.end());
  return all;
}

// Makes the edges at the level current. Each thread looks through its own, and keeps those that are left.
void TrussPeeling::scan(Local level) {
  team_.run([&](int t) {
    Thread& mine = threads_[t];
    mine.least = kNoLevel;
    std::erase_if(mine.left, [&](EdgeNumber e) {
      if (state_[e] == State::removed) return true;
      if (support_[e] <= level) {
        mine.found.push_back(e);
      } else {
        mine.least = std::min(mine.least, support_[e]);
      }
      return false;
    });
  });
  current_ = gathered([](Thread& thread) { return &thread.found; });
}

// Removes the current edges; supports that come down to the level make edges the next ones.
void TrussPeeling::remove(Local level) {
  for (const EdgeNumber e : current_) state_[e] = State::current;
  if (level > 0)
    team_.for_range(current_.size(), kEdgesAtATime,
                    [&](int t, std::size_t a, std::size_t b) { take_away(threads_[t], a, b, level); });
  for (const EdgeNumber e : current_) state_[e] = State::removed;
}

// The edges of current_ from `first` to `end`, group by group of those with the same lower end.
void TrussPeeling::take_away(Thread& mine, std::size_t first, std::size_t end, Local level) {
  while (first < end) {
    const Local low = low_[current_[first]];
    std::size_t last = first, entries = 0;
    for (; last < end && low_[current_[last]] == low; ++last) entries += size_[high_[current_[last]]];
    const std::span<const Entry> of_low = list(low);
    if (entries * kShareToMark >= of_low.size()) {
      for (const auto [w, edge] : of_low) mine.mark[w] = edge + 1;
      for (; first < last; ++first)
        for (const auto [w, edge] : list(high_[current_[first]]))
          if (const EdgeNumber marked = mine.mark[w]; marked > 0)
            take_triangle(mine, current_[first], marked - 1, edge, level);
      for (const auto [w, edge] : of_low) mine.mark[w] = 0;
      continue;
    }
    for (; first < last; ++first) {
      auto at = of_low.begin();
      for (const auto [w, edge] : list(high_[current_[first]])) {
        at = std::lower_bound(at, of_low.end(), w, [](const Entry& entry, Local node) { return entry.node < node; });
        if (at == of_low.end()) break;
        if (at->node == w) take_triangle(mine, current_[first], at->edge, edge, level);
      }
    }
  }
}

// `gone` is current. Of two current edges the one of the lower number takes the triangle from the third.
void TrussPeeling::take_triangle(Thread& mine, EdgeNumber gone, EdgeNumber one, EdgeNumber other, Local level) {
  const State of_one = state_[one], of_other = state_[other];
  if (of_one == State::removed || of_other == State::removed) return;
  if (of_one == State::left && (of_other == State::left || gone < other)) lower(mine, one, level);
  if (of_other == State::left && (of_one == State::left || gone < one)) lower(mine, other, level);
}

void TrussPeeling::lower(Thread& mine, EdgeNumber edge, Local level) {
  const std::atomic_ref<Local> support(support_[edge]);
  Local known = support.load(std::memory_order_relaxed);
  while (known > level)
    if (support.compare_exchange_weak(known, known - 1, std::memory_order_relaxed)) {
      if (known == level + 1) mine.next.push_back(edge);
      return;
    }
}

void TrussPeeling::drop_removed() {
  for_nodes([&](Thread&, Local v) {
    const std::span<Entry> all = list(v);
    size_[v] = static_cast<std::size_t>(
        std::remove_if(all.begin(), all.end(),
                       [&](const Entry& entry) { return state_[entry.edge] == State::removed; }) -
        all.begin());
  });
}

std::size_t TrussPeeling::memory_bytes() const {
  std::size_t bytes = nodes_ * (2 * sizeof(Edge) + sizeof(std::size_t)) + entries_.size() * sizeof(Entry) +
                      edges() * (4 * sizeof(Local) + sizeof(State));
  for (const Thread& thread : threads_)
    bytes += thread.mark.size() * sizeof(EdgeNumber) + thread.left.capacity() * sizeof(EdgeNumber);
  return bytes;
}

}  // namespace atl
