// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <atoll/graph/partition/refinement.hpp>
#include <atoll/topology/cost.hpp>
#include <cmath>

namespace atl {
namespace {

constexpr int kRounds = 6;
// Vertices with neighbours on more ranks are not moved: finding their best rank takes quadratic time in these ranks.
constexpr std::size_t kMostRanks = 16;

struct RefinementMove {
  Rank to;
  Vertex vertex;
  Edge weight;
  double gain;
};
struct Change {
  Rank rank;
  Edge weight;
};

class Refinement {
 public:
  Refinement(const Graph& graph, const Hierarchy& machine, const Cost& cost) : graph_(graph), machine_(machine) {
    // Whole numbers, so that sums do not depend on their order; sixteenths, as measured levels differ by less than twice.
    constexpr double kResolution = 16;
    const double least = std::max(cost.at(0).latency_s, 1e-9);
    for (int l = 0; l < machine.depth(); ++l)
      level_cost_.push_back(std::round(kResolution * std::max(cost.at(l).latency_s, least) / least));
  }

  // The rank where v's edges would cost least, and the gain over its current rank; gain 0: it stays.
  RefinementMove best_move(Local v, std::span<const Rank> owner) {
    connections_.clear();
    for_each_neighbour(graph_, v, [&](Local u, double tie) {
      if (u != v) connections_.emplace_back(owner[u], tie);
    });
    std::sort(connections_.begin(), connections_.end());
    std::size_t n = 0;
    for (const auto& [rank, tie] : connections_) {
      if (n > 0 && connections_[n - 1].first == rank) {
        connections_[n - 1].second += tie;
      } else {
        connections_[n++] = {rank, tie};
      }
    }
    connections_.resize(n);
    const Rank own = owner[v];
    RefinementMove best{own, kNoVertex, 0, 0};
    if (n > kMostRanks || (n == 1 && connections_[0].first == own)) return best;
    const double now = cost_at(own);
    for (const auto& [rank, tie] : connections_)
      if (const double gain = now - cost_at(rank); gain > best.gain) best = {rank, kNoVertex, 0, gain};
    return best;
  }

 private:
  double cost_at(Rank here) const {
    double sum = 0;
    for (const auto& [rank, tie] : connections_)
      if (rank != here) sum += tie * level_cost_[machine_.level_between(here, rank)];
    return sum;
  }

  const Graph& graph_;
  const Hierarchy& machine_;
  std::vector<double> level_cost_;                    // [level]
  std::vector<std::pair<Rank, double>> connections_;  // edge weights of one vertex by rank
};

}  // namespace

void refine(const Graph& graph, std::span<const Edge> weight, const Hierarchy& machine, const Cost& cost, Edge most,
            std::vector<Rank>& owner, std::vector<Edge>& load) {
  World& world = graph.world();
  const auto ranks = static_cast<std::size_t>(world.size());
  const Vertex begin = graph.blocks().begin(world.rank());
  Refinement refinement(graph, machine, cost);
  owner.resize(static_cast<std::size_t>(graph.locals()), 0);
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    broadcast_to_mirrors(graph, std::span(owner));
    // Each rank of the machine has a rank of the job that grants moves to it.
    std::vector<std::vector<RefinementMove>> requests(ranks);
    std::vector<std::vector<Local>> askers(ranks);
    for (Local v = 0; v < graph.active(); ++v) {
      const Vertex dense = begin + graph.owned_index_of(v);
      if (random_at(round + 7, static_cast<std::uint64_t>(dense)) & 1) continue;  // else two neighbours could swap
      RefinementMove request = refinement.best_move(v, owner);
      if (request.gain <= 0) continue;
      request.vertex = dense;
      request.weight = weight[v];
      const auto home = static_cast<std::size_t>(request.to) % ranks;
      requests[home].push_back(request);
      askers[home].push_back(v);
    }
    const auto wanted = world.exchange(requests);
    struct Candidate {
      RefinementMove request;
      std::size_t rank, index;
    };
    std::vector<Candidate> proposals;
    std::vector<std::vector<char>> replies(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      replies[r].resize(wanted[r].size(), 0);
      for (std::size_t i = 0; i < wanted[r].size(); ++i) proposals.push_back({wanted[r][i], r, i});
    }
    std::sort(proposals.begin(), proposals.end(), [](const Candidate& a, const Candidate& b) {
      if (a.request.to != b.request.to) return a.request.to < b.request.to;
      return a.request.gain != b.request.gain ? a.request.gain > b.request.gain : a.request.vertex < b.request.vertex;
    });
    std::vector<Edge> filled = load;
    for (const Candidate& best_move : proposals) {
      Edge& there = filled[best_move.request.to];
      if (there + best_move.request.weight > most) continue;
      there += best_move.request.weight;
      replies[best_move.rank][best_move.index] = 1;
    }
    const auto heard = world.exchange(std::move(replies));
    std::vector<Change> changes;
    for (std::size_t r = 0; r < ranks; ++r)
      for (std::size_t i = 0; i < heard[r].size(); ++i) {
        if (!heard[r][i]) continue;
        Rank& rank = owner[askers[r][i]];
        changes.push_back({rank, -requests[r][i].weight});
        rank = requests[r][i].to;
        changes.push_back({rank, requests[r][i].weight});
      }
    const std::vector<Change> all = world.all_gather_varying(std::span<const Change>(changes));
    for (const Change& c : all) load[c.rank] += c.weight;
    if (all.empty()) break;
  }
  owner.resize(static_cast<std::size_t>(graph.owned()));
}

}  // namespace atl
