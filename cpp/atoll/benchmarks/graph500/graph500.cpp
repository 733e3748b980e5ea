// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/bfs/bfs.hpp>
#include <atoll/algorithms/sssp/sssp.hpp>
#include <atoll/benchmarks/graph500/graph500.hpp>
#include <atoll/benchmarks/graph500/search_keys.hpp>
#include <atoll/graph/generate/generate.hpp>
#include <atoll/verify/bfs/tree.hpp>
#include <atoll/verify/shortest_paths/shortest_paths.hpp>
#include <nlohmann/json.hpp>

// Graph500 specification 2.0, 2017, https://graph500.org/?page_id=12; the numbers of its sections are not repeated here.

namespace atl {
namespace {

/// N is not given: the greatest id tells. (That the ids are 0 .. N-1 is what the specification promises.)
IdRange discover_range(World& world, const EdgeList& edges) {
  std::vector<Vertex> most(static_cast<std::size_t>(world.team().size()), -1);
  for (const IdColumn* column : {&edges.source, &edges.target})
    std::visit(
        [&](const auto& ids) {
          world.team().for_range(ids.size(), 1 << 16, [&](int thread, std::size_t a, std::size_t b) {
            auto largest = ids[a];
            for (std::size_t i = a; i < b; ++i) largest = std::max(largest, ids[i]);
            Vertex& mine = most[thread];
            mine = std::max(mine, static_cast<Vertex>(largest));
          });
        },
        *column);
  return {0, world.max(*std::max_element(most.begin(), most.end())) + 1};
}

/// Runs f between two meetings of all ranks: what the slowest took.
template <class F>
double timed(World& world, F&& f) {
  world.barrier();
  const RankTimer timer(world);
  f();
  return world.max(timer.seconds());
}

/// One benchmark: kernel 1, then the searches of each kernel that was asked for.
class Benchmark {
 public:
  Benchmark(World& world, const Graph500Options& options) : world_(world) { result_.options = options; }

  Graph500Result run() {
    const Graph500Options& options = result_.options;
    result_.generation_seconds = timed(world_, [&] {
      edges_ = generate(world_, fmt::format("kron:{}:{}:{}", options.scale, options.edge_factor, options.seed),
                        {.weights = options.sssp ? Weights::uniform : Weights::none});
    });
    edges_.range.reset();
    construct();
    result_.keys = search_keys(*graph_, options.searches, random_at(options.seed, 0x6b657973));
    world_.log()(LogLevel::info, "graph500: kernel 1 took {:.3f} s; {} search keys", result_.construction_seconds,
                 result_.keys.size());
    if (options.bfs) search_levels();
    if (options.sssp && result_.failure.empty()) search_paths();
    return std::move(result_);
  }

 private:
  void construct() {
    const Counters before = world_.counters();
    result_.construction_seconds = timed(world_, [&] {
      RankTimer timer(world_);
      auto& parts = result_.construction_parts;
      edges_.range = discover_range(world_, edges_);
      parts["discover"] = timer.lap();
      IdMap ids = number(world_, edges_);
      parts["number"] = timer.lap();
      graph_.emplace(Graph::build(world_, edges_, std::move(ids)));
      parts["build"] = timer.lap();
      for (const auto& [part, seconds] : graph_->report().seconds) parts["build " + part] = seconds;
      timer.lap();
      if (result_.options.bfs) levels_.emplace(*graph_);
      if (result_.options.sssp) paths_.emplace(*graph_);
      parts["layout"] = timer.lap();
    });
    result_.construction_counters = world_.counters().since(before);
    for (auto& [part, seconds] : result_.construction_parts) seconds = world_.max(seconds);
  }

  /// One timed search.
  template <class F>
  double counted(F&& search) {
    Counters spent;
    const double seconds = timed(world_, [&] {
      const Counters before = world_.counters();
      search();
      spent = world_.counters().since(before);
    });
    result_.search_counters += spent;
    return seconds;
  }

  void fail(const char* kernel, Vertex key, std::size_t number, const std::string& what) {
    result_.failure =
        fmt::format("graph500: the {} from key {} (number {}) is not valid: {}", kernel, key, number, what);
  }

  void search_levels() {
    if (!result_.keys.empty()) levels_->run(result_.keys[0], tree_);  // untimed: first use of buffers and links
    for (const Vertex key : result_.keys) {
      const double seconds = counted([&] { levels_->run(key, tree_); });
      const RankTimer timer(world_);
      const BfsTreeReport report = verify_bfs(*graph_, key, {tree_.parent.data(), tree_.parent.size()}, {},
                                              Tuples::of(edges_), TupleKind::undirected);
      result_.verification_seconds += world_.max(timer.seconds());
      if (!report.ok) return fail("search", key, result_.bfs.seconds.size() + 1, report.what);
      result_.bfs.seconds.push_back(seconds);
      result_.bfs.edges.push_back(static_cast<double>(report.edges_in_component));
    }
  }

  void search_paths() {
    SsspResult<float> found;
    if (!result_.keys.empty()) paths_->run(result_.keys[0], found);  // untimed, as above
    for (const Vertex key : result_.keys) {
      const double seconds = counted([&] { paths_->run(key, found); });
      const RankTimer timer(world_);
      const PathsVerdict verdict = verify_sssp<float>(*graph_, key, {found.distance.data(), found.distance.size()},
                                                      {found.parent.data(), found.parent.size()}, edges_);
      result_.verification_seconds += world_.max(timer.seconds());
      if (!verdict.ok) return fail("paths", key, result_.sssp.seconds.size() + 1, verdict.what);
      result_.sssp.seconds.push_back(seconds);
      result_.sssp.edges.push_back(static_cast<double>(verdict.edges_in_component));
    }
  }

  World& world_;
  Graph500Result result_;
  EdgeList edges_;
  std::optional<Graph> graph_;
  std::optional<Bfs> levels_;
  std::optional<Sssp<float>> paths_;
  BfsResult tree_;
};

}  // namespace

Graph500Result run_graph500(World& world, const Graph500Options& options) {
  check(options.searches >= 1 && options.searches <= 1 << 20,
        "searches is {} (1 to 1048576). The specification asks for 64.", options.searches);
  check(options.bfs || options.sssp, "graph500: no kernel is chosen (bfs, sssp or both). Choose one.");
  return Benchmark(world, options).run();
}

std::string Graph500Result::block() const {
  std::string text = fmt::format("SCALE: {}\nedgefactor: {}\nNBFS: {}\nconstruction_time: {:.17e}\n", options.scale,
                                 options.edge_factor, keys.size(), construction_seconds);
  if (!failure.empty()) return text + failure + "\nNo results printed for invalid run.\n";
  return text + statistics_block("bfs", bfs) + statistics_block("sssp", sssp);
}

nlohmann::json Graph500Result::to_json() const {
  nlohmann::json j = {{"scale", options.scale},
                      {"edge_factor", options.edge_factor},
                      {"seed", options.seed},
                      {"searches", std::max(bfs.seconds.size(), sssp.seconds.size())},
                      {"generation_seconds", generation_seconds},
                      {"construction_seconds", construction_seconds},
                      {"construction_parts", construction_parts},
                      {"verification_seconds", verification_seconds}};
  if (!failure.empty()) {
    j["failure"] = failure;
    return j;
  }
  j["harmonic_mean_teps"] = harmonic_mean_teps();
  j["sssp_harmonic_mean_teps"] = Statistics::of_rates(sssp.teps()).mean;
  const auto fields = [&](const std::string& kernel, const SearchTimes& searches) {
    const auto add = [&](const char* what, const Statistics& s) {
      for (const auto& [name, value] : {std::pair("min", s.min),
                                        {"firstquartile", s.first_quartile},
                                        {"median", s.median},
                                        {"thirdquartile", s.third_quartile},
                                        {"max", s.max}})
        j[fmt::format("{}_{}_{}", kernel, name, what)] = value;
    };
    for (const auto& [what, values] : {std::pair("time", &searches.seconds), {"nedge", &searches.edges}}) {
      const Statistics s = Statistics::of(*values);
      add(what, s);
      j[fmt::format("{}_mean_{}", kernel, what)] = s.mean;
      j[fmt::format("{}_stddev_{}", kernel, what)] = s.stddev;
    }
    const Statistics teps = Statistics::of_rates(searches.teps());
    add("TEPS", teps);
    j[kernel + "_harmonic_mean_TEPS"] = teps.mean;
    j[kernel + "_harmonic_stddev_TEPS"] = teps.stddev;
  };
  fields("bfs", bfs);
  fields("sssp", sssp);
  return j;
}

}  // namespace atl
