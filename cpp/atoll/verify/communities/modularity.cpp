// SPDX-License-Identifier: Apache-2.0
// Each community is summed up by one rank, drawn by its label: ranks send it the degrees that they have of the
// community, and it answers with the sum.
#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/verify/communities/modularity.hpp>
#include <atoll/verify/violations.hpp>

namespace atl {
namespace {

constexpr std::size_t kModularityGrain = 1024;

// Calls f(target, weight) for each edge in v's list.
template <class F>
void for_weighted(const Graph& graph, EdgeWeighting weighting, Local v, F&& f) {
  if (weighting == EdgeWeighting::ones) {
    for (const Local u : graph.out().neighbours(v)) f(u, 1.0);
  } else {
    graph.out().for_edges(v, [&](Local u, auto weight) { f(u, static_cast<double>(weight)); });
  }
}

}  // namespace

CommunityWeightTable::CommunityWeightTable(const Graph& graph, std::span<const Vertex> label, EdgeWeighting weighting)
    : graph_(graph), world_(graph.world()), weighting_(weighting) {
  check(!graph.directed(),
        "modularity: {} is directed (the modularity here is that of undirected graphs). Read it as undirected.",
        graph.name());
  check(weighting == EdgeWeighting::ones || graph.weighted(),
        "modularity: {} has no weights. Give its edges weights, or let all count alike.", graph.name());
  check_one_for_each(graph, label.size(), "labels");
  labels_ = local_values(graph, label);
  // Local numbers between groups of mirrors stand for no vertex: they have the label 0 and no edges.
  names_.assign(labels_.begin(), labels_.end());
  std::sort(names_.begin(), names_.end());
  names_.erase(std::unique(names_.begin(), names_.end()), names_.end());
  number_ = Array<Local>(labels_.size());
  world_.team().for_range(labels_.size(), kModularityGrain, [&](int, std::size_t a, std::size_t b) {
    for (std::size_t v = a; v < b; ++v) number_[v] = static_cast<Local>(number_of(labels_[v]));
  });
  sum_up();
}

std::size_t CommunityWeightTable::number_of(Vertex label) const {
  return static_cast<std::size_t>(std::lower_bound(names_.begin(), names_.end(), label) - names_.begin());
}

Rank CommunityWeightTable::owner_of(Vertex label) const {
  return static_cast<Rank>(random_at(0, static_cast<std::uint64_t>(label)) % static_cast<std::uint64_t>(world_.size()));
}

void CommunityWeightTable::sum_up() {
  degree_.assign(names_.size(), 0);
  std::vector<char> has_members(names_.size(), 0);
  for (Local v = 0; v < graph_.owned(); ++v) {
    double degree = 0;
    if (v < graph_.active())
      for_weighted(graph_, weighting_, v, [&](Local u, double weight) {
        const double both = u == v ? 2 * weight : weight;
        degree += both;
        if (number_[u] == number_[v]) inside_ += both;
      });
    degree_[index(number_[v])] += degree;
    has_members[index(number_[v])] = 1;
    total_ += degree;
  }
  inside_ = world_.sum(inside_);
  total_ = world_.sum(total_);

  struct Part {
    Vertex label;
    double degree;
    std::int64_t members;
  };
  std::vector<std::vector<Part>> parts(static_cast<std::size_t>(world_.size()));
  for (std::size_t c = 0; c < names_.size(); ++c)
    parts[static_cast<std::size_t>(owner_of(names_[c]))].push_back({names_[c], degree_[c], has_members[c]});
  std::vector<std::vector<Part>> received = world_.exchange(parts);
  for (const auto& list : received)
    for (const Part& part : list)
      if (part.members > 0) mine_.push_back({part.label, 0});
  std::ranges::sort(mine_, {}, &Community::label);
  mine_.erase(std::unique(mine_.begin(), mine_.end(),
                          [](const Community& a, const Community& b) { return a.label == b.label; }),
              mine_.end());
  const auto of = [&](Vertex label) { return std::ranges::lower_bound(mine_, label, {}, &Community::label); };
  for (const auto& list : received)
    for (const Part& part : list)
      if (part.members > 0) of(part.label)->degree += part.degree;
  for (auto& list : received)
    for (Part& part : list)
      if (const auto at = of(part.label); at != mine_.end() && at->label == part.label) part.degree = at->degree;
  received = world_.exchange(std::move(received));
  for (const auto& list : received)
    for (const Part& part : list) degree_[number_of(part.label)] = part.degree;
  communities_ = world_.sum(static_cast<Vertex>(mine_.size()));
}

double CommunityWeightTable::modularity(double resolution) const {
  double squares = 0;
  for (const Community& c : mine_) squares += c.degree * c.degree;
  squares = world_.sum(squares);
  return total_ > 0 ? inside_ / total_ - resolution * squares / total_ / total_ : 0;
}

CommunityWeightTable::Pair CommunityWeightTable::best_union(double resolution) const {
  // Masters by community, and for each community the weights to others.
  std::vector<std::size_t> first(names_.size() + 1, 0);
  for (Local v = 0; v < graph_.active(); ++v) ++first[index(number_[v]) + 1];
  for (std::size_t c = 0; c < names_.size(); ++c) first[c + 1] += first[c];
  std::vector<Local> members(index(graph_.active()));
  std::vector<std::size_t> at(first.begin(), first.end() - 1);
  for (Local v = 0; v < graph_.active(); ++v) members[at[index(number_[v])]++] = v;

  struct Between {
    Vertex a, b;
    double weight, degrees;  // between them; the product of their degrees
  };
  std::vector<std::vector<Between>> outgoing(static_cast<std::size_t>(world_.size()));
  std::vector<double> weight_to(names_.size(), 0);
  std::vector<std::size_t> touched;
  for (std::size_t c = 0; c < names_.size(); ++c) {
    for (std::size_t i = first[c]; i < first[c + 1]; ++i)
      for_weighted(graph_, weighting_, members[i], [&](Local u, double weight) {
        const std::size_t d = index(number_[u]);
        if (d <= c) return;  // the other end of the edge counts it
        if (weight_to[d] == 0) touched.push_back(d);
        weight_to[d] += weight;
      });
    for (const std::size_t d : touched)
      if (const double weight = std::exchange(weight_to[d], 0); weight > 0)
        outgoing[static_cast<std::size_t>(owner_of(names_[c]))].push_back(
            {names_[c], names_[d], weight, degree_[c] * degree_[d]});
    touched.clear();
  }
  std::vector<Between> pairs;
  for (const auto& list : world_.exchange(std::move(outgoing))) pairs.insert(pairs.end(), list.begin(), list.end());
  const auto key = [](const Between& pair) { return std::pair(pair.a, pair.b); };
  std::ranges::sort(pairs, {}, key);
  Pair best;
  for (std::size_t i = 0; i < pairs.size();) {
    double weight = 0;
    std::size_t j = i;
    for (; j < pairs.size() && key(pairs[j]) == key(pairs[i]); ++j) weight += pairs[j].weight;
    const double gain = 2 * (weight / total_ - resolution * pairs[i].degrees / total_ / total_);
    if (best.a == kNoVertex || gain > best.gain) best = {pairs[i].a, pairs[i].b, gain};
    i = j;
  }
  return world_.fold(best, [](const Pair& s, const Pair& t) {
    return s.a == kNoVertex || (t.a != kNoVertex && t.gain > s.gain) ? t : s;
  });
}

}  // namespace atl
