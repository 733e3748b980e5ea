// SPDX-License-Identifier: Apache-2.0
// The lexicographically first maximal independent set of a random order. A vertex joins once all neighbours before it are
// out; it is out once a neighbour has joined. Else it waits for the first of the undecided neighbours before it, the one
// that is most likely to join.
#include <atoll/algorithms/independent_set/independent_set.hpp>
#include <atoll/base/random.hpp>
#include <atoll/engine/decision_rounds.hpp>
#include <numeric>

namespace atl {
namespace {

constexpr std::uint8_t kUndecided = 0, kOut = 1, kIn = 2;
constexpr std::size_t kPriorityGrain = 4096;

const Graph& undirected(const Graph& graph) {
  check(!graph.directed(), "mis: {} is directed (independent sets are of undirected graphs). Read it as undirected.",
        graph.name());
  return graph;
}

}  // namespace

class IndependentSet::Selection {
 public:
  explicit Selection(const Graph& graph)
      : graph_(undirected(graph)),
        world_(graph.world()),
        states_(graph),
        priority_(index(graph.locals())),
        masters_(index(graph.active())) {
    std::iota(masters_.begin(), masters_.end(), 0);
  }

  void run(const IndependentSetOptions& options, IndependentSetResult& result) {
    prioritize(options.seed);
    states_.start(kUndecided);
    states_.run(
        masters_, [&](auto& worker, Local v) { examine(worker, v); },
        [&](auto& worker, Local mirror) {
          if (states_[mirror] != kUndecided) worker.close(mirror);
        });
    const auto owned = index(graph_.owned());
    if (result.member.size() != owned) result.member = Array<Vertex>(owned);
    Vertex size = 0;
    for (std::size_t k = 0; k < owned; ++k) {
      const Local v = graph_.local_of(static_cast<Vertex>(k));
      size += result.member[k] = v >= graph_.active() || states_[v] == kIn;
    }
    result.size = world_.sum(size);
  }
  std::size_t memory_bytes() const {
    return states_.memory_bytes() + priority_.size() * sizeof(std::uint64_t) + masters_.capacity() * sizeof(Local);
  }

 private:
  // Ids are hashed one to one, so no two vertices have the same priority.
  void prioritize(std::uint64_t seed) {
    std::visit(
        [&](const auto& ids) {
          world_.team().for_range(priority_.size(), kPriorityGrain, [&](int, std::size_t a, std::size_t b) {
            for (std::size_t v = a; v < b; ++v) priority_[v] = random_at(seed, static_cast<std::uint64_t>(ids[v]));
          });
        },
        graph_.id_column());
  }

  template <class Worker>
  void examine(Worker& worker, Local v) {
    Local first = -1;
    std::uint64_t greatest = priority_[v];
    for (const Local u : graph_.out().neighbours(v)) {
      if (u == v) continue;
      const std::uint8_t state = states_[u];
      if (state == kIn) return worker.decide(v, kOut);
      if (state == kOut || priority_[u] < greatest) continue;
      greatest = priority_[u];
      first = u;
    }
    first < 0 ? worker.decide(v, kIn) : worker.wait(v, first);
  }

  const Graph& graph_;
  World& world_;
  DecisionRounds<std::uint8_t> states_;
  Array<std::uint64_t> priority_;  // [local]
  std::vector<Local> masters_;     // with an edge
};

IndependentSet::IndependentSet(const Graph& graph) : selection_(std::make_unique<Selection>(graph)) {}
IndependentSet::~IndependentSet() = default;
void IndependentSet::run(const IndependentSetOptions& options, IndependentSetResult& result) {
  selection_->run(options, result);
}
std::size_t IndependentSet::memory_bytes() const { return selection_->memory_bytes(); }

}  // namespace atl
