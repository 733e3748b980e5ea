// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/algorithms/similarity/pair_similarity.hpp>
#include <atoll/algorithms/similarity/similarity_search.hpp>
#include <atoll/base/error.hpp>
#include <cmath>
#include <functional>
#include <mutex>
#include <set>

#include "algorithms/spread_samples.hpp"

using namespace atl;
using samples::Sample;

namespace {

constexpr Similarity kAll[] = {Similarity::common_neighbors,
                               Similarity::jaccard,
                               Similarity::overlap,
                               Similarity::cosine,
                               Similarity::adamic_adar,
                               Similarity::resource_allocation,
                               Similarity::preferential_attachment};

struct Pair {
  Vertex source, target;
  double value;
  auto operator<=>(const Pair&) const = default;
};

// Sets of neighbours, compared by the definitions.
class Sets {
 public:
  explicit Sets(const Sample& sample) : ids_(sample.edges.ids()), neighbours_(ids_.size()), followers_(ids_.size(), 0) {
    for (const auto& a : sample.arcs())
      if (a.from != a.to) neighbours_[static_cast<std::size_t>(a.from)].insert(static_cast<std::size_t>(a.to));
    for (const auto& set : neighbours_)
      for (const std::size_t w : set) ++followers_[w];
  }

  std::size_t size() const { return ids_.size(); }
  Vertex id(std::size_t v) const { return ids_[v]; }
  std::size_t common(std::size_t u, std::size_t v) const { return followers_of_common(u, v).size(); }
  double similarity(Similarity measure, std::size_t u, std::size_t v) const {
    const std::vector<double> common = followers_of_common(u, v);
    const auto shared = static_cast<double>(common.size()), du = static_cast<double>(neighbours_[u].size()),
               dv = static_cast<double>(neighbours_[v].size());
    std::set<std::size_t> all = neighbours_[u];
    all.insert(neighbours_[v].begin(), neighbours_[v].end());
    double sum = 0;
    switch (measure) {
      case Similarity::common_neighbors:
        return shared;
      case Similarity::jaccard:
        return all.empty() ? 0 : shared / static_cast<double>(all.size());
      case Similarity::overlap:
        return shared == 0 ? 0 : shared / std::min(du, dv);
      case Similarity::cosine:
        return shared == 0 ? 0 : shared / std::sqrt(du * dv);
      case Similarity::adamic_adar:
        for (const double f : common) sum += 1 / std::log(f);
        return sum;
      case Similarity::resource_allocation:
        for (const double f : common) sum += 1 / f;
        return sum;
      case Similarity::preferential_attachment:
        return du * dv;
    }
    return -1;
  }
  // All pairs with a common neighbour.
  std::vector<Pair> pairs(Similarity measure) const {
    std::vector<Pair> found;
    for (std::size_t u = 0; u < size(); ++u)
      for (std::size_t v = u + 1; v < size(); ++v)
        if (common(u, v) > 0) found.push_back({ids_[u], ids_[v], similarity(measure, u, v)});
    return found;
  }

 private:
  // From the most followers on, the order in which contributions are added up.
  std::vector<double> followers_of_common(std::size_t u, std::size_t v) const {
    std::vector<double> found;
    for (const std::size_t w : neighbours_[u])
      if (neighbours_[v].contains(w)) found.push_back(static_cast<double>(followers_[w]));
    std::sort(found.begin(), found.end(), std::greater<>());
    return found;
  }

  std::vector<Vertex> ids_;
  std::vector<std::set<std::size_t>> neighbours_;
  std::vector<std::size_t> followers_;
};

// The sets and pairs of the latest sample, which all of its ranks are compared with.
class Expected {
 public:
  struct Values {
    Sets sets;
    std::vector<std::vector<Pair>> pairs;  // by measure
  };
  std::shared_ptr<const Values> of(const Sample& sample) {
    const std::scoped_lock hold(mutex_);
    const auto key = std::pair(sample.edges.name, sample.directed);
    if (!values_ || key != key_) {
      auto values = std::make_shared<Values>(Values{Sets(sample), {}});
      for (const Similarity measure : kAll) values->pairs.push_back(values->sets.pairs(measure));
      values_ = values;
      key_ = key;
    }
    return values_;
  }

 private:
  std::mutex mutex_;
  std::pair<std::string, bool> key_;
  std::shared_ptr<const Values> values_;
};

std::vector<Pair> here(const SimilarPairs& found) {
  std::vector<Pair> pairs;
  for (std::size_t i = 0; i < found.source.size(); ++i)
    pairs.push_back({found.source[i], found.target[i], found.value[i]});
  return pairs;
}

std::vector<Pair> gathered(World& world, const std::vector<Pair>& mine) {
  std::vector<Pair> all = world.all_gather_varying(std::span<const Pair>(mine));
  std::sort(all.begin(), all.end());
  return all;
}

bool is_better(const Pair& a, const Pair& b) {
  return std::tuple(-a.value, a.source, a.target) < std::tuple(-b.value, b.source, b.target);
}

}  // namespace

TEST_CASE("pairs have the similarity of their sets of neighbours, for any ranks, routes and partitions") {
  Expected all_expected;
  samples::for_each_spread(cases::Weight::none, [&](const Sample& sample, const Graph& graph) {
    const auto expected = all_expected.of(sample);
    const Sets& sets = expected->sets;
    World& world = graph.world();
    // Some pairs on each rank, a vertex and itself among them; none on the last.
    std::vector<Vertex> source, target;
    std::vector<std::size_t> u, v;
    if (sets.size() > 0 && (world.size() == 1 || world.rank() + 1 < world.size()))
      for (std::uint64_t i = 0; i < 40; ++i) {
        const auto seed = static_cast<std::uint64_t>(world.rank()) + 30;
        u.push_back(random_at(seed, 2 * i) % sets.size());
        v.push_back(i % 8 == 0 ? u.back() : random_at(seed, 2 * i + 1) % sets.size());
        source.push_back(sets.id(u.back()));
        target.push_back(sets.id(v.back()));
      }
    PairSimilarity similarity(graph);
    Array<double> values;
    for (const Similarity measure : kAll) {
      similarity.run(measure, source, target, values);
      REQUIRE(values.size() == source.size());
      for (std::size_t i = 0; i < values.size(); ++i) CHECK(values[i] == sets.similarity(measure, u[i], v[i]));
    }
  });
}

TEST_CASE("all pairs above a threshold are found, once, for any ranks, routes and partitions") {
  Expected all_expected;
  samples::for_each_spread(cases::Weight::none, [&](const Sample& sample, const Graph& graph) {
    const auto expected = all_expected.of(sample);
    SimilaritySearch search(graph);
    SimilarPairs found;
    for (std::size_t m = 0; m < std::size(kAll); ++m)
      for (const double threshold : {1e-9, 0.2, 0.5, 1.0, 2.0, 7.0}) {
        std::vector<Pair> above;
        for (const Pair& pair : expected->pairs[m])
          if (pair.value >= threshold) above.push_back(pair);
        search.above(kAll[m], {.threshold = threshold}, found);
        const std::vector<Pair> mine = here(found);
        CHECK(std::is_sorted(mine.begin(), mine.end(), is_better));
        CHECK(gathered(graph.world(), mine) == above);
        CHECK(found.total == static_cast<Vertex>(above.size()));
      }
  });
}

TEST_CASE("the most similar vertices are found for each, for any ranks, routes and partitions") {
  Expected all_expected;
  samples::for_each_spread(cases::Weight::none, [&](const Sample& sample, const Graph& graph) {
    const auto expected = all_expected.of(sample);
    SimilaritySearch search(graph);
    SimilarPairs found;
    for (std::size_t m = 0; m < std::size(kAll); ++m) {
      std::map<Vertex, std::vector<Pair>> of;
      for (const Pair& pair : expected->pairs[m]) {
        of[pair.source].push_back(pair);
        of[pair.target].push_back({pair.target, pair.source, pair.value});
      }
      for (const std::int64_t count : {1, 3, 1000}) {
        std::vector<Pair> best;
        for (auto& [id, pairs] : of) {
          std::sort(pairs.begin(), pairs.end(), is_better);
          const auto most = std::min(pairs.size(), static_cast<std::size_t>(count));
          best.insert(best.end(), pairs.begin(), pairs.begin() + static_cast<std::ptrdiff_t>(most));
        }
        std::sort(best.begin(), best.end());
        search.most_similar(kAll[m], {.count = count}, found);
        const std::vector<Pair> mine = here(found);
        CHECK(std::is_sorted(mine.begin(), mine.end(), [](const Pair& a, const Pair& b) {
          return std::tuple(a.source, -a.value, a.target) < std::tuple(b.source, -b.value, b.target);
        }));
        CHECK(gathered(graph.world(), mine) == best);
        CHECK(found.total == static_cast<Vertex>(best.size()));
      }
      if (of.empty()) continue;
      const std::vector<Vertex> some{of.rbegin()->first, of.begin()->first, of.rbegin()->first};
      search.most_similar(kAll[m], {.count = 1, .vertices = some}, found);
      CHECK(found.total == (some[0] == some[1] ? 1 : 2));
    }
  });
}

TEST_CASE("larger graphs, by several threads, have the same pairs on any number of ranks") {
  for (const char* text : {"kron:10", "uniform:11:6", "grid:40x30", "star:3000"}) {
    std::vector<std::vector<Pair>> first(std::size(kAll) * 2);
    for (const Rank ranks : {1, 2, 3, 5}) {
      CAPTURE(text);
      CAPTURE(ranks);
      Plan plan;
      plan.threads = ranks == 5 ? 1 : 3;
      run_ranks(ranks, plan, [&](World& world) {
        const Graph graph = Graph::build(world, generate(world, text));
        SimilaritySearch search(graph);
        SimilarPairs found;
        std::vector<std::vector<Pair>> all;
        for (const Similarity measure : kAll) {
          if (std::string_view(text) == "star:3000") {
            search.above(Similarity::common_neighbors, {.threshold = 2}, found);  // of one all leaves are
          } else {
            search.above(measure, {.threshold = 0.4}, found);
          }
          all.push_back(gathered(world, here(found)));
          search.most_similar(measure, {.count = 5}, found);
          all.push_back(gathered(world, here(found)));
        }
        if (world.rank() != 0) return;
        if (ranks == 1) {
          first = all;
        } else {
          CHECK(first == all);
        }
      });
    }
  }
}

TEST_CASE("wrong pairs, thresholds and counts are refused the same on all ranks") {
  for (const Rank ranks : {1, 3})
    run_ranks(ranks, {}, [](World& world) {
      const Graph graph = Graph::build(world, generate(world, "ring:20"));
      PairSimilarity similarity(graph);
      Array<double> values;
      const bool is_last = world.rank() + 1 == world.size();
      const std::vector<Vertex> source{3}, target{is_last ? 20 : 4}, none;
      CHECK_THROWS_WITH_AS(similarity.run(Similarity::jaccard, source, target, values),
                           "a pair has vertex 20 (no vertex of ring:20 has that id). Correct it.", InputError);
      CHECK_THROWS_AS(similarity.run(Similarity::jaccard, source, none, values), InputError);
      SimilaritySearch search(graph);
      SimilarPairs pairs;
      CHECK_THROWS_AS(search.above(Similarity::jaccard, {.threshold = 0}, pairs), InputError);
      CHECK_THROWS_AS(search.above(Similarity::jaccard, {.threshold = std::nan("")}, pairs), InputError);
      CHECK_THROWS_AS(search.above(Similarity::jaccard, {.threshold = 0.1, .most_pairs = 19}, pairs), InputError);
      search.above(Similarity::jaccard, {.threshold = 0.1, .most_pairs = 20}, pairs);
      CHECK(pairs.total == 20);
      CHECK_THROWS_AS(search.most_similar(Similarity::jaccard, {.count = 0}, pairs), InputError);
      const std::vector<Vertex> unknown{1, 20};
      CHECK_THROWS_AS(search.most_similar(Similarity::jaccard, {.count = 1, .vertices = unknown}, pairs), InputError);
      CHECK(world.sum(1) == world.size());
    });
  CHECK(similarity_named("adamic_adar") == Similarity::adamic_adar);
  CHECK_THROWS_AS(similarity_named("dice"), UsageError);
}
