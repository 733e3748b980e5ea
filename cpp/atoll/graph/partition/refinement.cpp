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
// A vertex with neighbours on more ranks is at home nowhere: the search for its best place would cost their square.
constexpr std::size_t kMostRanks = 16;

struct MoveRequest {
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
  Refinement(const Graph& graph, const Hierarchy& machine) : graph_(graph), machine_(machine) {
    // Whole numbers: sums of them are the same in any order.
    const Cost cost = Cost::paper(machine.depth());
    for (int l = 0; l < machine.depth(); ++l) wall_.push_back(std::round(cost.at(l).latency_s / cost.at(0).latency_s));
  }

  // Where v's edges would cost least, and how much less than now; gain 0: where it is.
  MoveRequest wish(Local v, std::span<const Rank> owner) {
    ties_.clear();
    for_each_neighbour(graph_, v, [&](Local u, double tie) {
      if (u != v) ties_.emplace_back(owner[static_cast<std::size_t>(u)], tie);
    });
    std::sort(ties_.begin(), ties_.end());
    std::size_t n = 0;
    for (const auto& [rank, tie] : ties_) {
      if (n > 0 && ties_[n - 1].first == rank) {
        ties_[n - 1].second += tie;
      } else {
        ties_[n++] = {rank, tie};
      }
    }
    ties_.resize(n);
    const Rank own = owner[static_cast<std::size_t>(v)];
    MoveRequest best{own, kNoVertex, 0, 0};
    if (n > kMostRanks || (n == 1 && ties_[0].first == own)) return best;
    const double now = cost_at(own);
    for (const auto& [rank, tie] : ties_)
      if (const double gain = now - cost_at(rank); gain > best.gain) best = {rank, kNoVertex, 0, gain};
    return best;
  }

 private:
  double cost_at(Rank here) const {
    double sum = 0;
    for (const auto& [rank, tie] : ties_)
      if (rank != here) sum += tie * wall_[static_cast<std::size_t>(machine_.level_between(here, rank))];
    return sum;
  }

  const Graph& graph_;
  const Hierarchy& machine_;
  std::vector<double> wall_;                   // [level]
  std::vector<std::pair<Rank, double>> ties_;  // of one vertex, by rank
};

}  // namespace

void refine(const Graph& graph, std::span<const Edge> weight, const Hierarchy& machine, Edge most,
            std::vector<Rank>& owner, std::vector<Edge>& load) {
  World& world = graph.world();
  const auto ranks = static_cast<std::size_t>(world.size());
  const Vertex begin = graph.blocks().begin(world.rank());
  Refinement refinement(graph, machine);
  owner.resize(static_cast<std::size_t>(graph.locals()), 0);
  for (std::uint64_t round = 0; round < kRounds; ++round) {
    tell_mirrors(graph, std::span(owner));
    // Each rank of the machine has a rank of the job that says who may move there.
    std::vector<std::vector<MoveRequest>> requests(ranks);
    std::vector<std::vector<Local>> askers(ranks);
    for (Local v = 0; v < graph.active(); ++v) {
      const Vertex dense = begin + graph.natural_of(v);
      if (random_at(round + 7, static_cast<std::uint64_t>(dense)) & 1) continue;  // two neighbours would swap
      MoveRequest request = refinement.wish(v, owner);
      if (request.gain <= 0) continue;
      request.vertex = dense;
      request.weight = weight[static_cast<std::size_t>(v)];
      const auto home = static_cast<std::size_t>(request.to) % ranks;
      requests[home].push_back(request);
      askers[home].push_back(v);
    }
    const auto wanted = world.exchange(requests);
    struct Candidate {
      MoveRequest request;
      std::size_t rank, index;
    };
    std::vector<Candidate> wishes;
    std::vector<std::vector<char>> replies(ranks);
    for (std::size_t r = 0; r < ranks; ++r) {
      replies[r].resize(wanted[r].size(), 0);
      for (std::size_t i = 0; i < wanted[r].size(); ++i) wishes.push_back({wanted[r][i], r, i});
    }
    std::sort(wishes.begin(), wishes.end(), [](const Candidate& a, const Candidate& b) {
      if (a.request.to != b.request.to) return a.request.to < b.request.to;
      return a.request.gain != b.request.gain ? a.request.gain > b.request.gain : a.request.vertex < b.request.vertex;
    });
    std::vector<Edge> filled = load;
    for (const Candidate& wish : wishes) {
      Edge& there = filled[static_cast<std::size_t>(wish.request.to)];
      if (there + wish.request.weight > most) continue;
      there += wish.request.weight;
      replies[wish.rank][wish.index] = 1;
    }
    const auto heard = world.exchange(std::move(replies));
    std::vector<Change> changes;
    for (std::size_t r = 0; r < ranks; ++r)
      for (std::size_t i = 0; i < heard[r].size(); ++i) {
        if (!heard[r][i]) continue;
        Rank& rank = owner[static_cast<std::size_t>(askers[r][i])];
        changes.push_back({rank, -requests[r][i].weight});
        rank = requests[r][i].to;
        changes.push_back({rank, requests[r][i].weight});
      }
    const std::vector<Change> all = world.all_gather_varying(std::span<const Change>(changes));
    for (const Change& c : all) load[static_cast<std::size_t>(c.rank)] += c.weight;
    if (all.empty()) break;
  }
  owner.resize(static_cast<std::size_t>(graph.owned()));
}

}  // namespace atl
