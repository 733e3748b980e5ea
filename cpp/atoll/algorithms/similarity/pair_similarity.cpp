// SPDX-License-Identifier: Apache-2.0
// Similarity of pairs by what two ascending lists have in common. The owner of the end with more neighbours, the larger
// one, compares: it has that list, and gets the other one from its owner, once for all pairs of a batch. The neighbours
// of the larger end are marked, and the others' looked up. Contributions of common neighbours are added up from the
// least on: equal ones are alike, so the sum does not depend on the order of the lists.
#include <algorithm>
#include <atoll/algorithms/similarity/common_neighbours.hpp>
#include <atoll/algorithms/similarity/neighbour_counts.hpp>
#include <atoll/algorithms/similarity/pair_similarity.hpp>
#include <atoll/engine/fetch_values.hpp>
#include <atoll/engine/halo/row_index.hpp>
#include <atoll/engine/vertex_bits.hpp>
#include <atoll/graph/id_order.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <tuple>

namespace atl {
namespace {

constexpr std::size_t kPairGrain = 256;
// Marks pay where the other ends' lists have this part of the larger one's entries.
constexpr std::size_t kEntriesToMark = 16;

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
  DenseNumbers(const Graph& graph, const IdOrder& order, std::span<const Vertex> source,
               std::span<const Vertex> target) {
    std::vector<Vertex> all(source.begin(), source.end());
    all.insert(all.end(), target.begin(), target.end());
    ids_ = distinct(std::move(all));
    World& world = graph.world();
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
      : graph_(graph),
        world_(graph.world()),
        team_(world_.team()),
        counts_(graph),
        order_(world_, graph.ids()),
        dense_(dense_numbers(graph)) {
    const Vertex numbers = std::max(static_cast<Vertex>(graph.locals()), graph.blocks().count());
    for (int thread = 0; thread < team_.size(); ++thread) marks_.emplace_back(static_cast<std::size_t>(numbers));
    if (world_.size() > 1) index_mirrors();
  }

  void run(Similarity measure, std::span<const Vertex> source, std::span<const Vertex> target, Array<double>& values);
  std::size_t memory_bytes() const {
    std::size_t bytes = counts_.memory_bytes() + dense_.capacity() * sizeof(Vertex) + mirrors_.memory_bytes() +
                        mirror_.size() * sizeof(Local);
    for (const VertexBits& marks : marks_) bytes += marks.words() * sizeof(std::uint64_t);
    return bytes;
  }

 private:
  // By dense numbers; the larger end has no fewer neighbours than the other.
  struct Pair {
    Vertex larger, other;
    Edge neighbours_of_larger, neighbours_of_other;
  };
  // A pair, and the list of its other end: by local numbers if this rank owns it, by dense ones if it was fetched.
  template <class Number>
  struct Task {
    Local larger;
    Number other;
    std::span<const Number> list;
    std::size_t pair;
  };
  // Neighbours of vertices that others own, each once, by dense numbers.
  struct Fetched {
    std::vector<std::size_t> begin{0};
    std::vector<Vertex> neighbours;
    std::span<const Vertex> operator[](std::size_t k) const {
      return std::span(neighbours).subspan(begin[k], begin[k + 1] - begin[k]);
    }
  };

  Rank owner(Vertex dense) const { return graph_.blocks().owner(dense); }
  Local master(Vertex dense) const { return graph_.local_of(dense - graph_.blocks().begin(world_.rank())); }
  Local local_if_known(Local v) const { return v; }
  Local local_if_known(Vertex dense) const;
  Local number(Local v, Local) const { return v; }
  Vertex number(Local v, Vertex) const { return dense_[v]; }
  void index_mirrors();
  std::vector<Pair> pairs_of(std::span<const Vertex> source, std::span<const Vertex> target) const;
  std::vector<double> compare_here(Similarity measure, std::span<const Pair> pairs);
  template <class Number>
  void compare(Similarity measure, std::span<const Pair> pairs, std::vector<Task<Number>>& tasks, double* values);
  template <class Number>
  void compare_group(std::span<const Task<Number>> tasks, std::span<const Pair> pairs, VertexBits& marks,
                     CommonNeighbours& common, Similarity measure, double* values) const;
  template <class Number>
  bool is_neighbour(std::span<const Local> list, Local larger, Number w) const;
  Fetched fetch(const std::vector<Vertex>& wanted) const;
  std::vector<Vertex> message_of(const std::vector<Vertex>& wanted) const;

  const Graph& graph_;
  World& world_;
  Team& team_;
  const NeighbourCounts counts_;
  const IdOrder order_;
  const std::vector<Vertex> dense_;  // [local]
  RowIndex mirrors_;                 // their dense numbers
  Array<Local> mirror_;              // [position in mirrors_] local number
  std::vector<VertexBits> marks_;    // [thread] of neighbours of the larger end, by local or dense numbers
};

void PairSimilarity::Lists::index_mirrors() {
  const Mirrors& mirrors = graph_.mirrors();
  std::vector<Vertex> dense;
  std::vector<Local> locals;
  for (std::size_t r = 0; r < mirrors.count.size(); ++r)
    for (Local m = mirrors.begin[r]; m < mirrors.begin[r] + mirrors.count[r]; ++m) {
      dense.push_back(dense_[m]);
      locals.push_back(m);
    }
  mirrors_ = RowIndex(team_, graph_.blocks().count(), dense, {0, 0}, world_.plan().replicated_bytes);
  mirror_ = Array<Local>(dense.size());
  for (std::size_t k = 0; k < dense.size(); ++k) mirror_[mirrors_.position(dense[k])] = locals[k];
}

// -1 if no edge of this rank's vertices leads there, nor is it one of them.
Local PairSimilarity::Lists::local_if_known(Vertex dense) const {
  if (owner(dense) == world_.rank()) return master(dense);
  const std::size_t at = mirrors_.position(dense);
  return at < mirror_.size() && mirrors_.rows()[at] == dense ? mirror_[at] : -1;
}

// A neighbour of the larger end is a local vertex.
template <class Number>
bool PairSimilarity::Lists::is_neighbour(std::span<const Local> list, Local larger, Number w) const {
  const Local v = local_if_known(w);
  return v >= 0 && v != larger && std::binary_search(list.begin(), list.end(), v);
}

std::vector<PairSimilarity::Lists::Pair> PairSimilarity::Lists::pairs_of(std::span<const Vertex> source,
                                                                         std::span<const Vertex> target) const {
  const DenseNumbers dense(graph_, order_, source, target);
  std::vector<Vertex> ends;
  ends.reserve(2 * source.size());
  for (std::size_t i = 0; i < source.size(); ++i) {
    ends.push_back(dense(source[i]));
    ends.push_back(dense(target[i]));
  }
  const auto neighbours =
      fetch_values<Edge>(world_, graph_.blocks(), ends, [&](Vertex v) { return counts_.neighbours(master(v)); });
  std::vector<Pair> pairs;
  pairs.reserve(source.size());
  for (std::size_t i = 0; i < ends.size(); i += 2) {
    Pair pair{ends[i], ends[i + 1], neighbours[i], neighbours[i + 1]};
    if (pair.neighbours_of_larger < pair.neighbours_of_other) {
      std::swap(pair.larger, pair.other);
      std::swap(pair.neighbours_of_larger, pair.neighbours_of_other);
    }
    pairs.push_back(pair);
  }
  return pairs;
}

void PairSimilarity::Lists::run(Similarity measure, std::span<const Vertex> source, std::span<const Vertex> target,
                                Array<double>& values) {
  world_.agree(source.size() == target.size(),
               fmt::format("{} sources and {} targets were given (a pair has one of each). Give as many.",
                           source.size(), target.size()));
  const std::vector<Pair> pairs = pairs_of(source, target);
  if (values.size() != pairs.size()) values = Array<double>(pairs.size());
  if (measure == Similarity::preferential_attachment) {
    for (std::size_t i = 0; i < pairs.size(); ++i)
      values[i] = similarity_of(measure, 0, pairs[i].neighbours_of_larger, pairs[i].neighbours_of_other);
    return;
  }
  if (world_.size() == 1) {
    std::ranges::copy(compare_here(measure, pairs), values.begin());
    return;
  }
  const auto ranks = static_cast<std::size_t>(world_.size());
  std::vector<std::vector<Pair>> outgoing(ranks);
  std::vector<std::vector<std::size_t>> sent(ranks);  // [rank] which pairs
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const auto home = static_cast<std::size_t>(owner(pairs[i].larger));
    outgoing[home].push_back(pairs[i]);
    sent[home].push_back(i);
  }
  std::vector<Pair> here;
  std::vector<std::vector<double>> answers(ranks);
  std::vector<std::size_t> begins;
  for (const auto& part : world_.exchange(std::move(outgoing))) {
    begins.push_back(here.size());
    here.insert(here.end(), part.begin(), part.end());
  }
  begins.push_back(here.size());
  const std::vector<double> found = compare_here(measure, here);
  for (std::size_t r = 0; r < ranks; ++r)
    answers[r].assign(found.begin() + static_cast<std::ptrdiff_t>(begins[r]),
                      found.begin() + static_cast<std::ptrdiff_t>(begins[r + 1]));
  const auto came = world_.exchange(std::move(answers));
  for (std::size_t r = 0; r < ranks; ++r)
    for (std::size_t k = 0; k < sent[r].size(); ++k) values[sent[r][k]] = came[r][k];
}

// Values of pairs whose larger end is here. Collective.
std::vector<double> PairSimilarity::Lists::compare_here(Similarity measure, std::span<const Pair> pairs) {
  std::vector<double> values(pairs.size());
  std::vector<Task<Local>> tasks;
  std::vector<std::size_t> remote;
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    if (owner(pairs[i].other) != world_.rank()) {
      remote.push_back(i);
      continue;
    }
    const Local other = master(pairs[i].other);
    tasks.push_back({master(pairs[i].larger), other, graph_.out().neighbours(other), i});
  }
  compare(measure, pairs, tasks, values.data());
  if (world_.size() == 1) return values;
  std::ranges::sort(remote, {}, [&](std::size_t i) { return pairs[i].other; });
  for (std::size_t a = 0; world_.any(a < remote.size());) {
    std::vector<Vertex> wanted;
    std::vector<std::size_t> list;  // [pair of the batch] which of those wanted
    Edge entries = 0;
    std::size_t b = a;
    for (; b < remote.size(); ++b) {
      const Pair& pair = pairs[remote[b]];
      if (wanted.empty() || wanted.back() != pair.other) {
        entries += pair.neighbours_of_other;
        if (b > a && entries > kFetchedEntries) break;
        wanted.push_back(pair.other);
      }
      list.push_back(wanted.size() - 1);
    }
    const Fetched lists = fetch(wanted);
    std::vector<Task<Vertex>> of_fetched;
    for (std::size_t k = a; k < b; ++k) {
      const Pair& pair = pairs[remote[k]];
      of_fetched.push_back({master(pair.larger), pair.other, lists[list[k - a]], remote[k]});
    }
    compare(measure, pairs, of_fetched, values.data());
    a = b;
  }
  return values;
}

template <class Number>
void PairSimilarity::Lists::compare(Similarity measure, std::span<const Pair> pairs, std::vector<Task<Number>>& tasks,
                                    double* values) {
  std::sort(tasks.begin(), tasks.end(), [](const Task<Number>& a, const Task<Number>& b) {
    return std::tie(a.larger, a.pair) < std::tie(b.larger, b.pair);
  });
  team_.for_range(tasks.size(), kPairGrain, [&](int thread, std::size_t a, std::size_t b) {
    CommonNeighbours common(measure);
    while (a < b) {
      std::size_t end = a + 1;
      while (end < b && tasks[end].larger == tasks[a].larger) ++end;
      compare_group(std::span<const Task<Number>>(tasks).subspan(a, end - a), pairs, marks_[thread], common, measure,
                    values);
      a = end;
    }
  });
}

// Pairs of one larger end. Where the other ends' lists are short, they are searched for in its list.
template <class Number>
void PairSimilarity::Lists::compare_group(std::span<const Task<Number>> tasks, std::span<const Pair> pairs,
                                          VertexBits& marks, CommonNeighbours& common, Similarity measure,
                                          double* values) const {
  const Local larger = tasks[0].larger;
  const std::span<const Local> of_larger = graph_.out().neighbours(larger);
  std::size_t entries = 0;
  for (const Task<Number>& task : tasks) entries += task.list.size();
  const bool is_marked = entries * kEntriesToMark >= of_larger.size();
  const auto mark_of = [&](Local w) { return static_cast<std::size_t>(number(w, Number{})); };
  if (is_marked)
    for (const Local w : of_larger)
      if (w != larger) marks.set_unsynchronized(mark_of(w));  // a loop is no neighbour
  for (const Task<Number>& task : tasks) {
    common.clear();
    Number before = task.other;  // nor is one of the other end's
    for (const Number w : task.list) {
      if (w == before || w == task.other) continue;
      before = w;
      if (is_marked ? marks.test(static_cast<std::size_t>(w)) : is_neighbour(of_larger, larger, w))
        common.add(is_weighted(measure) ? counts_.followers(local_if_known(w)) : 0);
    }
    const Pair& pair = pairs[task.pair];
    values[task.pair] = similarity_of(measure, common.sum(), pair.neighbours_of_larger, pair.neighbours_of_other);
  }
  if (is_marked)
    for (const Local w : of_larger) marks.reset_unsynchronized(mark_of(w));
}

PairSimilarity::Lists::Fetched PairSimilarity::Lists::fetch(const std::vector<Vertex>& wanted) const {
  std::vector<std::vector<Vertex>> asked(static_cast<std::size_t>(world_.size())), answers;
  for (const Vertex v : wanted) asked[owner(v)].push_back(v);
  for (const auto& of_rank : world_.exchange(std::move(asked))) answers.push_back(message_of(of_rank));
  Fetched lists;
  for (const std::vector<Vertex>& message : world_.exchange(std::move(answers)))
    for (auto p = message.begin(); p != message.end();) {
      const auto begin = p + 1;
      p = begin + static_cast<std::ptrdiff_t>(*p);
      lists.neighbours.insert(lists.neighbours.end(), begin, p);
      lists.begin.push_back(lists.neighbours.size());
    }
  return lists;
}

// For each vertex that is wanted of this rank, in the order of `wanted`: how many neighbours it has, and their dense
// numbers.
std::vector<Vertex> PairSimilarity::Lists::message_of(const std::vector<Vertex>& wanted) const {
  std::vector<Vertex> message;
  for (const Vertex vertex : wanted) {
    const Local v = master(vertex);
    message.push_back(counts_.neighbours(v));
    for_distinct_neighbours(graph_.out(), v, [&](Local u) { message.push_back(dense_[u]); });
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
