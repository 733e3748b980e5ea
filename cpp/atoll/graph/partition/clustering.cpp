// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <atoll/graph/partition/clustering.hpp>

namespace atl {
namespace {

struct Ask {
  Vertex label, vertex;
  Edge weight;
  double tie;  // of the vertex to the group
};
// One at the home of its group, and the group that it may enter.
struct Wish {
  Ask ask;
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
    for (Local v = 0; v < graph.owned(); ++v) held(dense(v)) = weight[static_cast<std::size_t>(v)];
    // Whoever may not move is nobody's group either: no label, no joining it.
    for (Local v = 0; v < graph.active(); ++v)
      if (!may_move(v)) label_[static_cast<std::size_t>(v)] = kNoVertex;
  }

  std::vector<Vertex> run() {
    for (int round = 0; round < options_.rounds; ++round) join(static_cast<std::uint64_t>(round));
    if (options_.bin_leftovers) bin();
    label_.resize(static_cast<std::size_t>(graph_.owned()));
    for (Local v = 0; v < graph_.owned(); ++v)
      if (label_[static_cast<std::size_t>(v)] == kNoVertex) label_[static_cast<std::size_t>(v)] = dense(v);
    return std::move(label_);
  }

 private:
  using Asks = std::vector<std::vector<Ask>>;

  Vertex dense(Local v) const { return begin_ + graph_.natural_of(v); }
  Edge& held(Vertex dense) { return held_[static_cast<std::size_t>(dense - begin_)]; }
  bool may_move(Local v) const {
    const Edge degree = graph_.out().degree(v) + (graph_.directed() ? graph_.in().degree(v) : 0);
    return weight_[static_cast<std::size_t>(v)] <= options_.limit && degree > 0 && degree <= options_.most_degree;
  }
  bool alone(Local v) {
    const auto at = static_cast<std::size_t>(v);
    return label_[at] == dense(v) && held(dense(v)) == weight_[at];
  }

  // The group with most connections, and how many more they are than to the own one; label kNoVertex: none is better.
  Ask wish(Local v, std::uint64_t round) {
    ties_.clear();
    for_each_neighbour(graph_, v, [&](Local u, double w) {
      if (u != v && label_[static_cast<std::size_t>(u)] != kNoVertex)
        ties_.emplace_back(label_[static_cast<std::size_t>(u)], w);
    });
    std::sort(ties_.begin(), ties_.end());
    const Vertex own = label_[static_cast<std::size_t>(v)];
    const auto draw = [&](Vertex label) { return random_at(round, static_cast<std::uint64_t>(label)); };
    double own_tie = 0;
    Ask best{kNoVertex, dense(v), weight_[static_cast<std::size_t>(v)], 0};
    for (std::size_t i = 0; i < ties_.size();) {
      const Vertex label = ties_[i].first;
      double sum = 0;
      for (; i < ties_.size() && ties_[i].first == label; ++i) sum += ties_[i].second;
      if (label == own) {
        own_tie = sum;
      } else if (best.label == kNoVertex || sum > best.tie || (sum == best.tie && draw(label) > draw(best.label))) {
        best.label = label;
        best.tie = sum;
      }
    }
    const bool better = best.tie > own_tie || (best.tie == own_tie && best.label >= 0 && draw(best.label) > draw(own));
    if (!better) best.label = kNoVertex;
    return best;
  }

  void join(std::uint64_t round) {
    tell_mirrors(graph_, std::span(label_));
    Asks asks(ranks());
    std::vector<std::vector<Local>> askers(ranks());
    for (Local v = 0; v < graph_.active(); ++v) {
      // Two neighbours that both move would swap their groups: half of the vertices stand still.
      if (label_[static_cast<std::size_t>(v)] == kNoVertex ||
          (random_at(round + 99, static_cast<std::uint64_t>(dense(v))) & 1))
        continue;
      const Ask ask = wish(v, round);
      if (ask.label == kNoVertex) continue;
      const auto home = static_cast<std::size_t>(graph_.blocks().owner(ask.label));
      asks[home].push_back(ask);
      askers[home].push_back(v);
    }
    answer(std::move(asks), askers, [&](std::vector<Wish>& wishes) {
      std::sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) {
        if (a.ask.label != b.ask.label) return a.ask.label < b.ask.label;
        return a.ask.tie != b.ask.tie ? a.ask.tie > b.ask.tie : a.ask.vertex < b.ask.vertex;
      });
      for (Wish& wish : wishes) {
        Edge& weight = held(wish.ask.label);
        if (weight + wish.ask.weight > options_.limit) continue;
        weight += wish.ask.weight;
        wish.reply = wish.ask.label;
      }
    });
  }

  // Leaves of a hub that is too heavy for company, and others whose groups are full.
  void bin() {
    tell_mirrors(graph_, std::span(label_));
    Asks asks(ranks());
    std::vector<std::vector<Local>> askers(ranks());
    const std::vector<Vertex> all = dense_numbers(graph_);
    for (Local v = 0; v < graph_.active(); ++v) {
      if (label_[static_cast<std::size_t>(v)] == kNoVertex || !alone(v)) continue;
      // The neighbour's vertex, not its group: those who may not move have no group.
      Vertex least = kNoVertex;
      double most = 0;
      for_each_neighbour(graph_, v, [&](Local u, double w) {
        const Vertex name = all[static_cast<std::size_t>(u)];
        if (u != v && (w > most || (w == most && name < least))) most = w, least = name;
      });
      if (least == kNoVertex) continue;
      const auto home = static_cast<std::size_t>(graph_.blocks().owner(least));
      asks[home].push_back({least, dense(v), weight_[static_cast<std::size_t>(v)], 0});
      askers[home].push_back(v);
    }
    std::vector<std::vector<Leave>> entered(ranks());
    answer(std::move(asks), askers, [&](std::vector<Wish>& wishes) {
      std::sort(wishes.begin(), wishes.end(), [](const Wish& a, const Wish& b) {
        return a.ask.label != b.ask.label ? a.ask.label < b.ask.label : a.ask.vertex < b.ask.vertex;
      });
      Vertex leader = kNoVertex, of = kNoVertex;
      Edge weight = 0;
      for (Wish& wish : wishes) {
        const Ask& ask = wish.ask;
        if (ask.label != of || weight + ask.weight > options_.limit) {
          of = ask.label;
          leader = ask.vertex;
          weight = ask.weight;
          continue;
        }
        weight += ask.weight;
        wish.reply = leader;
        entered[static_cast<std::size_t>(graph_.blocks().owner(leader))].push_back({leader, ask.weight});
      }
    });
    for (const auto& part : world_.exchange(std::move(entered)))
      for (const Leave& e : part) held(e.label) += e.weight;
  }

  // Asks travel to the homes of their labels, `decide` fills in the group that each may enter (kNoVertex: none), and
  // groups hear who has left them.
  template <class Decide>
  void answer(Asks asks, const std::vector<std::vector<Local>>& askers, Decide&& decide) {
    const auto wanted = world_.exchange(std::move(asks));
    std::vector<Wish> wishes;
    std::vector<std::vector<Vertex>> replies(ranks());
    for (std::size_t r = 0; r < ranks(); ++r) {
      replies[r].resize(wanted[r].size());
      for (std::size_t i = 0; i < wanted[r].size(); ++i) wishes.push_back({wanted[r][i], r, i});
    }
    decide(wishes);
    for (const Wish& wish : wishes) replies[wish.rank][wish.index] = wish.reply;
    const auto heard = world_.exchange(std::move(replies));
    std::vector<std::vector<Leave>> left(ranks());
    for (std::size_t r = 0; r < ranks(); ++r)
      for (std::size_t i = 0; i < heard[r].size(); ++i) {
        if (heard[r][i] == kNoVertex) continue;
        const auto v = static_cast<std::size_t>(askers[r][i]);
        left[static_cast<std::size_t>(graph_.blocks().owner(label_[v]))].push_back({label_[v], weight_[v]});
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
  std::vector<Edge> held_;     // [natural] weight of the group that is named after this vertex
  std::vector<std::pair<Vertex, double>> ties_;
};

}  // namespace

std::vector<Vertex> cluster(const Graph& graph, std::span<const Edge> weight, const ClusterOptions& options) {
  return Clustering(graph, weight, options).run();
}

}  // namespace atl
