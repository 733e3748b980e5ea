// SPDX-License-Identifier: Apache-2.0
// Similarity of pairs by what two ascending lists have in common. On one rank these are the graph's own; over ranks the
// owners of the ends send theirs, as dense numbers, some pairs at a time. Contributions of common neighbours are added up from
// the least on: equal ones are alike, so the sum does not depend on the order of the lists.
#include <algorithm>
#include <atoll/algorithms/similarity/common_neighbours.hpp>
#include <atoll/algorithms/similarity/neighbour_counts.hpp>
#include <atoll/algorithms/similarity/pair_similarity.hpp>
#include <atoll/engine/fetch_values.hpp>
#include <atoll/graph/id_order.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <tuple>

namespace atl {
namespace {

constexpr std::size_t kPairGrain = 256;

std::vector<Vertex> distinct(std::vector<Vertex> values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
  return values;
}

std::size_t position_in(const std::vector<Vertex>& ascending, Vertex value) {
  return static_cast<std::size_t>(std::lower_bound(ascending.begin(), ascending.end(), value) - ascending.begin());
}

// The dense numbers of vertices by original id. Collective; InputError, the same on all ranks, that names an id which no
// vertex has.
class DenseNumbers {
 public:
  DenseNumbers(const Graph& graph, std::span<const Vertex> source, std::span<const Vertex> target) {
    std::vector<Vertex> all(source.begin(), source.end());
    all.insert(all.end(), target.begin(), target.end());
    ids_ = distinct(std::move(all));
    World& world = graph.world();
    const IdOrder order(world, graph.ids());
    std::vector<std::vector<Vertex>> asked(static_cast<std::size_t>(world.size())), answers(asked.size());
    for (const Vertex id : ids_) asked[std::max<Rank>(order.rank_of(id), 0)].push_back(id);
    const auto wanted = world.exchange(std::move(asked));
    for (std::size_t r = 0; r < wanted.size(); ++r)
      for (const Vertex id : wanted[r]) {
        const Vertex k = order.find_here(id);
        answers[r].push_back(k < 0 ? kNoVertex : order.dense_at(k));
      }
    for (const auto& part : world.exchange(std::move(answers))) dense_.insert(dense_.end(), part.begin(), part.end());
    const auto none = std::ranges::find(dense_, kNoVertex);
    const Vertex unknown = none == dense_.end() ? kNoVertex : ids_[static_cast<std::size_t>(none - dense_.begin())];
    world.agree(unknown == kNoVertex,
                fmt::format("a pair has vertex {} (no vertex of {} has that id). Correct it.", unknown, graph.name()));
  }
  Vertex operator()(Vertex id) const { return dense_[position_in(ids_, id)]; }

 private:
  std::vector<Vertex> ids_, dense_;  // ascending ids, and theirs
};

}  // namespace

class PairSimilarity::Lists {
 public:
  explicit Lists(const Graph& graph)
      : graph_(graph), world_(graph.world()), team_(world_.team()), counts_(graph), dense_(dense_numbers(graph)) {}

  void run(Similarity measure, std::span<const Vertex> source, std::span<const Vertex> target, Array<double>& values);
  std::size_t memory_bytes() const { return counts_.memory_bytes() + dense_.capacity() * sizeof(Vertex); }

 private:
  struct Ends {
    Vertex u, v;  // dense numbers
    Edge neighbours_of_u, neighbours_of_v;
  };
  // Lists of some vertices, fetched from their owners: for each its neighbours as ascending dense numbers and, if
  // common neighbours are weighted, how many vertices have each of them.
  struct Fetched {
    std::vector<Vertex> vertices;  // ascending
    std::vector<std::size_t> begin;
    std::vector<Vertex> neighbours;
    std::vector<Edge> followers;
    std::span<const Vertex> of(Vertex v) const {
      const std::size_t at = position_in(vertices, v);
      return std::span(neighbours).subspan(begin[at], begin[at + 1] - begin[at]);
    }
  };

  Local local_of(Vertex dense) const { return graph_.local_of(dense - graph_.blocks().begin(world_.rank())); }
  std::vector<Ends> ends_of(std::span<const Vertex> source, std::span<const Vertex> target) const;
  void compare_here(Similarity measure, const std::vector<Ends>& pairs, Array<double>& values) const;
  void compare_fetched(Similarity measure, std::span<const Ends> pairs, double* values) const;
  Fetched fetch(Similarity measure, std::span<const Ends> pairs) const;
  std::vector<Vertex> message_of(const std::vector<Vertex>& wanted, bool weighted) const;

  const Graph& graph_;
  World& world_;
  Team& team_;
  const NeighbourCounts counts_;
  const std::vector<Vertex> dense_;  // [local]
};

std::vector<PairSimilarity::Lists::Ends> PairSimilarity::Lists::ends_of(std::span<const Vertex> source,
                                                                        std::span<const Vertex> target) const {
  const DenseNumbers dense(graph_, source, target);
  std::vector<Vertex> ends;
  for (std::size_t i = 0; i < source.size(); ++i) {
    ends.push_back(dense(source[i]));
    ends.push_back(dense(target[i]));
  }
  const auto neighbours =
      fetch_values<Edge>(world_, graph_.blocks(), ends, [&](Vertex v) { return counts_.neighbours(local_of(v)); });
  std::vector<Ends> pairs;
  for (std::size_t i = 0; i < ends.size(); i += 2)
    pairs.push_back({ends[i], ends[i + 1], neighbours[i], neighbours[i + 1]});
  return pairs;
}

void PairSimilarity::Lists::run(Similarity measure, std::span<const Vertex> source, std::span<const Vertex> target,
                                Array<double>& values) {
  world_.agree(source.size() == target.size(),
               fmt::format("{} sources and {} targets were given (a pair has one of each). Give as many.",
                           source.size(), target.size()));
  const std::vector<Ends> pairs = ends_of(source, target);
  if (values.size() != pairs.size()) values = Array<double>(pairs.size());
  if (measure == Similarity::preferential_attachment) {
    for (std::size_t i = 0; i < pairs.size(); ++i)
      values[i] = similarity_of(measure, 0, pairs[i].neighbours_of_u, pairs[i].neighbours_of_v);
    return;
  }
  if (world_.size() == 1) return compare_here(measure, pairs, values);
  for (std::size_t a = 0; world_.any(a < pairs.size());) {
    std::size_t b = a;
    for (Edge entries = 0; b < pairs.size(); ++b) {
      entries += pairs[b].neighbours_of_u + pairs[b].neighbours_of_v;
      if (b > a && entries > kFetchedEntries) break;
    }
    compare_fetched(measure, std::span(pairs).subspan(a, b - a), values.data() + a);
    a = b;
  }
}

// Pairs are taken by the end with more neighbours: these are marked once for all of its pairs in a row, and the other
// end's list is searched for marks.
void PairSimilarity::Lists::compare_here(Similarity measure, const std::vector<Ends>& pairs,
                                         Array<double>& values) const {
  struct Task {
    Local marked, searched;
    std::size_t pair;
  };
  std::vector<Task> tasks(pairs.size());
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const Local u = local_of(pairs[i].u), v = local_of(pairs[i].v);
    const bool is_u_larger = pairs[i].neighbours_of_u >= pairs[i].neighbours_of_v;
    tasks[i] = {is_u_larger ? u : v, is_u_larger ? v : u, i};
  }
  std::sort(tasks.begin(), tasks.end(),
            [](const Task& a, const Task& b) { return std::tie(a.marked, a.pair) < std::tie(b.marked, b.pair); });
  std::vector<Array<std::uint8_t>> marks(static_cast<std::size_t>(team_.size()));
  team_.for_range(tasks.size(), kPairGrain, [&](int thread, std::size_t a, std::size_t b) {
    Array<std::uint8_t>& is_marked = marks[thread];
    if (is_marked.empty()) is_marked = Array<std::uint8_t>(index(graph_.locals()), 0);
    const auto mark = [&](Local u, std::uint8_t value) {
      for (const Local w : graph_.out().neighbours(u)) is_marked[w] = value;
      is_marked[u] = 0;  // a loop is no neighbour
    };
    CommonNeighbours common(measure);
    for (std::size_t i = a; i < b; ++i) {
      const auto [u, v, at] = tasks[i];
      const bool is_first = i == a || tasks[i - 1].marked != u, is_last = i + 1 == b || tasks[i + 1].marked != u;
      common.clear();
      if (is_first && is_last) {
        const auto list = graph_.out().neighbours(u);
        for_common(list, graph_.out().neighbours(v), [&](std::size_t k) {
          if (list[k] != u && list[k] != v) common.add(counts_.followers(list[k]));
        });
      } else {
        if (is_first) mark(u, 1);
        for_distinct_neighbours(graph_.out(), v, [&](Local w) {
          if (is_marked[w]) common.add(counts_.followers(w));
        });
        if (is_last) mark(u, 0);
      }
      values[at] = similarity_of(measure, common.sum(), pairs[at].neighbours_of_u, pairs[at].neighbours_of_v);
    }
  });
}

void PairSimilarity::Lists::compare_fetched(Similarity measure, std::span<const Ends> pairs, double* values) const {
  const Fetched lists = fetch(measure, pairs);
  team_.for_range(pairs.size(), kPairGrain, [&](int, std::size_t a, std::size_t b) {
    CommonNeighbours common(measure);
    for (std::size_t i = a; i < b; ++i) {
      const std::span<const Vertex> of_u = lists.of(pairs[i].u);
      const std::size_t first = static_cast<std::size_t>(of_u.data() - lists.neighbours.data());
      common.clear();
      for_common(of_u, lists.of(pairs[i].v),
                 [&](std::size_t at) { common.add(lists.followers.empty() ? 0 : lists.followers[first + at]); });
      values[i] = similarity_of(measure, common.sum(), pairs[i].neighbours_of_u, pairs[i].neighbours_of_v);
    }
  });
}

PairSimilarity::Lists::Fetched PairSimilarity::Lists::fetch(Similarity measure, std::span<const Ends> pairs) const {
  std::vector<Vertex> ends;
  for (const Ends& pair : pairs) ends.insert(ends.end(), {pair.u, pair.v});
  Fetched lists;
  lists.vertices = distinct(std::move(ends));
  std::vector<std::vector<Vertex>> asked(static_cast<std::size_t>(world_.size())), answers;
  for (const Vertex v : lists.vertices) asked[graph_.blocks().owner(v)].push_back(v);
  for (const auto& wanted : world_.exchange(std::move(asked)))
    answers.push_back(message_of(wanted, is_weighted(measure)));
  lists.begin.push_back(0);
  for (const std::vector<Vertex>& message : world_.exchange(std::move(answers)))
    for (auto p = message.begin(); p != message.end();) {
      const auto length = static_cast<std::ptrdiff_t>(*p++);
      lists.neighbours.insert(lists.neighbours.end(), p, p + length);
      p += length;
      if (is_weighted(measure)) {
        lists.followers.insert(lists.followers.end(), p, p + length);
        p += length;
      }
      lists.begin.push_back(lists.neighbours.size());
    }
  return lists;
}

// For each vertex that is wanted of this rank, in the order of `wanted`: how many neighbours it has, their dense numbers,
// and how many vertices have each.
std::vector<Vertex> PairSimilarity::Lists::message_of(const std::vector<Vertex>& wanted, bool weighted) const {
  struct Neighbour {
    Vertex dense;
    Edge followers;
  };
  std::vector<Vertex> message;
  std::vector<Neighbour> list;
  for (const Vertex vertex : wanted) {
    list.clear();
    for_distinct_neighbours(graph_.out(), local_of(vertex),
                            [&](Local u) { list.push_back({dense_[u], counts_.followers(u)}); });
    std::ranges::sort(list, {}, &Neighbour::dense);
    message.push_back(static_cast<Vertex>(list.size()));
    for (const Neighbour& one : list) message.push_back(one.dense);
    if (!weighted) continue;
    for (const Neighbour& one : list) message.push_back(one.followers);
  }
  return message;
}

PairSimilarity::PairSimilarity(const Graph& graph) : lists_(std::make_unique<Lists>(graph)) {}
PairSimilarity::~PairSimilarity() = default;

void PairSimilarity::run(Similarity measure, std::span<const Vertex> source, std::span<const Vertex> target,
                         Array<double>& values) {
  lists_->run(measure, source, target, values);
}

std::size_t PairSimilarity::memory_bytes() const { return lists_->memory_bytes(); }

}  // namespace atl
