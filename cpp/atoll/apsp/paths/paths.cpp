// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/apsp/paths/last_arc.hpp>
#include <atoll/apsp/paths/paths.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <queue>
#include <tuple>
#include <unordered_map>

namespace atl {
template <class T>
const ReplicatedCsr<T>& PathFinder<T>::leaving() const {
  if (!in_.directed) return in_;
  std::call_once(leaving_->once, [&] { leaving_->arcs = in_.reversed(); });
  return leaving_->arcs;
}

template <class T>
void PathFinder<T>::check_asked(Local u, Local v, std::size_t row) const {
  const Vertex n = vertices();
  for (const Local x : {u, v})
    check(x >= 0 && x < n, "{}: there is no vertex {} (its {} vertices count from 0). Give one that exists.", in_.name,
          x, n);
  check(row == static_cast<std::size_t>(n), "{}: a row of {} distances (the graph has {} vertices). Give D's own row.",
        in_.name, row, n);
}

template <class T>
void PathFinder<T>::refuse(Local u, Local v, T distance) const {
  throw InputError(fmt::format(
      "{}: no path from {} to {} is {} long (the distances are not those of these arcs). Compute them again.", in_.name,
      in_.ids[u], in_.ids[v], +distance));
}

/// From v to vertices ever nearer to u; false at a vertex without a nearer one.
template <class T>
bool PathFinder<T>::descend(Local u, Local v, std::span<const T> from_u, std::vector<Local>& out) const {
  while (v != u) {
    const Edge e = last_arc(in_, v, from_u, [](Local) { return true; });
    if (e < 0) return false;
    out.push_back(v = in_.heads[e]);
  }
  return true;
}

/// Searches all arcs that may be the last of a shortest path: minimises the sum of |misses|, then the number of
/// vertices. Each vertex is settled once, so cycles of length 0 end.
template <class T>
bool PathFinder<T>::search(Local u, Local v, std::span<const T> from_u, std::vector<Local>& out) const {
  struct Reached {
    double miss;
    Local hops, vertex, after;
    bool operator>(const Reached& other) const {
      return std::tie(miss, hops, vertex, after) > std::tie(other.miss, other.hops, other.vertex, other.after);
    }
  };
  std::priority_queue<Reached, std::vector<Reached>, std::greater<>> queue;
  std::unordered_map<Local, Local> after;  // [vertex] the next one on the path to v
  for (queue.push({0, 0, v, v}); !queue.empty();) {
    const Reached x = queue.top();
    queue.pop();
    if (!after.emplace(x.vertex, x.after).second) continue;
    if (x.vertex == u) break;
    const T distance = from_u[x.vertex];
    for (auto e = static_cast<std::size_t>(in_.begin(x.vertex)); e < static_cast<std::size_t>(in_.end(x.vertex)); ++e) {
      const Local p = in_.heads[e];
      const T through = from_u[p];
      if (through == kNoPath<T> || after.contains(p)) continue;
      const double scale = std::max(std::abs(static_cast<double>(distance)), std::abs(static_cast<double>(through)));
      const double far = miss(through, in_.weights[e], distance);
      if (far <= kPathSlack<T> * scale) queue.push({x.miss + far, x.hops + 1, p, x.vertex});
    }
  }
  if (!after.contains(u)) return false;
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  for (Local x = u; x != v; x = after[x]) out.push_back(x);
  std::reverse(out.begin() + first, out.end());
  return true;
}

template <class T>
std::size_t PathFinder<T>::append_path(Local u, Local v, std::span<const T> from_u, std::vector<Local>& out) const {
  check_asked(u, v, from_u.size());
  if (from_u[v] == kNoPath<T>) return 0;
  const std::size_t begin = out.size();
  out.push_back(v);
  if (u != v && (in_.has_negative() || !descend(u, v, from_u, out))) {
    out.resize(begin + 1);
    if (!search(u, v, from_u, out)) refuse(u, v, from_u[v]);
  }
  std::reverse(out.begin() + static_cast<std::ptrdiff_t>(begin), out.end());
  return out.size() - begin;
}

template <class T>
std::vector<Local> PathFinder<T>::path(Local u, Local v, std::span<const T> from_u) const {
  std::vector<Local> vertices;
  append_path(u, v, from_u, vertices);
  return vertices;
}

template <class T>
PathSum<T> PathFinder<T>::length(std::span<const Local> path) const {
  Length sum{};
  for (std::size_t i = 0; i + 1 < path.size(); ++i) {
    const auto tails = in_.heads_of(path[i + 1]);
    const auto found = std::lower_bound(tails.begin(), tails.end(), path[i]);
    check(found != tails.end() && *found == path[i], "{}: there is no arc from {} to {}. Give a path of this graph.",
          in_.name, in_.ids[path[i]], in_.ids[path[i + 1]]);
    sum += static_cast<Length>(in_.weights_of(path[i + 1])[found - tails.begin()]);
  }
  return sum;
}

template <class T>
PathList find_paths(Team& team, const PathFinder<T>& finder, MatrixView<const T> d, std::span<const VertexPair> pairs) {
  PathList list;
  list.offsets.assign(pairs.size() + 1, 0);
  // Each thread finds a contiguous range of pairs, and copies its paths once all lengths are known.
  std::vector<std::vector<Local>> found(static_cast<std::size_t>(team.size()));
  team.run([&](int thread) {
    const auto [begin, end] = team.share(thread, pairs.size());
    auto& mine = found[thread];
    for (std::size_t i = begin; i < end; ++i) {
      const auto [u, v] = pairs[i];
      check(u >= 0 && u < d.rows, "There is no vertex {} (D has {} rows). Give one that exists.", u, d.rows);
      list.offsets[i + 1] = static_cast<Edge>(finder.append_path(u, v, d.row(u), mine));
    }
  });
  for (std::size_t i = 0; i < pairs.size(); ++i) list.offsets[i + 1] += list.offsets[i];
  list.vertices.resize(static_cast<std::size_t>(list.offsets.back()));
  team.run([&](int thread) {
    const auto& mine = found[thread];
    const auto begin = team.share(thread, pairs.size()).first;
    std::copy(mine.begin(), mine.end(), list.vertices.begin() + static_cast<std::ptrdiff_t>(list.offsets[begin]));
  });
  return list;
}

#define ATOLL_PATHS(T)                                                                                          \
  template const ReplicatedCsr<T>& PathFinder<T>::leaving() const;                                              \
  template void PathFinder<T>::check_asked(Local, Local, std::size_t) const;                                    \
  template std::size_t PathFinder<T>::append_path(Local, Local, std::span<const T>, std::vector<Local>&) const; \
  template std::vector<Local> PathFinder<T>::path(Local, Local, std::span<const T>) const;                      \
  template PathSum<T> PathFinder<T>::length(std::span<const Local>) const;                                      \
  template PathList find_paths<T>(Team&, const PathFinder<T>&, MatrixView<const T>, std::span<const VertexPair>);
ATOLL_PATHS(float)
ATOLL_PATHS(double)
ATOLL_PATHS(std::int32_t)
ATOLL_PATHS(std::uint16_t)
ATOLL_PATHS(std::uint8_t)
#undef ATOLL_PATHS

}  // namespace atl
