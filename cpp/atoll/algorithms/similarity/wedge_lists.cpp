// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/algorithms/similarity/wedge_lists.hpp>
#include <atoll/engine/fetch_values.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <limits>
#include <numeric>

namespace atl {
namespace {

constexpr std::size_t kListGrain = 256;

}  // namespace

// The followers of mirrors, which their owners have sent, as dense numbers; and the dense number of each local vertex.
struct WedgeLists::MirrorRows {
  explicit MirrorRows(const Graph& graph) : dense(dense_numbers(graph)), first_mirror(graph.mirrors().begin[0]) {
    World& world = graph.world();
    if (world.size() == 1) return;
    begin.assign(dense.size() - index(first_mirror) + 1, 0);
    const auto masters = known_masters(graph.mirrors());
    std::vector<std::vector<Vertex>> lengths(masters.size()), entries(masters.size());
    for (std::size_t r = 0; r < masters.size(); ++r)
      for (const Local w : masters[r]) {
        const std::size_t before = entries[r].size();
        for_distinct_neighbours(graph.in(), w, [&](Local v) { entries[r].push_back(dense[v]); });
        lengths[r].push_back(static_cast<Vertex>(entries[r].size() - before));
      }
    const auto length_of = world.exchange(std::move(lengths));
    for (std::size_t r = 0; r < length_of.size(); ++r)
      for (std::size_t k = 0; k < length_of[r].size(); ++k)
        begin[index(graph.mirrors().begin[r] - first_mirror) + k + 1] = static_cast<std::size_t>(length_of[r][k]);
    std::partial_sum(begin.begin(), begin.end(), begin.begin());
    followers.reserve(begin.back());
    // Mirrors are grouped by owner in the order of ranks, so the rows follow each other.
    for (const auto& part : world.exchange(std::move(entries)))
      followers.insert(followers.end(), part.begin(), part.end());
  }

  std::span<const Vertex> of(Local mirror) const {
    const std::size_t at = index(mirror - first_mirror);
    return std::span(followers).subspan(begin[at], begin[at + 1] - begin[at]);
  }

  std::vector<Vertex> dense;  // [local]
  Local first_mirror;
  std::vector<std::size_t> begin;  // [local - first_mirror]
  std::vector<Vertex> followers;
};

WedgeLists::WedgeLists(const Graph& graph) : directed_(graph.directed()) {
  const NeighbourCounts counts(graph);
  const MirrorRows rows(graph);
  number_vertices(graph, counts, rows);
  list_followers(graph, counts, rows);
  if (directed_) list_neighbours(graph, counts);
  known_ = {};
  known_number_ = {};
  local_number_ = {};
}

void WedgeLists::number_vertices(const Graph& graph, const NeighbourCounts& counts, const MirrorRows& rows) {
  struct Known {
    Vertex id;
    Edge degree;
  };
  World& world = graph.world();
  const Vertex begin = graph.blocks().begin(world.rank());
  const auto known_here = [&](Vertex dense) {
    const Local v = graph.local_of(dense - begin);
    return Known{graph.id_of(v), counts.neighbours(v)};
  };
  std::vector<Known> known;
  if (world.size() == 1) {
    for (Vertex k = 0; k < graph.owned(); ++k) known.push_back(known_here(k));
  } else {
    for (const Vertex dense : rows.dense)
      if (dense != kNoVertex) known_.push_back(dense);
    known_.insert(known_.end(), rows.followers.begin(), rows.followers.end());
    std::sort(known_.begin(), known_.end());
    known_.erase(std::unique(known_.begin(), known_.end()), known_.end());
    known = fetch_values<Known>(world, graph.blocks(), known_, known_here);
  }
  world.agree(known.size() < static_cast<std::size_t>(std::numeric_limits<Local>::max()),
              fmt::format("{}: wedges of rank {} reach {} vertices (at most 2^31 - 2 have a number). Use more ranks.",
                          graph.name(), world.rank(), known.size()));
  std::vector<Local> order(known.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](Local a, Local b) {
    const Known &x = known[index(a)], &y = known[index(b)];
    return x.degree != y.degree ? x.degree > y.degree : x.id < y.id;
  });
  known_number_.resize(known.size());
  ids_ = Array<Vertex>(known.size());
  degrees_ = Array<Local>(known.size());
  for (std::size_t number = 0; number < order.size(); ++number) {
    const Known& one = known[index(order[number])];
    known_number_[index(order[number])] = static_cast<Local>(number);
    ids_[number] = one.id;
    degrees_[number] = static_cast<Local>(one.degree);
  }
  local_number_.assign(rows.dense.size(), -1);
  for (std::size_t v = 0; v < local_number_.size(); ++v)
    if (rows.dense[v] != kNoVertex)
      local_number_[v] = world.size() == 1 ? known_number_[index(rows.dense[v])] : number_of_dense(rows.dense[v]);
  for (Vertex k = 0; k < graph.owned(); ++k) numbers_.push_back(local_number_[index(graph.local_of(k))]);
  owned_ = numbers_;
  std::sort(owned_.begin(), owned_.end());
}

Local WedgeLists::number_of_dense(Vertex dense) const {
  return known_number_[static_cast<std::size_t>(std::lower_bound(known_.begin(), known_.end(), dense) -
                                                known_.begin())];
}

void WedgeLists::list_followers(const Graph& graph, const NeighbourCounts& counts, const MirrorRows& rows) {
  const std::size_t locals = local_number_.size();
  followers_.begin = Array<Edge>(size() + 1, 0);
  for (std::size_t w = 0; w < locals; ++w)
    if (local_number_[w] >= 0) followers_.begin[index(local_number_[w]) + 1] = counts.followers(static_cast<Local>(w));
  std::partial_sum(followers_.begin.begin(), followers_.begin.end(), followers_.begin.begin());
  followers_.entries = Array<Local>(static_cast<std::size_t>(followers_.begin[size()]));
  graph.world().team().for_range(locals, kListGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t w = a; w < b; ++w) {
      if (local_number_[w] < 0) continue;
      Local* const first = followers_.entries.data() + followers_.begin[local_number_[w]];
      Local* next = first;
      if (static_cast<Local>(w) < graph.owned()) {
        for_distinct_neighbours(graph.in(), static_cast<Local>(w), [&](Local v) { *next++ = local_number_[index(v)]; });
      } else {
        for (const Vertex dense : rows.of(static_cast<Local>(w))) *next++ = number_of_dense(dense);
      }
      std::sort(first, next);
    }
  });
}

void WedgeLists::list_neighbours(const Graph& graph, const NeighbourCounts& counts) {
  const auto owned = index(graph.owned());
  neighbours_.begin = Array<Edge>(size() + 1, 0);
  for (std::size_t u = 0; u < owned; ++u)
    neighbours_.begin[index(local_number_[u]) + 1] = counts.neighbours(static_cast<Local>(u));
  std::partial_sum(neighbours_.begin.begin(), neighbours_.begin.end(), neighbours_.begin.begin());
  neighbours_.entries = Array<Local>(static_cast<std::size_t>(neighbours_.begin[size()]));
  const auto is_before = [&](Local a, Local b) {
    const std::size_t of_a = followers(a).size(), of_b = followers(b).size();
    return of_a != of_b ? of_a > of_b : a < b;
  };
  graph.world().team().for_range(owned, kListGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t u = a; u < b; ++u) {
      Local* const first = neighbours_.entries.data() + neighbours_.begin[local_number_[u]];
      Local* next = first;
      for_distinct_neighbours(graph.out(), static_cast<Local>(u), [&](Local w) { *next++ = local_number_[index(w)]; });
      std::sort(first, next, is_before);
    }
  });
}

Local WedgeLists::first_below(Edge degree) const {
  return static_cast<Local>(
      std::partition_point(degrees_.begin(), degrees_.end(), [&](Local known) { return known >= degree; }) -
      degrees_.begin());
}

std::size_t WedgeLists::memory_bytes() const {
  return ids_.size() * sizeof(Vertex) + degrees_.size() * sizeof(Local) +
         (owned_.capacity() + numbers_.capacity()) * sizeof(Local) + followers_.memory_bytes() +
         neighbours_.memory_bytes();
}

}  // namespace atl
