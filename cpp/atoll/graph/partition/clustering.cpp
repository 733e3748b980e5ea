// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <atoll/graph/partition/clustering.hpp>

namespace atl {
namespace {

struct ClusterMove {
  Vertex label, vertex;
  Edge weight;
  double connection;  // weight of the edges between the vertex and the group
};
// A request at the owner of its group's label, and the group that the vertex may enter.
struct Candidate {
  ClusterMove request;
  std::size_t rank, index;
  Vertex reply = kNoVertex;
};
struct Leave {
  Vertex label;
  Edge weight;
};

class Clustering {
 public:
  Clustering(const Graph& graph, std::span<const Edge> weight, const ClusterOptions& options)
      : graph_(graph),
        world_(graph.world()),
        weight_(weight),
        options_(options),
        begin_(graph.blocks().begin(world_.rank())),
        label_(dense_numbers(graph)),
        held_(static_cast<std::size_t>(graph.owned())) {
    for (Local v = 0; v < graph.owned(); ++v) held(dense(v)) = weight[v];
    // A vertex that may not move has no label, so that no other can join it.
    for (Local v = 0; v < graph.active(); ++v)
      if (!may_move(v)) label_[v] = kNoVertex;
  }

  std::vector<Vertex> run() {
    for (int round = 0; round < options_.rounds; ++round) join(static_cast<std::uint64_t>(round));
    if (options_.bin_leftovers) bin();
    label_.resize(static_cast<std::size_t>(graph_.owned()));
    for (Local v = 0; v < graph_.owned(); ++v)
      if (label_[v] == kNoVertex) label_[v] = dense(v);
    return std::move(label_);
  }

 private:
  using Requests = std::vector<std::vector<ClusterMove>>;

  Vertex dense(Local v) const { return begin_ + graph_.owned_index_of(v); }
  Edge& held(Vertex dense) { return held_[dense - begin_]; }
  bool may_move(Local v) const {
    const Edge degree = graph_.out().degree(v) + (graph_.directed() ? graph_.in().degree(v) : 0);
    return weight_[v] <= options_.limit && degree > 0 && degree <= options_.most_degree;
  }
  bool alone(Local v) {
    const auto at = static_cast<std::size_t>(v);
    return label_[at] == dense(v) && held(dense(v)) == weight_[at];
  }

  // The group with the heaviest connection, and its excess over the connection to the own group; label kNoVertex: no
  // group is better.
  ClusterMove best_move(Local v, std::uint64_t round) {
    connections_.clear();
    for_each_neighbour(graph_, v, [&](Local u, double w) {
      if (u != v && label_[u] != kNoVertex) connections_.emplace_back(label_[u], w);
    });
    std::sort(connections_.begin(), connections_.end());
    const Vertex own = label_[v];
    const auto draw = [&](Vertex label) { return random_at(round, static_cast<std::uint64_t>(label)); };
    double own_tie = 0;
    ClusterMove best{kNoVertex, dense(v), weight_[v], 0};
    for (std::size_t i = 0; i < connections_.size();) {
      const Vertex label = connections_[i].first;
      double sum = 0;
      for (; i < connections_.size() && connections_[i].first == label; ++i) sum += connections_[i].second;
      if (label == own) {
        own_tie = sum;
      } else if (best.label == kNoVertex || sum > best.connection ||
                 (sum == best.connection && draw(label) > draw(best.label))) {
        best.label = label;
        best.connection = sum;
      }
    }
    const bool better =
        best.connection > own_tie || (best.connection == own_tie && best.label >= 0 && draw(best.label) > draw(own));
    if (!better) best.label = kNoVertex;
    return best;
  }

  void join(std::uint64_t round) {
    broadcast_to_mirrors(graph_, std::span(label_));
    Requests requests(ranks());
    std::vector<std::vector<Local>> askers(ranks());
    for (Local v = 0; v < graph_.active(); ++v) {
      // Only half of the vertices move in a round: two neighbours that both move would swap their groups.
      if (label_[v] == kNoVertex || (random_at(round + 99, static_cast<std::uint64_t>(dense(v))) & 1)) continue;
      const ClusterMove request = best_move(v, round);
      if (request.label == kNoVertex) continue;
      const auto home = static_cast<std::size_t>(graph_.blocks().owner(request.label));
      requests[home].push_back(request);
      askers[home].push_back(v);
    }
    answer(std::move(requests), askers, [&](std::vector<Candidate>& candidates) {
      std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        if (a.request.label != b.request.label) return a.request.label < b.request.label;
        return a.request.connection != b.request.connection ? a.request.connection > b.request.connection
                                                            : a.request.vertex < b.request.vertex;
      });
      for (Candidate& candidate : candidates) {
        Edge& weight = held(candidate.request.label);
        if (weight + candidate.request.weight > options_.limit) continue;
        weight += candidate.request.weight;
        candidate.reply = candidate.request.label;
      }
    });
  }

  // Groups vertices that no group admits: leaves of a hub that exceeds the limit, and vertices whose groups are full.
  void bin() {
    broadcast_to_mirrors(graph_, std::span(label_));
    Requests requests(ranks());
    std::vector<std::vector<Local>> askers(ranks());
    const std::vector<Vertex> all = dense_numbers(graph_);
    for (Local v = 0; v < graph_.active(); ++v) {
      if (label_[v] == kNoVertex || !alone(v)) continue;
      // By neighbour, not by the neighbour's group: vertices that may not move have no group.
      Vertex least = kNoVertex;
      double most = 0;
      for_each_neighbour(graph_, v, [&](Local u, double w) {
        const Vertex name = all[u];
        if (u != v && (w > most || (w == most && name < least))) most = w, least = name;
      });
      if (least == kNoVertex) continue;
      const auto home = static_cast<std::size_t>(graph_.blocks().owner(least));
      requests[home].push_back({least, dense(v), weight_[v], 0});
      askers[home].push_back(v);
    }
    std::vector<std::vector<Leave>> entered(ranks());
    answer(std::move(requests), askers, [&](std::vector<Candidate>& candidates) {
      std::sort(candidates.begin(), candidates.end(), [](const Candidate& a, const Candidate& b) {
        return a.request.label != b.request.label ? a.request.label < b.request.label
                                                  : a.request.vertex < b.request.vertex;
      });
      Vertex leader = kNoVertex, of = kNoVertex;
      Edge weight = 0;
      for (Candidate& candidate : candidates) {
        const ClusterMove& request = candidate.request;
        if (request.label != of || weight + request.weight > options_.limit) {
          of = request.label;
          leader = request.vertex;
          weight = request.weight;
          continue;
        }
        weight += request.weight;
        candidate.reply = leader;
        entered[graph_.blocks().owner(leader)].push_back({leader, request.weight});
      }
    });
    for (const auto& part : world_.exchange(std::move(entered)))
      for (const Leave& e : part) held(e.label) += e.weight;
  }

  // Sends requests to the owners of their labels, where `decide` sets the group that each may enter (kNoVertex: none);
  // then notifies the groups that vertices have left.
  template <class Decide>
  void answer(Requests requests, const std::vector<std::vector<Local>>& askers, Decide&& decide) {
    const auto wanted = world_.exchange(std::move(requests));
    std::vector<Candidate> candidates;
    std::vector<std::vector<Vertex>> replies(ranks());
    for (std::size_t r = 0; r < ranks(); ++r) {
      replies[r].resize(wanted[r].size());
      for (std::size_t i = 0; i < wanted[r].size(); ++i) candidates.push_back({wanted[r][i], r, i});
    }
    decide(candidates);
    for (const Candidate& candidate : candidates) replies[candidate.rank][candidate.index] = candidate.reply;
    const auto heard = world_.exchange(std::move(replies));
    std::vector<std::vector<Leave>> left(ranks());
    for (std::size_t r = 0; r < ranks(); ++r)
      for (std::size_t i = 0; i < heard[r].size(); ++i) {
        if (heard[r][i] == kNoVertex) continue;
        const auto v = static_cast<std::size_t>(askers[r][i]);
        left[graph_.blocks().owner(label_[v])].push_back({label_[v], weight_[v]});
        label_[v] = heard[r][i];
      }
    for (const auto& part : world_.exchange(std::move(left)))
      for (const Leave& l : part) held(l.label) -= l.weight;
  }

  std::size_t ranks() const { return static_cast<std::size_t>(world_.size()); }

  const Graph& graph_;
  World& world_;
  const std::span<const Edge> weight_;
  const ClusterOptions options_;
  const Vertex begin_;
  std::vector<Vertex> label_;  // [local]
  std::vector<Edge> held_;     // [owned index] weight of the group that this vertex labels
  std::vector<std::pair<Vertex, double>> connections_;
};

}  // namespace

std::vector<Vertex> cluster(const Graph& graph, std::span<const Edge> weight, const ClusterOptions& options) {
  return Clustering(graph, weight, options).run();
}

}  // namespace atl
