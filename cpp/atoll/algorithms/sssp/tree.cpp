// SPDX-License-Identifier: Apache-2.0
// Builds the tree of shortest paths from the distances. An edge u -> v is tight if dist(u) + w == dist(v). The parent
// of v is the source of a tight edge that is nearer than v. Where weights of 0, or too small to change the sum, leave
// none, a breadth-first search along tight edges between vertices of the same distance begins at those that have a
// parent, so the tree has no cycle.
#include <algorithm>
#include <atoll/algorithms/sssp/edge_weights.hpp>
#include <atoll/algorithms/sssp/tree.hpp>
#include <atoll/engine/mirror_exchange.hpp>

namespace atl {
namespace {

constexpr std::size_t kTreeGrain = 1024;

template <class Real, class Sum>
class ShortestPaths {
 public:
  ShortestPaths(const Graph& graph, Local source, const SsspFound<Sum>& found, bool tree)
      : graph_(graph), in_(graph.in()), weights_("sssp", graph, in_), source_(source), found_(found), tree_(tree) {}

  void write(SsspResult<Real>& result) const;

 private:
  static constexpr Sum kUnreached = kSsspUnreached<Sum>;
  struct alignas(128) Share {  // one thread's
    Vertex reached = 0;
    std::vector<Local> without_parent;
  };

  Sum distance(Local v) const {
    return index(v) < found_.distance.size() ? found_.distance[index(v)] : v == source_ ? Sum(0) : kUnreached;
  }
  bool joins(Local u, Sum weight, Local v) const {
    const Sum before = found_.distance[index(u)];
    return before == found_.distance[index(v)] && before + weight == before;
  }
  template <class F>
  Local first_source(Local v, F&& is_wanted) const;
  Local parent_of(Local v) const;
  template <class Ids>
  void write_one(const Ids& ids, Local v, std::size_t at, Share& share, SsspResult<Real>& result) const;
  void write_all(std::vector<Share>& shares, SsspResult<Real>& result) const;
  void write_listed(Share& share, SsspResult<Real>& result) const;
  void refuse_rounded() const;
  void assign_equal_parents(const std::vector<Local>& without_parent, Vertex on_all_ranks,
                            SsspResult<Real>& result) const;

  const Graph& graph_;
  const Csr& in_;
  const EdgeWeights<Real> weights_;
  const Local source_;
  const SsspFound<Sum>& found_;
  const bool tree_;
};

// The source u of the first edge into v with is_wanted(u, weight); -1 if there is none.
template <class Real, class Sum>
template <class F>
Local ShortestPaths<Real, Sum>::first_source(Local v, F&& is_wanted) const {
  const auto end = static_cast<std::size_t>(in_.offsets[index(v) + 1]);
  for (auto e = static_cast<std::size_t>(in_.offsets[v]); e < end; ++e)
    if (is_wanted(in_.targets[e], static_cast<Sum>(weights_[e]))) return in_.targets[e];
  return -1;
}

// A nearer vertex with a tight edge; -1 if every tight edge comes from a vertex of v's own distance. The recorded
// predecessor qualifies even if its distance has fallen since: the new sum was rounded to the same value, otherwise
// dist(v) would have fallen too.
template <class Real, class Sum>
Local ShortestPaths<Real, Sum>::parent_of(Local v) const {
  const Sum mine = found_.distance[index(v)];
  if (!found_.trace.empty())
    if (const Local predecessor = found_.trace[index(v)].predecessor(mine); predecessor >= 0) return predecessor;
  return first_source(v, [&](Local u, Sum weight) {
    const Sum before = found_.distance[index(u)];
    return before < mine && before + weight == mine;
  });
}

// Writes the entries of v, whose owned index is `at`.
template <class Real, class Sum>
template <class Ids>
void ShortestPaths<Real, Sum>::write_one(const Ids& ids, Local v, std::size_t at, Share& share,
                                         SsspResult<Real>& result) const {
  const Sum mine = distance(v);
  result.distance[at] = mine == kUnreached ? kSsspUnreached<Real> : static_cast<Real>(mine);
  if (tree_) result.parent[at] = kNoVertex;
  if (mine == kUnreached) return;
  ++share.reached;
  if (!tree_) return;
  if (const Local parent = v == source_ ? v : parent_of(v); parent >= 0) {
    result.parent[at] = static_cast<Vertex>(ids[parent]);
  } else {
    share.without_parent.push_back(v);
  }
}

template <class Real, class Sum>
void ShortestPaths<Real, Sum>::write_all(std::vector<Share>& shares, SsspResult<Real>& result) const {
  result.listed.reset();
  graph_.world().team().for_range(index(graph_.owned()), kTreeGrain, [&](int t, std::size_t a, std::size_t b) {
    std::visit(
        [&](const auto& ids) {
          for (std::size_t i = a; i < b; ++i)
            write_one(ids, graph_.local_of(static_cast<Vertex>(i)), i, shares[t], result);
        },
        graph_.id_column());
  });
}

template <class Real, class Sum>
void ShortestPaths<Real, Sum>::write_listed(Share& share, SsspResult<Real>& result) const {
  if (result.listed) {
    for (const Vertex at : *result.listed) {
      result.distance[index(at)] = kSsspUnreached<Real>;
      if (tree_) result.parent[index(at)] = kNoVertex;
    }
  } else {
    graph_.world().team().for_range(result.distance.size(), kTreeGrain, [&](int, std::size_t a, std::size_t b) {
      std::fill(&result.distance[a], result.distance.data() + b, kSsspUnreached<Real>);
      if (tree_) std::fill(&result.parent[a], result.parent.data() + b, kNoVertex);
    });
  }
  result.listed.emplace();
  const auto write = [&](const auto& ids, Local v) {
    const Vertex at = graph_.owned_index_of(v);
    result.listed->push_back(at);
    write_one(ids, v, index(at), share, result);
  };
  std::visit(
      [&](const auto& ids) {
        for (const Local v : *found_.reached) write(ids, v);
        if (source_ >= 0 && index(source_) >= found_.distance.size()) write(ids, source_);  // it has no edges
      },
      graph_.id_column());
}

template <class Real, class Sum>
void ShortestPaths<Real, Sum>::write(SsspResult<Real>& result) const {
  refuse_rounded();
  const auto owned = index(graph_.owned());
  const std::size_t parents = tree_ ? owned : 0;
  if (result.distance.size() != owned || result.parent.size() != parents) {
    result.distance = Array<Real>(owned);
    result.parent = Array<Vertex>(parents);
    result.listed.reset();
  }
  std::vector<Share> shares(static_cast<std::size_t>(graph_.world().team().size()));
  if (found_.reached) {
    write_listed(shares[0], result);
  } else {
    write_all(shares, result);
  }
  struct Counts {
    Vertex reached = 0, without_parent = 0;
  } here;
  std::vector<Local> without_parent;
  for (const Share& share : shares) {
    here.reached += share.reached;
    without_parent.insert(without_parent.end(), share.without_parent.begin(), share.without_parent.end());
  }
  here.without_parent = static_cast<Vertex>(without_parent.size());
  const Counts all = graph_.world().fold(here, [](const Counts& a, const Counts& b) {
    return Counts{a.reached + b.reached, a.without_parent + b.without_parent};
  });
  result.reached = all.reached;
  if (all.without_parent > 0) assign_equal_parents(without_parent, all.without_parent, result);
}

template <class Real, class Sum>
void ShortestPaths<Real, Sum>::refuse_rounded() const {
  if constexpr (std::is_same_v<Sum, std::uint64_t>)
    graph_.world().collective_try([&] {
      const auto refuse = [this](Local v, Vertex owned_index) {
        if (const Sum d = distance(v); d != kUnreached)
          check(static_cast<Sum>(static_cast<Real>(d)) == d,
                "sssp: {}: the shortest path to {} is {} long (float64 does not hold every whole number beyond 2^53). "
                "Scale the weights down.",
                graph_.name(), graph_.ids().id_of(owned_index), d);
      };
      if (found_.reached) {
        for (const Local v : *found_.reached) refuse(v, graph_.owned_index_of(v));
      } else {
        for (Vertex i = 0; i < graph_.owned(); ++i) refuse(graph_.local_of(i), i);
      }
    });
}

// Each rank searches along the edges that join equal distances until its queue is empty; then masters tell their
// mirrors that they have a parent, and the search goes on from these.
template <class Real, class Sum>
void ShortestPaths<Real, Sum>::assign_equal_parents(const std::vector<Local>& without_parent, Vertex on_all_ranks,
                                                    SsspResult<Real>& result) const {
  World& world = graph_.world();
  const std::size_t locals = index(graph_.locals());
  Array<char> has_parent(locals, 1);
  VertexBits changed(locals);
  for (const Local v : without_parent) {
    has_parent[v] = 0;
    changed.set_unsynchronized(index(v));
  }
  std::optional<MirrorExchange<char, MinOf>> exchange;
  if (world.size() > 1) {
    exchange.emplace(graph_);
    exchange->broadcast({has_parent.data(), locals}, changed);
    changed.clear();
  }
  const auto for_joined = [&](auto&& f) {  // f(u, v) for each such edge into a vertex that had no parent at first
    for (const Local v : without_parent)
      first_source(v, [&](Local u, Sum weight) {
        if (joins(u, weight, v)) f(u, v);
        return false;
      });
  };
  std::vector<Local> queue, waiting;  // waiting: mirrors without a parent
  Array<Edge> end(locals + 1, 0);     // [u + 1] the end of u's part of `targets`
  for_joined([&](Local u, Local) {
    if (++end[index(u) + 1] > 1) return;
    if (has_parent[u] != 0) {
      queue.push_back(u);
    } else if (exchange && u >= graph_.mirrors().begin[0]) {
      waiting.push_back(u);
    }
  });
  Edge sum = 0;
  for (Edge& at : end) at = std::exchange(sum, sum + at);
  Array<Local> targets(static_cast<std::size_t>(sum));
  for_joined([&](Local u, Local v) { targets[end[index(u) + 1]++] = v; });

  auto left = static_cast<Vertex>(without_parent.size());
  for (Vertex before = on_all_ranks; before > 0;) {
    for (std::size_t i = 0; i < queue.size(); ++i) {
      const Local u = queue[i];
      for (Edge e = end[u]; e < end[index(u) + 1]; ++e) {
        const Local v = targets[e];
        if (std::exchange(has_parent[v], 1) != 0) continue;
        result.parent[graph_.owned_index_of(v)] = graph_.id_of(u);
        changed.set_unsynchronized(index(v));
        queue.push_back(v);
        --left;
      }
    }
    queue.clear();
    const Vertex now = world.sum(left);
    check(now < before, "sssp: {}: a distance is made by no edge (a fault of this program). Report it.", graph_.name());
    before = now;
    if (now == 0 || !exchange) continue;
    exchange->broadcast({has_parent.data(), locals}, changed);
    changed.clear();
    const auto ready = std::partition(waiting.begin(), waiting.end(), [&](Local u) { return has_parent[u] == 0; });
    queue.assign(ready, waiting.end());
    waiting.erase(ready, waiting.end());
  }
}

}  // namespace

template <class Real, class Sum>
void write_paths(const Graph& graph, Local source, const SsspFound<Sum>& found, bool tree, SsspResult<Real>& result) {
  ShortestPaths<Real, Sum>(graph, source, found, tree).write(result);
}

template void write_paths(const Graph&, Local, const SsspFound<float>&, bool, SsspResult<float>&);
template void write_paths(const Graph&, Local, const SsspFound<double>&, bool, SsspResult<double>&);
template void write_paths(const Graph&, Local, const SsspFound<std::uint32_t>&, bool, SsspResult<double>&);
template void write_paths(const Graph&, Local, const SsspFound<std::uint64_t>&, bool, SsspResult<double>&);

}  // namespace atl
