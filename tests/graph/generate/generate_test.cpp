// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/runtime/world.hpp>
#include <cmath>
#include <map>
#include <string>
#include <utility>
#include <vector>

using namespace atl;

namespace {

using Pair = std::pair<Vertex, Vertex>;
struct Made {
  std::vector<Pair> tuples;  // in list order: rank 0's slice, rank 1's, ..
  std::vector<double> weights;
  std::vector<std::size_t> slices;
  bool directed = false;
  IdRange range;
};

Made make(Rank ranks, int threads, std::string_view text, Weights weights = Weights::none) {
  const auto p = static_cast<std::size_t>(ranks);
  std::vector<Made> parts(p);
  Plan plan;
  plan.threads = threads;
  run_ranks(ranks, plan, [&](World& world) {
    const EdgeList edges = generate(world, text, {.weights = weights});
    Made& mine = parts[static_cast<std::size_t>(world.rank())];
    std::visit(
        [&](const auto& source) {
          const auto& target = std::get<std::decay_t<decltype(source)>>(edges.target);
          for (std::size_t i = 0; i < source.size(); ++i)
            mine.tuples.emplace_back(static_cast<Vertex>(source[i]), static_cast<Vertex>(target[i]));
        },
        edges.source);
    if (const auto* w = std::get_if<Array<float>>(&edges.weight)) mine.weights.assign(w->begin(), w->end());
    mine.slices = {edges.size()};
    mine.directed = edges.directed;
    mine.range = *edges.range;
  });
  Made all = parts[0];
  for (std::size_t r = 1; r < p; ++r) {
    all.tuples.insert(all.tuples.end(), parts[r].tuples.begin(), parts[r].tuples.end());
    all.weights.insert(all.weights.end(), parts[r].weights.begin(), parts[r].weights.end());
    all.slices.push_back(parts[r].slices[0]);
  }
  return all;
}

std::vector<Pair> sorted(std::vector<Pair> pairs) {
  for (auto& [u, v] : pairs)
    if (v < u) std::swap(u, v);
  std::sort(pairs.begin(), pairs.end());
  return pairs;
}

std::uint64_t hash_of_multiset(const std::vector<Pair>& pairs) {
  std::uint64_t sum = 0;
  for (const auto& [u, v] : pairs) sum += mix64(mix64(static_cast<std::uint64_t>(u)) + static_cast<std::uint64_t>(v));
  return sum;
}

std::string generator_refusal(std::string_view text) {
  try {
    GeneratorText::parse(text);
  } catch (const InputError& e) {
    return e.what();
  }
  return "";
}

}  // namespace

TEST_CASE("a generator makes the same list whatever the number of ranks and threads") {
  for (const char* text :
       {"kron:7", "kron:6:3:42", "rmat:7:0.6,0.1,0.2:5", "uniform:7:4:9", "communities:9:8:0.2:3", "grid:7x5",
        "grid:4x3x5", "ring:11", "star:9", "path:10", "complete:9", "path:1", "star:2"}) {
    CAPTURE(text);
    const Made one = make(1, 1, text, Weights::uniform);
    for (const Rank ranks : {2, 3, 5, 8}) {
      const Made many = make(ranks, ranks == 2 ? 2 : 1, text, Weights::uniform);
      CHECK(many.tuples == one.tuples);
      CHECK(many.weights == one.weights);
      const auto [least, most] = std::minmax_element(many.slices.begin(), many.slices.end());
      CHECK(*most - *least <= 1);
    }
  }
}

TEST_CASE("a larger Kronecker list is the same multiset at any rank count") {
  const std::uint64_t hash = hash_of_multiset(make(1, 2, "kron:14").tuples);
  for (const Rank ranks : {3, 8}) CHECK(hash_of_multiset(make(ranks, 1, "kron:14").tuples) == hash);
  CHECK(hash_of_multiset(make(1, 1, "kron:14:16:2").tuples) != hash);
}

TEST_CASE("defaults are edge factor 16 and seed 1") {
  CHECK(make(1, 1, "kron:5").tuples == make(1, 1, "kron:5:16:1").tuples);
  CHECK(make(1, 1, "kron:5").tuples.size() == 512);
  CHECK(make(1, 1, "uniform:5").tuples == make(1, 1, "uniform:5:16:1").tuples);
  CHECK(make(1, 1, "communities:7").tuples == make(1, 1, "communities:7:24:0.1:1").tuples);
  CHECK(make(1, 1, "communities:7").tuples.size() == 128 * 12);
}

TEST_CASE("regular graphs have exactly their edges") {
  CHECK(make(1, 1, "ring:4").tuples == std::vector<Pair>{{0, 1}, {1, 2}, {2, 3}, {3, 0}});
  CHECK(make(1, 1, "star:4").tuples == std::vector<Pair>{{0, 1}, {0, 2}, {0, 3}});
  CHECK(make(1, 1, "path:4").tuples == std::vector<Pair>{{0, 1}, {1, 2}, {2, 3}});
  CHECK(make(1, 1, "complete:4").tuples == std::vector<Pair>{{0, 1}, {0, 2}, {0, 3}, {1, 2}, {1, 3}, {2, 3}});
  CHECK(make(1, 1, "complete:1").tuples.empty());
  CHECK(sorted(make(2, 1, "grid:2x3").tuples) ==
        std::vector<Pair>{{0, 1}, {0, 3}, {1, 2}, {1, 4}, {2, 5}, {3, 4}, {4, 5}});
  const Made cube = make(3, 1, "grid:3x4x5");
  std::vector<Pair> expected;
  for (Vertex a = 0; a < 3; ++a)
    for (Vertex b = 0; b < 4; ++b)
      for (Vertex c = 0; c < 5; ++c) {
        const Vertex v = (a * 4 + b) * 5 + c;
        if (a + 1 < 3) expected.emplace_back(v, v + 20);
        if (b + 1 < 4) expected.emplace_back(v, v + 5);
        if (c + 1 < 5) expected.emplace_back(v, v + 1);
      }
  CHECK(sorted(cube.tuples) == sorted(expected));
  CHECK(cube.range.count == 60);
  CHECK_FALSE(cube.directed);
}

TEST_CASE("every rank's slice of complete:N continues the previous one") {
  const Made whole = make(8, 1, "complete:101");
  std::vector<Pair> expected;
  for (Vertex u = 0; u < 101; ++u)
    for (Vertex v = u + 1; v < 101; ++v) expected.emplace_back(u, v);
  CHECK(whole.tuples == expected);
}

TEST_CASE("quadrants have the requested probabilities at every level") {
  constexpr std::size_t kTuples = 1 << 18;
  for (const int scale : {4, 10, 13}) {
    const Kronecker::Quadrants asked{.a = 0.5, .b = 0.3, .c = 0.05};
    const Kronecker kronecker(scale, asked, 7);
    std::vector<std::uint32_t> source(kTuples), target(kTuples);
    kronecker.fill_unpermuted(0, std::span(source), std::span(target));
    const double probability[4] = {0.5, 0.3, 0.05, 0.15};
    for (int level = 0; level < scale; ++level) {
      double count[4] = {};
      for (std::size_t i = 0; i < kTuples; ++i) ++count[(source[i] >> level & 1) * 2 + (target[i] >> level & 1)];
      for (int q = 0; q < 4; ++q) {  // five standard deviations
        const double mean = kTuples * probability[q];
        CAPTURE(level);
        CAPTURE(q);
        CHECK(std::abs(count[q] - mean) < 5 * std::sqrt(mean));
      }
    }
    for (std::size_t i = 0; i < kTuples; ++i) REQUIRE((source[i] | target[i]) < 1U << scale);
  }
}

TEST_CASE("labels are permuted by a bijection and tuples are in no order") {
  const Kronecker kronecker(10, {}, 3);
  std::vector<bool> seen(1024);
  for (std::uint64_t v = 0; v < 1024; ++v) seen[kronecker.permutation()(v)] = true;
  CHECK(std::count(seen.begin(), seen.end(), true) == 1024);
  std::vector<Vertex> u(4096), v(4096), pu(4096), pv(4096);
  kronecker.fill_unpermuted(5, std::span(u), std::span(v));
  kronecker.fill(5, std::span(pu), std::span(pv));
  for (std::size_t i = 0; i < u.size(); ++i) {
    REQUIRE(pu[i] == static_cast<Vertex>(kronecker.permutation()(static_cast<std::uint64_t>(u[i]))));
    REQUIRE(pv[i] == static_cast<Vertex>(kronecker.permutation()(static_cast<std::uint64_t>(v[i]))));
  }
}

TEST_CASE("Kronecker degrees are skewed, uniform degrees are not") {
  const auto degrees = [](const Made& made) {
    std::vector<Edge> degree(static_cast<std::size_t>(made.range.count));
    for (const auto& [u, v] : made.tuples) ++degree[static_cast<std::size_t>(u)], ++degree[static_cast<std::size_t>(v)];
    return degree;
  };
  const auto kron = degrees(make(1, 2, "kron:14")), uniform = degrees(make(1, 2, "uniform:14"));
  // Vertex 0 before permutation: each endpoint picks it with probability .76^14, so about 11,250 of 524,288.
  const Edge top = *std::max_element(kron.begin(), kron.end());
  CHECK(top > 10500);
  CHECK(top < 12000);
  const auto isolated = std::count(kron.begin(), kron.end(), 0);
  CHECK(isolated > 16384 / 10);
  CHECK(*std::max_element(uniform.begin(), uniform.end()) < 80);
  CHECK(*std::min_element(uniform.begin(), uniform.end()) > 5);
}

TEST_CASE("rmat is directed and its degrees are asymmetric") {
  const Made made = make(1, 1, "rmat:12:0.5,0.4,0.05");
  CHECK(made.directed);
  std::map<Vertex, Edge> out, in;
  for (const auto& [u, v] : made.tuples) ++out[u], ++in[v];
  const auto most = [](const std::map<Vertex, Edge>& degree) {
    Edge top = 0;
    for (const auto& [v, d] : degree) top = std::max(top, d);
    return top;
  };
  CHECK(most(out) > 5 * most(in));  // (.9/.55)^12 is 370 for the same vertex; other hubs reduce it
  CHECK(out.size() < in.size());
}

TEST_CASE("weights are single precision in [0, 1), uniform, and change no edge") {
  const Made with = make(1, 1, "kron:10", Weights::uniform), without = make(1, 1, "kron:10");
  CHECK(with.tuples == without.tuples);
  CHECK(without.weights.empty());
  REQUIRE(with.weights.size() == with.tuples.size());
  double sum = 0;
  for (const double w : with.weights) {
    REQUIRE((w >= 0 && w < 1));
    sum += w;
  }
  CHECK(sum / static_cast<double>(with.weights.size()) == doctest::Approx(0.5).epsilon(0.02));
}

TEST_CASE("ids are 32 bits wide where they fit") {
  run_ranks(1, Plan{}, [](World& world) {
    CHECK(generate(world, "star:3").source.index() == 0);
    CHECK(generate(world, "ring:100").range->count == 100);
  });
  CHECK(GeneratorText::parse("kron:40:1").tuples == Edge{1} << 40);
}

TEST_CASE("a generator's name is recognised by its colon") {
  CHECK(is_generator("kron:20"));
  CHECK(is_generator("grid:"));
  CHECK_FALSE(is_generator("kron"));
  CHECK_FALSE(is_generator("krona:3"));
  CHECK_FALSE(is_generator("dir/kron:20"));
  CHECK_FALSE(is_generator("graph.txt"));
}

TEST_CASE("a bad text is an input error that shows the right form") {
  for (const char* text : {"kron:",
                           "kron:0",
                           "kron:x",
                           "kron:-3",
                           "kron:20:",
                           "kron:20:0",
                           "kron:20:16:1:1",
                           "kron:49",
                           "kron:48:2000000",
                           "kron: 20",
                           "kron:20.5",
                           "kron:99999999999999999999999",
                           "rmat:10",
                           "rmat:10:0.5,0.3",
                           "rmat:10:0.5,0.3,0.3",
                           "rmat:10:nan,0,0",
                           "rmat:10:-0.1,0.3,0.3",
                           "rmat:10:a,b,c",
                           "uniform:10:16:1:2",
                           "grid:5",
                           "grid:5x0",
                           "grid:2x2x2x2",
                           "grid:16777216x16777217",
                           "grid:999999999999x999999999999x999999999999",
                           "ring:2",
                           "ring:0",
                           "star:0",
                           "path:",
                           "complete:0",
                           "complete:281474976710656",
                           "path:281474976710657"}) {
    CAPTURE(text);
    const std::string message = generator_refusal(text);
    CHECK(message.find(text) != std::string::npos);
    CHECK(message.find("for example") != std::string::npos);
  }
  CHECK(generator_refusal("kron:x:1") ==
        "kron:x:1: SCALE is 'x' (not a whole number). Write kron:SCALE[:EDGEFACTOR[:SEED]], for example kron:20:16:1.");
  CHECK(generator_refusal("torus:3x3").find("no generator has this name") != std::string::npos);
}

TEST_CASE("a graph that no machine can hold is rejected on every rank before any allocation") {
  for (const Rank ranks : {1, 3}) {
    std::vector<int> refused(static_cast<std::size_t>(ranks));
    run_ranks(ranks, Plan{}, [&](World& world) {
      try {
        generate(world, "kron:44");
      } catch (const InputError&) {
        refused[static_cast<std::size_t>(world.rank())] = 1;
      }
    });
    CHECK(std::count(refused.begin(), refused.end(), 1) == ranks);
  }
}
