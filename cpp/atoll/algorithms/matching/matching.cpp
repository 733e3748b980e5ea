// SPDX-License-Identifier: Apache-2.0
// Maximal matching by locally dominant edges [1]. A free vertex proposes to the neighbour at the other end of its first
// edge whose ends are free; where two propose to each other, they are matched. Else it waits until that neighbour is.
//
//   in the paper   here                    meaning
//   pointer        a value of 0 or more    the id that the vertex proposes to
//   mate           a value below kNobody   matched(id): the id that it is matched with
//
// A vertex is free until its list of those that wait for it is closed. Over ranks both owners find that two have proposed to
// each other. A proposal stands while the vertex waits, so it is enough to look at those that wait for a vertex whose value
// has come.
//
// [1] F. Manne, R. Bisseling, see the header.
#include <algorithm>
#include <atoll/algorithms/matching/matching.hpp>
#include <atoll/base/random.hpp>
#include <atoll/engine/decision_rounds.hpp>
#include <limits>
#include <numeric>

namespace atl {
namespace {

constexpr Vertex kNobody = -1;
constexpr std::size_t kWordGrain = 4096;

constexpr Vertex matched(Vertex id) { return -2 - id; }
constexpr bool is_matched(Vertex value) { return value < kNobody; }

const Graph& checked_graph(const Graph& graph, EdgeWeighting weighting) {
  check(!graph.directed(), "matching: {} is directed (matchings are of undirected graphs). Read it as undirected.",
        graph.name());
  check(weighting == EdgeWeighting::ones || graph.weighted(),
        "matching: {} has no weights (edges are to be taken by them). Leave weights out.", graph.name());
  check(weighting == EdgeWeighting::ones || !graph.merged_to_least(),
        "matching: parallel edges of {} were merged to the least weight (it takes the greatest). Build the graph with "
        "duplicates max or keep.",
        graph.name());
  return graph;
}

}  // namespace

class Matching::Proposals {
 public:
  Proposals(const Graph& graph, EdgeWeighting weighting)
      : graph_(checked_graph(graph, weighting)),
        world_(graph.world()),
        by_weight_(weighting == EdgeWeighting::of_edges),
        values_(graph),
        word_(index(graph.locals())),
        masters_(index(graph.active())) {
    std::iota(masters_.begin(), masters_.end(), 0);
  }

  void run(const MatchingOptions& options, MatchingResult& result) {
    std::visit(
        [&](const auto& ids) {
          world_.team().for_range(word_.size(), kWordGrain, [&](int, std::size_t a, std::size_t b) {
            for (std::size_t v = a; v < b; ++v) word_[v] = random_at(options.seed, static_cast<std::uint64_t>(ids[v]));
          });
        },
        graph_.id_column());
    values_.start(kNobody);
    values_.run(
        masters_, [&](auto& worker, Local v) { propose(worker, v); },
        [&](auto& worker, Local mirror) { hear(worker, mirror); });
    write(result);
  }
  std::size_t memory_bytes() const {
    return values_.memory_bytes() + word_.size() * sizeof(std::uint64_t) + masters_.capacity() * sizeof(Local);
  }

 private:
  // The place of an edge in the order: heavier ones first, equal ones by the greater hash, which differs for all edges of a
  // vertex.
  struct Rank {
    double weight;
    std::uint64_t hash;
    bool is_before(const Rank& other) const {
      return weight != other.weight ? weight > other.weight : hash > other.hash;
    }
  };
  std::uint64_t hash_of(Local u, Local v) const { return mix64(word_[u] + word_[v]); }

  // The neighbour at the other end of v's first edge to a free vertex; -1 if none is free.
  Local first_free(Local v) const {
    Local best = -1;
    Rank first{0, 0};
    const auto look = [&](Local u, double weight) {
      if (u == v || values_.is_closed(u)) return;
      const Rank here{weight, hash_of(u, v)};
      if (best >= 0 && !here.is_before(first)) return;
      best = u;
      first = here;
    };
    if (by_weight_) {
      graph_.out().for_edges(v, [&](Local u, auto weight) { look(u, static_cast<double>(weight)); });
    } else {
      for (const Local u : graph_.out().neighbours(v)) look(u, 1);
    }
    return best;
  }

  template <class Worker>
  void propose(Worker& worker, Local v) {
    if (is_matched(values_[v])) return;
    const Local u = first_free(v);
    if (u < 0) return;  // and none will be: neighbours stay matched
    const Vertex id = graph_.id_of(u);
    // Another thread may match v as soon as it proposes.
    if (values_[v] != id) worker.set(v, id);
    const Vertex value = values_[u];
    if (value == graph_.id_of(v)) match(worker, v, u);
    if (!is_matched(values_[v])) worker.wait(v, u);
  }

  // Two that have proposed to each other; the other thread that finds it, or the other rank, does the same.
  template <class Worker>
  void match(Worker& worker, Local v, Local u) {
    const Local low = std::min(v, u), high = std::max(v, u);  // mirrors have the higher numbers
    const Vertex low_id = graph_.id_of(low), high_id = graph_.id_of(high);
    if (!worker.replace(low, high_id, matched(high_id))) return;
    if (high < graph_.owned()) worker.set(high, matched(low_id));
    worker.close(low);
    worker.close(high);
  }

  // The value of a mirror has come: it has proposed, or is matched.
  template <class Worker>
  void hear(Worker& worker, Local mirror) {
    const Vertex value = values_[mirror];
    if (value == kNobody) return;
    const Vertex other = is_matched(value) ? matched(value) : value;
    Local partner = -1;
    worker.for_waiting(mirror, [&](Local v) {
      if (graph_.id_of(v) == other) partner = v;
    });
    if (partner >= 0) {
      match(worker, partner, mirror);
    } else if (is_matched(value)) {
      worker.close(mirror);
    }
  }

  void write(MatchingResult& result) const {
    const auto owned = index(graph_.owned());
    if (result.mate.size() != owned) result.mate = Array<Vertex>(owned);
    Vertex ends = 0;
    double weight = 0;  // of both ends
    for (std::size_t k = 0; k < owned; ++k) {
      const Local v = graph_.local_of(static_cast<Vertex>(k));
      const Vertex value = values_[v];
      result.mate[k] = is_matched(value) ? matched(value) : kNoVertex;
      if (!is_matched(value)) continue;
      ++ends;
      weight += by_weight_ ? weight_to(v, matched(value)) : 1;
    }
    result.edges = world_.sum(ends) / 2;
    result.total_weight = world_.sum(weight) / 2;
  }

  // The greatest weight of the edges between v and the vertex with this id.
  double weight_to(Local v, Vertex id) const {
    double greatest = -std::numeric_limits<double>::infinity();
    graph_.out().for_edges(v, [&](Local u, auto weight) {
      if (graph_.id_of(u) == id) greatest = std::max(greatest, static_cast<double>(weight));
    });
    return greatest;
  }

  const Graph& graph_;
  World& world_;
  const bool by_weight_;
  DecisionRounds<Vertex> values_;
  Array<std::uint64_t> word_;   // [local] a hash of its id
  std::vector<Local> masters_;  // with an edge
};

Matching::Matching(const Graph& graph, EdgeWeighting weighting)
    : proposals_(std::make_unique<Proposals>(graph, weighting)) {}
Matching::~Matching() = default;
void Matching::run(const MatchingOptions& options, MatchingResult& result) { proposals_->run(options, result); }
std::size_t Matching::memory_bytes() const { return proposals_->memory_bytes(); }

}  // namespace atl
