// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <algorithm>
#include <atoll/base/random.hpp>
#include <atoll/device/device_graph.hpp>
#include <cmath>
#include <deque>
#include <exception>
#include <numeric>
#include <thread>
#include <vector>

#include "test_device.hpp"

using namespace atl;

namespace {

using Pairs = std::vector<std::pair<Local, Local>>;

/// A graph as lists, each in ascending order.
struct Lists {
  std::vector<Edge> offsets;
  std::vector<Local> column_indices;
  SparsePattern pattern() const {
    const auto n = static_cast<std::int64_t>(offsets.size()) - 1;
    return {n, n, offsets, column_indices};
  }
  std::span<const Local> of(Local v) const {
    const auto at = static_cast<std::size_t>(v);
    return std::span(column_indices)
        .subspan(static_cast<std::size_t>(offsets[at]), static_cast<std::size_t>(offsets[at + 1] - offsets[at]));
  }
};

Lists lists_of(Local n, Pairs pairs) {
  std::sort(pairs.begin(), pairs.end());
  Lists out{std::vector<Edge>(static_cast<std::size_t>(n) + 1, 0), {}};
  for (const auto& [u, v] : pairs) {
    ++out.offsets[static_cast<std::size_t>(u) + 1];
    out.column_indices.push_back(v);
  }
  std::partial_sum(out.offsets.begin(), out.offsets.end(), out.offsets.begin());
  return out;
}

struct Case {
  const char* name;
  Local n;
  bool directed;
  Lists out, in;

  Case(const char* text, Local vertices, Pairs pairs, bool is_directed)
      : name(text), n(vertices), directed(is_directed) {
    Pairs back;
    for (const auto& [u, v] : pairs)
      if (is_directed || u != v) back.emplace_back(v, u);
    if (!is_directed) {
      pairs.insert(pairs.end(), back.begin(), back.end());
      back = pairs;
    }
    out = lists_of(n, std::move(pairs));
    in = lists_of(n, std::move(back));
  }
  DeviceCsr on(const Stream& stream) const {
    return directed ? DeviceCsr(stream, out.pattern(), in.pattern()) : DeviceCsr(stream, out.pattern());
  }
};

/// Ends drawn with a bias to small numbers, so that a few vertices have many edges; those from 3/4 n on have none.
Pairs skewed(Local n, int edges, std::uint64_t seed) {
  Pairs out;
  const auto end = [&](std::uint64_t i) {
    const double x = static_cast<double>(random_at(seed, i) >> 11) * 0x1p-53;
    return static_cast<Local>(x * x * x * 0.75 * n);
  };
  for (int e = 0; e < edges; ++e) {
    const auto i = static_cast<std::uint64_t>(2 * e);
    out.emplace_back(end(i), end(i + 1));
  }
  return out;
}

Pairs star(Local leaves, bool outwards) {
  Pairs out;
  for (Local v = 1; v <= leaves; ++v) out.emplace_back(outwards ? 0 : v, outwards ? v : 0);
  return out;
}

Pairs path(Local n) {
  Pairs out;
  for (Local v = 1; v < n; ++v) out.emplace_back(v - 1, v);
  return out;
}

Pairs twice_with_loops(Pairs pairs, Local n) {
  const Pairs once = pairs;
  pairs.insert(pairs.end(), once.begin(), once.end());
  for (Local v = 0; v < n; v += 3) pairs.emplace_back(v, v);
  return pairs;
}

/// Leaves enter a vertex in the middle, so that vertices around it share chunks with a part of its long row.
Pairs hub_inside() {
  Pairs out = path(300);
  for (Local v = 0; v < 300; ++v) out.emplace_back(v, 220);
  return out;
}

/// The last vertex has its possible parents behind 60 others, so that a pull finds several at once, and late.
Pairs late_parents() {
  Pairs out;
  for (Local v = 1; v <= 60; ++v) out.emplace_back(v, 199);
  for (Local v = 100; v < 150; ++v) {
    out.emplace_back(0, v);
    out.emplace_back(v, 199);
  }
  return out;
}

std::vector<Case> cases() {
  std::vector<Case> all;
  all.emplace_back("one vertex", 1, Pairs{}, true);
  all.emplace_back("one vertex with a loop", 1, Pairs{{0, 0}}, false);
  all.emplace_back("no edges", 70, Pairs{}, false);
  all.emplace_back("directed, dangling and isolated vertices", 501, skewed(501, 3000, 1), true);
  all.emplace_back("undirected, isolated vertices", 640, skewed(640, 2000, 2), false);
  all.emplace_back("duplicates and loops", 333, twice_with_loops(skewed(333, 900, 3), 333), true);
  all.emplace_back("undirected duplicates and loops", 333, twice_with_loops(skewed(333, 900, 4), 333), false);
  all.emplace_back("star outwards", 5001, star(5000, true), true);
  all.emplace_back("star inwards", 5001, star(5000, false), true);
  all.emplace_back("undirected star", 5001, star(5000, true), false);
  all.emplace_back("directed path", 70, path(70), true);
  all.emplace_back("undirected path", 70, path(70), false);
  all.emplace_back("a long row among short ones", 300, hub_inside(), true);
  all.emplace_back("parents late in a list", 200, late_parents(), true);
  return all;
}

/// On devices of two architectures, and with three orders of threads. The emulation draws by the seed that a thread's
/// first device finds.
template <class F>
void on_devices(F&& f) {
  const char* const given = std::getenv("ATOLL_EMULATION_SEED");
  const std::string before = given ? given : "";
  for (const int architecture : architectures())
    for (const char* const seed : {"1", "20", "333"}) {
      setenv("ATOLL_EMULATION_SEED", seed, 1);
      std::exception_ptr error;
      std::thread([&] {
        try {
          const TestDevice tested(architecture);
          f(tested.device());
        } catch (...) {
          error = std::current_exception();
        }
      }).join();
      before.empty() ? unsetenv("ATOLL_EMULATION_SEED") : setenv("ATOLL_EMULATION_SEED", before.c_str(), 1);
      if (error) std::rethrow_exception(error);
    }
}

struct Ranks {
  std::vector<double> rank;
  int iterations = 0;
  double change = 0;
};

Ranks serial_pagerank(const Case& c, const DevicePageRankOptions& options) {
  const auto n = static_cast<std::size_t>(c.n);
  Ranks out{std::vector<double>(n, 1.0 / c.n)};
  while (out.iterations < options.max_iterations) {
    double lost = 0;
    std::vector<double> next(n, 0);
    for (Local u = 0; u < c.n; ++u) {
      const auto targets = c.out.of(u);
      const double rank = out.rank[static_cast<std::size_t>(u)];
      if (targets.empty()) lost += rank;
      for (const Local v : targets) next[static_cast<std::size_t>(v)] += rank / static_cast<double>(targets.size());
    }
    if (!options.spread_dangling) lost = 0;
    out.change = 0;
    for (std::size_t v = 0; v < n; ++v) {
      next[v] = (1 - options.damping) / c.n + options.damping * (next[v] + lost / c.n);
      out.change += std::abs(next[v] - out.rank[v]);
    }
    out.rank = std::move(next);
    ++out.iterations;
    if (options.tolerance && out.change < *options.tolerance) break;
  }
  return out;
}

std::vector<Local> serial_depths(const Case& c, Local source) {
  std::vector<Local> depth(static_cast<std::size_t>(c.n), -1);
  std::deque<Local> queue{source};
  depth[static_cast<std::size_t>(source)] = 0;
  for (; !queue.empty(); queue.pop_front())
    for (const Local v : c.out.of(queue.front()))
      if (depth[static_cast<std::size_t>(v)] < 0) {
        depth[static_cast<std::size_t>(v)] = depth[static_cast<std::size_t>(queue.front())] + 1;
        queue.push_back(v);
      }
  return depth;
}

template <class Real>
DevicePageRankResult<Real> expect_ranks(const Stream& stream, const Case& c, const DevicePageRankOptions& options,
                                        double within) {
  const DeviceCsr csr = c.on(stream);
  auto found = device_pagerank<Real>(stream, csr, options);
  const Ranks wanted = serial_pagerank(c, options);
  INFO(c.name);
  REQUIRE(found.rank.size() == wanted.rank.size());
  double worst = 0, sum = 0;
  for (std::size_t v = 0; v < wanted.rank.size(); ++v) {
    const double difference = std::abs(static_cast<double>(found.rank[v]) - wanted.rank[v]);
    worst = difference <= worst ? worst : difference;  // a NaN stays
    sum += static_cast<double>(found.rank[v]);
  }
  CHECK(worst < within);
  if (options.spread_dangling) CHECK(sum == doctest::Approx(1).epsilon(within));
  CHECK(found.change == doctest::Approx(wanted.change).epsilon(1e-3));
  if (std::is_same_v<Real, double>) CHECK(found.iterations == wanted.iterations);
  CHECK(found.converged == (options.tolerance && found.change < *options.tolerance));
  return found;
}

void expect_tree(const Case& c, Local source, const DeviceBfsResult& found) {
  const std::vector<Local> depths = serial_depths(c, source);
  INFO(c.name);
  CAPTURE(source);
  std::int64_t wrong_depths = 0, wrong_parents = 0, reached = 0, edges = 0;
  Local deepest = 0;
  REQUIRE(found.depth.size() == depths.size());
  for (Local v = 0; v < c.n; ++v) {
    const auto at = static_cast<std::size_t>(v);
    wrong_depths += found.depth[at] != depths[at];
    Local parent = v == source ? source : -1;
    if (depths[at] > 0)  // lists ascend, so the first
      for (const Local u : c.in.of(v))
        if (parent < 0 && depths[static_cast<std::size_t>(u)] == depths[at] - 1) parent = u;
    wrong_parents += found.parent[at] != parent;
    if (depths[at] < 0) continue;
    ++reached;
    edges += static_cast<std::int64_t>(c.out.of(v).size());
    deepest = std::max(deepest, depths[at]);
  }
  CHECK(wrong_depths == 0);
  CHECK(wrong_parents == 0);
  CHECK(found.reached == reached);
  CHECK(found.edges == edges);
  CHECK(found.levels == deepest + 1);
}

}  // namespace

TEST_CASE("PageRank agrees with a serial one") {
  on_devices([](Device& device) {
    const Stream stream(device);
    for (const Case& c : cases()) {
      expect_ranks<double>(stream, c, {.tolerance = 1e-9}, 1e-12);
      expect_ranks<float>(stream, c, {.tolerance = {}, .max_iterations = 7}, 1e-6);
    }
  });
}

TEST_CASE("PageRank ends by its iterations, and may lose dangling rank") {
  on_devices([](Device& device) {
    const Stream stream(device);
    const Case c("dangling", 501, skewed(501, 3000, 5), true);
    for (const int iterations : {1, 4, 6}) {
      const auto found = expect_ranks<double>(stream, c, {.tolerance = {}, .max_iterations = iterations}, 1e-12);
      CHECK(found.iterations == iterations);
    }
    const auto lost = expect_ranks<double>(stream, c, {.damping = 0.5, .spread_dangling = false}, 1e-12);
    CHECK(lost.converged);
  });
}

TEST_CASE("PageRank is the same bit for bit whatever the order of threads") {
  std::vector<std::vector<float>> all;
  on_devices([&](Device& device) {
    const Stream stream(device);
    const Case c("skewed", 640, skewed(640, 4000, 6), false);
    const DeviceCsr csr = c.on(stream);
    const auto found = device_pagerank<float>(stream, csr);
    all.emplace_back(found.rank.begin(), found.rank.end());
  });
  for (const auto& ranks : all) CHECK(ranks == all.front());
}

TEST_CASE("breadth-first search finds the tree of least parents in every direction") {
  using enum DeviceBfsOptions::Direction;
  on_devices([](Device& device) {
    const Stream stream(device);
    for (const Case& c : cases()) {
      const DeviceCsr csr = c.on(stream);
      DeviceBfs search(stream, csr);
      DeviceBfsResult found;
      for (const auto direction : {automatic, push, pull})
        for (const Local source : {0, c.n / 2, c.n - 1}) {
          // With graphs this small, levels lie on both sides of a limit of 6.
          search.run(source,
                     {.direction = direction,
                      .small_level_edges = source == 0        ? 0u
                                           : source < c.n - 1 ? 6u
                                                              : 8192u},
                     found);
          expect_tree(c, source, found);
          if (direction == push) CHECK(found.pulls == 0);
          if (direction == pull) CHECK(found.pulls >= found.levels - 1);
        }
    }
  });
}

TEST_CASE("breadth-first search changes its direction and back") {
  // A dense part between two paths.
  Pairs pairs = skewed(1000, 12000, 7);
  for (Local v = 1000; v < 1040; ++v) pairs.emplace_back(v, v == 1039 ? 0 : v + 1);
  for (Local v = 1040; v < 1080; ++v) pairs.emplace_back(v == 1040 ? 1 : v - 1, v);
  const Case c("a dense part between paths", 1080, std::move(pairs), false);
  on_devices([&](Device& device) {
    const Stream stream(device);
    const DeviceCsr csr = c.on(stream);
    for (const std::uint64_t narrow : {0, 4, 8192}) {
      const auto found = device_bfs(stream, csr, 1000, {.small_level_edges = narrow});
      expect_tree(c, 1000, found);
      CHECK(found.pulls > 0);
      CHECK(found.pulls < found.levels / 2);
    }
  });
}

TEST_CASE("a frontier of one vertex is pushed, to the end of a path") {
  const Case c("path", 200, path(200), false);
  on_devices([&](Device& device) {
    const Stream stream(device);
    const DeviceCsr csr = c.on(stream);
    const auto found = device_bfs(stream, csr, 0);
    expect_tree(c, 0, found);
    CHECK(found.pulls == 0);
  });
}

TEST_CASE("more levels than one kernel may find") {
  const Case c("a long path", 4100, path(4100), true);
  const TestDevice tested;
  const Stream stream(tested.device());
  const DeviceCsr csr = c.on(stream);
  expect_tree(c, 0, device_bfs(stream, csr, 0));
}

TEST_CASE("options and lists out of range are refused") {
  const TestDevice tested;
  const Stream stream(tested.device());
  const Case c("path", 5, path(5), true), longer("longer path", 6, path(6), true);
  const DeviceCsr csr = c.on(stream);
  CHECK_THROWS_AS(device_bfs(stream, csr, 5), InputError);
  CHECK_THROWS_AS(device_bfs(stream, csr, -1), InputError);
  CHECK_THROWS_AS(device_bfs(stream, csr, 0, {.alpha = 0}), InputError);
  CHECK_THROWS_AS(DeviceCsr(stream, c.out.pattern(), longer.in.pattern()), InputError);
  SparsePattern oblong = c.out.pattern();
  oblong.columns = 9;
  CHECK_THROWS_AS(DeviceCsr(stream, oblong), InputError);
}

TEST_CASE("a graph without vertices has no ranks") {
  const TestDevice tested;
  const Stream stream(tested.device());
  const Case none("none", 0, Pairs{}, false);
  const DeviceCsr csr = none.on(stream);
  CHECK(device_pagerank<double>(stream, csr).rank.size() == 0);
  CHECK_THROWS_AS(device_bfs(stream, csr, 0), InputError);
}
