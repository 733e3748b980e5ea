// SPDX-License-Identifier: Apache-2.0
#include <atoll/algorithms/bfs.hpp>
#include <atoll/graph/generate.hpp>
#include <atoll/graph500/graph500.hpp>
#include <atoll/graph500/search_keys.hpp>
#include <atoll/verify/bfs_tree.hpp>
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
            Vertex& mine = most[static_cast<std::size_t>(thread)];
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

}  // namespace

Graph500Result run_graph500(World& world, const Graph500Options& options) {
  check(options.searches >= 1 && options.searches <= 1 << 20,
        "searches is {} (1 to 1048576). The specification asks for 64.", options.searches);
  Graph500Result result;
  result.options = options;
  EdgeList edges;
  result.generation_seconds = timed(world, [&] {
    edges = generate(world, fmt::format("kron:{}:{}:{}", options.scale, options.edge_factor, options.seed));
  });
  edges.range.reset();

  std::optional<Graph> graph;
  std::optional<Bfs> search;
  const Counters before_construction = world.counters();
  result.construction_seconds = timed(world, [&] {
    RankTimer timer(world);
    auto& parts = result.construction_parts;
    edges.range = discover_range(world, edges);
    parts["discover"] = timer.lap();
    IdMap ids = number(world, edges);
    parts["number"] = timer.lap();
    graph.emplace(Graph::build(world, edges, std::move(ids)));
    parts["build"] = timer.lap();
    for (const auto& [part, seconds] : graph->report().seconds) parts["build " + part] = seconds;
    timer.lap();
    search.emplace(*graph);
    parts["layout"] = timer.lap();
  });
  result.construction_counters = world.counters().since(before_construction);
  for (auto& [part, seconds] : result.construction_parts) seconds = world.max(seconds);

  result.keys = search_keys(*graph, options.searches, random_at(options.seed, 0x6b657973));
  world.log()(LogLevel::info, "graph500: kernel 1 took {:.3f} s; {} search keys", result.construction_seconds,
              result.keys.size());
  const Tuples tuples = Tuples::of(edges);
  BfsResult found;
  if (!result.keys.empty()) search->run(result.keys[0], found);  // untimed: first use of buffers and links
  for (const Vertex key : result.keys) {
    Counters spent;
    const double seconds = timed(world, [&] {
      const Counters before = world.counters();
      search->run(key, found);
      spent = world.counters().since(before);
    });
    result.search_counters += spent;
    const RankTimer timer(world);
    const BfsTreeReport report =
        verify_bfs(*graph, key, {found.parent.data(), found.parent.size()}, {}, tuples, TupleKind::undirected);
    result.verification_seconds += world.max(timer.seconds());
    if (!report.ok) {
      result.failure = fmt::format("graph500: the search from key {} (number {}) is not valid: {}", key,
                                   result.bfs.seconds.size() + 1, report.what);
      break;
    }
    result.bfs.seconds.push_back(seconds);
    result.bfs.edges.push_back(static_cast<double>(report.edges_in_component));
  }
  return result;
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
                      {"searches", bfs.seconds.size()},
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
