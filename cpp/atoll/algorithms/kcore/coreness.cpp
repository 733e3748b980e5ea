// SPDX-License-Identifier: Apache-2.0
// Core numbers by peeling [1, in the header]. A rank removes all vertices of a level that it can before it broadcasts.
// So the number of exchanges is the number of times that a chain of removals crosses between ranks, not the chain's
// length.
//
//   in the paper        here                meaning
//   degree(v)           left(v)             neighbours not removed yet; after v is removed, its core number
//   bin(d)              Part::near          vertices that will soon be at d, unordered; kernel.hpp
//
// Deviation: vertices of a level are removed in any order. The core numbers do not depend on it.
#include <algorithm>
#include <atoll/algorithms/kcore/coreness.hpp>
#include <atoll/algorithms/kcore/kernel.hpp>
#include <atoll/algorithms/kcore/vertex_cut.hpp>
#include <atoll/engine/mirror_exchange.hpp>

namespace atl {
namespace {

void check_undirected(const Graph& graph) {
  check(!graph.directed(), "coreness: {} is directed (cores are of undirected graphs). Read it as undirected.",
        graph.name());
}

// The mirrors that other ranks have newly removed. A broadcast may also update unchanged mirrors: `gone` filters these.
std::vector<Local> newly_gone(const CorePeeling& peeling, const VertexBits& received, VertexBits& gone, Local first,
                              Local k) {
  std::vector<Local> mirrors;
  for (auto w = static_cast<std::size_t>(first) / 64; w < received.words(); ++w)
    for (std::uint64_t bits = received.at(w) & ~gone.at(w); bits; bits &= bits - 1)
      if (const Local m = static_cast<Local>(w * 64) + std::countr_zero(bits); peeling.left()[m] <= k) {
        gone.set_unsynchronized(m);
        mirrors.push_back(m);
      }
  return mirrors;
}

// Writes the core numbers of masters, and the largest on all ranks.
template <class CoreOf>
void write(const Graph& graph, CoreOf&& core_of, CorenessResult& result) {
  World& world = graph.world();
  const std::size_t owned = index(graph.owned());
  if (result.core.size() != owned) result.core = Array<Vertex>(owned);
  std::vector<Vertex> most(static_cast<std::size_t>(world.team().size()), 0);
  world.team().for_range(owned, std::size_t{1} << 14, [&](int t, std::size_t a, std::size_t b) {
    Vertex here = 0;
    for (std::size_t v = a; v < b; ++v)
      here = std::max(here, result.core[v] = core_of(graph.local_of(static_cast<Vertex>(v))));
    most[t] = std::max(most[t], here);
  });
  result.degeneracy = world.max(*std::max_element(most.begin(), most.end()));
}

}  // namespace

class Coreness::Peeling {
 public:
  virtual ~Peeling() = default;
  virtual void run(CorenessResult& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

class Coreness::OneRank final : public Peeling {
 public:
  explicit OneRank(const Graph& graph) : graph_(graph), peeling_(graph) {}

  void run(CorenessResult& result) override {
    result.rounds = 0;
    for (Local k = peeling_.begin(); k != CorePeeling::kNone; ++result.rounds) k = peeling_.take_away(k, {});
    write(graph_, [&](Local v) { return peeling_.core_of(v); }, result);
  }
  std::size_t memory_bytes() const override { return peeling_.memory_bytes(); }

 private:
  const Graph& graph_;
  CorePeeling peeling_;
};

class Coreness::Distributed final : public Peeling {
 public:
  explicit Distributed(const Graph& graph) : graph_(graph), peeling_(graph), exchange_(graph) {}

  void run(CorenessResult& result) override {
    World& world = graph_.world();
    VertexBits news(graph_.locals()), gone(graph_.locals());
    std::vector<Local> mirrors;
    result.rounds = 0;
    for (Local k = world.min(peeling_.begin()); k != CorePeeling::kNone; ++result.rounds) {
      const Local next = peeling_.take_away(k, mirrors);
      peeling_.move_taken(news);
      exchange_.broadcast(peeling_.left(), news);
      mirrors = newly_gone(peeling_, news, gone, peeling_.first_mirror(), k);
      news.clear();
      k = world.min(mirrors.empty() ? next : k);
    }
    write(graph_, [&](Local v) { return peeling_.core_of(v); }, result);
  }
  std::size_t memory_bytes() const override { return peeling_.memory_bytes() + exchange_.memory_bytes(); }

 private:
  const Graph& graph_;
  CorePeeling peeling_;
  MirrorExchange<Local, MinOf> exchange_;
};

class Coreness::OnVertexCut final : public Peeling {
 public:
  explicit OnVertexCut(const Graph& graph) : graph_(graph), peeling_(graph) {}

  void run(CorenessResult& result) override {
    result.rounds = peeling_.run();
    write(graph_, [&](Local v) { return peeling_.core_of(v); }, result);
  }
  std::size_t memory_bytes() const override { return peeling_.memory_bytes(); }

 private:
  const Graph& graph_;
  VertexCutPeeling peeling_;
};

Coreness::Coreness(const Graph& graph) {
  check_undirected(graph);
  if (graph.world().size() == 1) {
    peeling_ = std::make_unique<OneRank>(graph);
  } else if (graph.cut().cut() != Cut::edge) {
    peeling_ = std::make_unique<OnVertexCut>(graph);
  } else {
    peeling_ = std::make_unique<Distributed>(graph);
  }
}

Coreness::~Coreness() = default;

void Coreness::run(CorenessResult& result) { peeling_->run(result); }

std::size_t Coreness::memory_bytes() const { return peeling_->memory_bytes(); }

CorenessResult coreness(const Graph& graph) {
  CorenessResult result;
  Coreness(graph).run(result);
  return result;
}

}  // namespace atl
