// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/gnn/dropout.hpp>
#include <atoll/gnn/gcn.hpp>
#include <cstring>
#include <string>

#include "shapes.hpp"

using namespace atl;

namespace {

constexpr std::int32_t kClasses = 3;

// A graph of n vertices, whose ids are 10, 13, 16, ..; with some loops and double edges.
Graph graph_of(World& world, Vertex n, bool directed, Partition partition = Partition::blocked) {
  EdgeList edges;
  edges.directed = directed;
  edges.name = "random";
  Array<Vertex> source, target;
  if (world.rank() == 0) {
    const auto m = static_cast<std::size_t>(4 * n);
    source = Array<Vertex>(m);
    target = Array<Vertex>(m);
    for (std::size_t e = 0; e < m; ++e) {
      source[e] = 10 + 3 * static_cast<Vertex>(e < static_cast<std::size_t>(n) ? e : random_at(5, e) % n);
      target[e] = 10 + 3 * static_cast<Vertex>(random_at(6, e) % static_cast<std::uint64_t>(n));
    }
  }
  edges.source = std::move(source);
  edges.target = std::move(target);
  GraphOptions options;
  options.placement.partition = partition;
  return Graph::build(world, std::move(edges), options);
}

double value_of(Vertex id, std::int64_t column) {
  return static_cast<double>(random_at(9, static_cast<std::uint64_t>(id * 100 + column)) % 2001) / 1000 - 1;
}

template <class T>
VertexFeatures<T> features_of(const Graph& graph, std::int64_t columns, bool sparse) {
  const auto has = [&](Vertex id, std::int64_t j) { return !sparse || random_at(11, id * 100 + j) % 3 == 0; };
  Matrix<T> dense(graph.owned(), columns);
  SparseMatrix<T> some{.rows = graph.owned(), .columns = columns};
  some.offsets = Array<Edge>(static_cast<std::size_t>(graph.owned()) + 1, 0);
  std::vector<std::pair<Local, T>> found;
  for (Local i = 0; i < graph.owned(); ++i) {
    const Vertex id = graph.ids().id_of(i);
    for (std::int64_t j = 0; j < columns; ++j) {
      dense(i, j) = static_cast<T>(has(id, j) ? value_of(id, j) : 0);
      if (has(id, j)) found.emplace_back(static_cast<Local>(j), dense(i, j));
    }
    some.offsets[static_cast<std::size_t>(i) + 1] = static_cast<Edge>(found.size());
  }
  if (!sparse) return dense;
  some.column_indices = Array<Local>(found.size());
  some.values = Array<T>(found.size());
  for (std::size_t e = 0; e < found.size(); ++e) {
    some.column_indices[e] = found[e].first;
    some.values[e] = found[e].second;
  }
  return some;
}

VertexTargets targets_of(const Graph& graph) {
  VertexTargets out;
  for (Local i = 0; i < graph.owned(); ++i) {
    const auto id = static_cast<std::uint64_t>(graph.ids().id_of(i));
    const auto role = id == 10 ? VertexRole::train : static_cast<VertexRole>(random_at(3, id) % kRoles);
    out.roles.push_back(role);
    out.labels.push_back(role == VertexRole::none ? -1 : static_cast<std::int32_t>(random_at(4, id) % kClasses));
  }
  return out;
}

Plan plan_of(int threads) {
  Plan plan;
  plan.threads = threads;
  plan.timeout_seconds = 120;
  return plan;
}

// Losses of some epochs, and the weights at the end.
template <class T>
std::vector<double> curve(Rank ranks, const GcnOptions& options, bool directed, bool sparse, int threads = 1,
                          Partition partition = Partition::blocked, Vertex vertices = 60,
                          const std::string& domains = "") {
  std::vector<double> out;
  Plan plan = plan_of(threads);
  plan.domains = domains;
  run_ranks(ranks, plan, [&](World& world) {
    const Graph graph = graph_of(world, vertices, directed, partition);
    Gcn<T> gcn(graph, 7, kClasses, options);
    gcn.set_features(features_of<T>(graph, 7, sparse));
    gcn.set_targets(targets_of(graph));
    std::vector<double> mine;
    for (int epoch = 0; epoch < 6; ++epoch) mine.push_back(gcn.train());
    for (const Scores& scores : gcn.scores()) {
      mine.push_back(scores.loss);
      mine.push_back(scores.accuracy);
    }
    for (const T w : gcn.parameters()) mine.push_back(static_cast<double>(w));
    for (const double x : mine) CHECK(world.max(x) == world.min(x));  // bit for bit on all ranks
    if (world.rank() == 0) out = mine;
  });
  return out;
}

void check_near(const std::vector<double>& a, const std::vector<double>& b, double within) {
  REQUIRE(a.size() == b.size());
  double worst = 0;
  for (std::size_t i = 0; i < a.size(); ++i) worst = std::max(worst, std::abs(a[i] - b[i]));
  CHECK(worst <= within);
}

}  // namespace

TEST_CASE("gradients are the differences of the loss, in every order of products") {
  // Widths that grow and shrink, so that A (H W) and (A H) W both occur, in the first layer too.
  const std::vector<std::vector<std::int64_t>> all_widths = {{}, {4}, {2, 5}, {12, 3, 3}};
  for (const Rank ranks : {1, 3})
    for (const auto& widths : all_widths)
      for (const bool directed : {false, true})
        for (const bool sparse : {false, true})
          for (const double dropout : {0.0, 0.4}) {
            CAPTURE(ranks);
            CAPTURE(widths.size());
            CAPTURE(directed);
            CAPTURE(sparse);
            CAPTURE(dropout);
            run_ranks(ranks, plan_of(1), [&](World& world) {
              const Graph graph = graph_of(world, 40, directed);
              Gcn<double> gcn(graph, 7, kClasses, {.widths = widths, .dropout = dropout});
              gcn.set_features(features_of<double>(graph, 7, sparse));
              gcn.set_targets(targets_of(graph));
              const auto parameters = gcn.parameters();
              for (std::size_t i = 0; i < parameters.size(); ++i)  // biases too, so that few sums are just 0
                parameters[i] += 0.1 * value_of(static_cast<Vertex>(i), 50);
              gcn.find_gradients();
              const std::vector<double> said(gcn.gradients().begin(), gcn.gradients().end());
              double largest = 0;
              int wrong = 0;
              for (std::size_t i = 0; i < parameters.size(); ++i) {
                const double before = parameters[i], h = 1e-6;
                parameters[i] = before + h;
                const double up = gcn.find_gradients();
                parameters[i] = before - h;
                const double down = gcn.find_gradients();
                parameters[i] = before;
                wrong += !(std::abs((up - down) / (2 * h) - said[i]) < 1e-7);
                largest = std::max(largest, std::abs(said[i]));
              }
              CHECK(wrong == 0);
              CHECK(largest > 1e-2);
            });
          }
}

TEST_CASE("outputs are the layers' equations") {
  run_ranks(2, plan_of(1), [](World& world) {
    const Graph graph = graph_of(world, 30, true);
    Gcn<double> gcn(graph, 7, kClasses, {.widths = {5}});
    gcn.set_features(features_of<double>(graph, 7, false));
    const auto z = gcn.predict();
    // All of it on every rank, by dense sums in the order of ids.
    const MatrixRows<double> a = rows_of<double>(graph, {EdgeValues::gcn, Diagonal::add});
    const Vertex n = graph.vertices();
    std::vector<double> mine(static_cast<std::size_t>(graph.owned() * n), 0.0), x(static_cast<std::size_t>(n * 7));
    for (std::int64_t i = 0; i < graph.owned(); ++i)
      for (auto e = static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(i)]);
           e < static_cast<std::size_t>(a.offsets[static_cast<std::size_t>(i) + 1]); ++e)
        mine[static_cast<std::size_t>(i * n + a.columns[e])] += a.values[e];
    const std::vector<double> matrix = world.all_gather_varying(std::span<const double>(mine));
    std::vector<Vertex> own;
    for (Local i = 0; i < graph.owned(); ++i) own.push_back(graph.ids().id_of(i));
    const std::vector<Vertex> ids = world.all_gather_varying(std::span<const Vertex>(own));
    for (std::size_t i = 0; i < ids.size(); ++i)
      for (std::int64_t j = 0; j < 7; ++j) x[i * 7 + static_cast<std::size_t>(j)] = value_of(ids[i], j);
    const auto times = [](const std::vector<double>& l, const double* r, std::size_t rows, std::size_t k,
                          std::size_t m) {
      std::vector<double> out(rows * m, 0.0);
      for (std::size_t i = 0; i < rows; ++i)
        for (std::size_t s = 0; s < k; ++s)
          for (std::size_t j = 0; j < m; ++j) out[i * m + j] += l[i * k + s] * r[s * m + j];
      return out;
    };
    const auto rows = static_cast<std::size_t>(n);
    const double* const w = gcn.parameters().data();
    auto h = times(matrix, times(x, w, rows, 7, 5).data(), rows, rows, 5);
    for (std::size_t i = 0; i < h.size(); ++i) h[i] = std::max(0.0, h[i] + w[35 + i % 5]);
    const auto out = times(matrix, times(h, w + 40, rows, 5, kClasses).data(), rows, rows, kClasses);
    const auto first = static_cast<std::size_t>(graph.blocks().begin(world.rank()));
    for (std::int64_t i = 0; i < z.rows; ++i)
      for (std::int64_t j = 0; j < kClasses; ++j)
        CHECK(z(i, j) ==
              doctest::Approx(out[(first + static_cast<std::size_t>(i)) * kClasses + static_cast<std::size_t>(j)] +
                              w[55 + j]));
  });
}

TEST_CASE("the curve is the same on any number of ranks, and any partition") {
  for (const bool directed : {false, true})
    for (const bool sparse : {false, true}) {
      CAPTURE(directed);
      CAPTURE(sparse);
      const GcnOptions options{.widths = {5, 9}, .seed = 3};
      const auto one = curve<double>(1, options, directed, sparse);
      for (const Rank ranks : shapes::kRanks) {
        CAPTURE(ranks);
        check_near(one, curve<double>(ranks, options, directed, sparse, 1), 1e-9);
      }
      check_near(one, curve<double>(4, options, directed, sparse, 1, Partition::hashed), 1e-9);
      check_near(one, curve<double>(4, options, directed, sparse, 2, Partition::blocked, 60, "2x2"), 1e-9);
      check_near(one, curve<float>(3, options, directed, sparse), 1e-3);
      // Another seed is another curve.
      const auto other = curve<double>(1, {.widths = {5, 9}, .seed = 4}, directed, sparse);
      CHECK(other != one);
    }
}

TEST_CASE("the curve is the same in any order of the vertices inside, and outputs are in the graph's") {
  for (const bool directed : {false, true})
    for (const bool sparse : {false, true}) {
      const auto as_it_is = curve<double>(1, {.widths = {5, 4}, .dropout = 0.3, .order = "none"}, directed, sparse);
      for (const Rank ranks : {1, 2, 3})
        for (const char* order : {"rabbit", "random", "degree"}) {
          CAPTURE(ranks);
          CAPTURE(std::string(order));
          const GcnOptions options{.widths = {5, 4}, .dropout = 0.3, .order = order};
          check_near(as_it_is, curve<double>(ranks, options, directed, sparse), 1e-9);
        }
    }
  run_ranks(3, plan_of(1), [](World& world) {
    const Graph graph = graph_of(world, 60, true);
    Gcn<double> plain(graph, 7, kClasses, {.order = "none"}), other(graph, 7, kClasses, {.order = "random"});
    CHECK(other.order().name == "random");
    CHECK(plain.rows() == other.rows());
    for (Gcn<double>* gcn : {&plain, &other}) {
      gcn->set_features(features_of<double>(graph, 7, false));
      gcn->set_targets(targets_of(graph));
    }
    CHECK(plain.fingerprint() == other.fingerprint());
    const MatrixView<const double> z = plain.predict(), same = other.predict();
    REQUIRE(same.rows == z.rows);
    double worst = 0;
    for (std::int64_t i = 0; i < z.rows; ++i)
      for (std::int64_t j = 0; j < z.cols; ++j) worst = std::max(worst, std::abs(z(i, j) - same(i, j)));
    CHECK(worst < 1e-12);
    CHECK_THROWS_AS(Gcn<double>(graph, 7, kClasses, {.order = "alphabetical"}), UsageError);
  });
}

TEST_CASE("more ranks than vertices") {
  for (const bool sparse : {false, true}) {
    const auto one = curve<double>(1, {.widths = {4}}, false, sparse, 1, Partition::blocked, 6);
    check_near(one, curve<double>(8, {.widths = {4}}, false, sparse, 1, Partition::blocked, 6), 1e-9);
  }
}

TEST_CASE("the curve is the same bit for bit with any number of threads") {
  for (const char* order : {"none", "rcm"}) {  // Rabbit's threads race
    const GcnOptions options{.widths = {8}, .order = order};
    const auto one = curve<float>(2, options, false, true, 1, Partition::blocked, 3000);
    for (const int threads : {2, 3})
      CHECK(curve<float>(2, options, false, true, threads, Partition::blocked, 3000) == one);
  }
}

TEST_CASE("the expectation of what is kept is the value, and layers, epochs and columns differ") {
  const Dropout a(0.3, 1, 0, 0, 50), b(0.3, 1, 1, 0, 50), c(0.3, 1, 0, 1, 50);
  int kept = 0, same_epoch = 0, same_layer = 0;
  for (Vertex v = 0; v < 400; ++v)
    for (std::int64_t j = 0; j < 50; ++j) {
      kept += a.keeps(v, j);
      same_epoch += a.keeps(v, j) == b.keeps(v, j);
      same_layer += a.keeps(v, j) == c.keeps(v, j);
      CHECK(a.keeps(v, j) == a.keeps(a.word(v, j / 4), j));
    }
  CHECK(kept * a.scale() == doctest::Approx(20000).epsilon(0.02));
  CHECK(same_epoch == doctest::Approx(20000 * 0.58).epsilon(0.02));
  CHECK(same_layer == doctest::Approx(20000 * 0.58).epsilon(0.02));
}

TEST_CASE("a run goes on from its parameters, moments and epoch") {
  run_ranks(2, plan_of(1), [](World& world) {
    const Graph graph = graph_of(world, 60, false);
    const auto fresh = [&](Gcn<float>& gcn) {
      gcn.set_features(features_of<float>(graph, 7, true));
      gcn.set_targets(targets_of(graph));
    };
    Gcn<float> whole(graph, 7, kClasses, {}), first(graph, 7, kClasses, {}), second(graph, 7, kClasses, {});
    fresh(whole);
    fresh(first);
    fresh(second);
    for (int epoch = 0; epoch < 5; ++epoch) whole.train();
    for (int epoch = 0; epoch < 2; ++epoch) first.train();
    std::ranges::copy(first.parameters(), second.parameters().begin());
    std::ranges::copy(first.first_moments(), second.first_moments().begin());
    std::ranges::copy(first.second_moments(), second.second_moments().begin());
    second.set_epoch(first.epoch());
    for (int epoch = 2; epoch < 5; ++epoch) second.train();
    CHECK(std::ranges::equal(whole.parameters(), second.parameters()));
  });
}

TEST_CASE("wrong options, features and targets are refused on all ranks alike") {
  run_ranks(3, plan_of(1), [](World& world) {
    const Graph graph = graph_of(world, 40, false);
    const auto wrong = [&](const GcnOptions& options) { Gcn<float>(graph, 7, kClasses, options); };
    CHECK_THROWS_AS(wrong({.widths = {4, 0}}), InputError);
    CHECK_THROWS_AS(wrong({.dropout = 1}), InputError);
    CHECK_THROWS_AS(wrong({.learning_rate = 0}), InputError);
    CHECK_THROWS_AS(wrong({.weight_decay = -1}), InputError);
    Gcn<float> gcn(graph, 7, kClasses, {});
    CHECK_THROWS_AS(gcn.train(), InputError);
    CHECK_THROWS_AS(gcn.predict(), InputError);
    CHECK_THROWS_AS(gcn.set_features(features_of<float>(graph, world.rank() == 1 ? 8 : 7, false)), InputError);
    CHECK_THROWS_AS(gcn.set_features(features_of<float>(graph, 7, world.rank() == 1)), InputError);
    auto x = features_of<float>(graph, 7, false);
    if (world.rank() == 2) std::get<0>(x)(1, 3) = std::numeric_limits<float>::quiet_NaN();
    CHECK_THROWS_WITH_AS(gcn.set_features(std::move(x)),
                         "GCN: a feature of rank 2 is not finite (sums with it would not be either). Replace it.",
                         InputError);
    VertexTargets none = targets_of(graph), high = targets_of(graph), unnamed = targets_of(graph);
    for (VertexRole& role : none.roles) role = VertexRole::none;
    CHECK_THROWS_AS(gcn.set_targets(none), InputError);
    if (world.rank() == 1) high.labels[0] = kClasses;
    CHECK_THROWS_AS(gcn.set_targets(high), InputError);
    if (world.rank() == 1) unnamed.roles[0] = VertexRole::test, unnamed.labels[0] = -1;
    CHECK_THROWS_AS(gcn.set_targets(unnamed), InputError);
  });
}
