// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/byte_count.hpp>
#include <atoll/graph/mirror_values.hpp>
#include <atoll/graph/partition/cut_quality.hpp>
#include <atoll/graph/partition/quality.hpp>
#include <atoll/graph/profile.hpp>
#include <cli/cli11.hpp>

#include "graph_input.hpp"
#include "verbs.hpp"

namespace atl::cli {
namespace {

// Compares the traffic across the machine's levels under every partition.
void compare_partitions(World& world, const EdgeList& edges, const IdMap& ids, const Hierarchy& machine,
                        const Cost& cost, bool fusion, Outcome& outcome) {
  nlohmann::json list = nlohmann::json::array();
  std::string heads, rows;
  for (int l = 0; l < machine.depth(); ++l)
    heads += fmt::format("{:>18}", l == 0 ? "in a leaf" : fmt::format("over {} boundar{}", l, l > 1 ? "ies" : "y"));
  for (const std::string& name : partition_names()) {
    const RankTimer timer(world);
    std::map<std::string, double> steps;
    const std::vector<Rank> owner = owners_of(world, edges, ids, machine, {partition_named(name), fusion}, &steps);
    const double seconds = world.max(timer.seconds());
    const PartitionQuality q = quality_of(world, edges, ids, owner, machine, cost);
    list.push_back({{"partition", name},
                    {"equation1_seconds", q.equation1_s},
                    {"edges_inside_ranks", q.inside_ranks},
                    {"edges_at_level", q.at_level},
                    {"inter_domain_edges", q.between_leaves()},
                    {"vertex_imbalance", q.vertex_imbalance},
                    {"edge_imbalance", q.edge_imbalance},
                    {"load_imbalance", q.load_imbalance},
                    {"partition_seconds", seconds},
                    {"steps", steps}});
    rows += fmt::format("  {:<10}{:>12.4g}{:>14}", name, q.equation1_s, q.inside_ranks);
    for (const Edge n : q.at_level) rows += fmt::format("{:>18}", n);
    rows += fmt::format("{:>10.2f}{:>8.2f}{:>9.3f}\n", q.vertex_imbalance, q.edge_imbalance, seconds);
  }
  outcome.result["partitions"] = list;
  outcome.result["machine"] = {{"ranks", machine.size()}, {"hierarchy", machine.to_json()}, {"cost", cost.to_json()}};
  outcome.text += fmt::format(
      "\npartitions over {} ranks: edges by the domain boundaries between their ends; most loaded rank over the mean\n"
      "  {:<10}{:>12}{:>14}{}{:>10}{:>8}{:>9}\n{}",
      machine.size(), "", "equation 1", "in a rank", heads, "vertices", "edges", "seconds", rows);
}

// Compares vertices, edges and a round of PageRank under every partition. `edges` are number()ed.
void compare_cuts(World& world, const EdgeList& edges, const IdMap& ids, const Hierarchy& machine, bool with_hierarchy,
                  const GraphOptions& options, Outcome& outcome) {
  const Graph graph =
      Graph::build(world, edges, ids, {.duplicates = options.duplicates, .self_loops = options.self_loops});
  const Rank ranks = machine.size();
  nlohmann::json list = nlohmann::json::array();
  std::string rows;
  for (const std::string& name : every_placement()) {
    PartitionOptions placement = placement_named(name);
    placement.fusion = options.placement.fusion;
    if (placement.partition == Partition::hierarchy && !with_hierarchy) continue;
    const std::vector<Rank> owned = owners_of(world, edges, ids, machine, placement);
    std::vector<Rank> owner(static_cast<std::size_t>(graph.locals()), 0);
    for (Vertex k = 0; k < graph.owned(); ++k) owner[graph.local_of(k)] = owned[k];
    broadcast_to_mirrors(graph, std::span(owner));
    CutRule rule(placement.cut, ranks, options.placement.heavy);
    if (placement.cut == Cut::chosen) rule = choose_cut(graph, owner, ranks, options.placement.heavy);
    const CutQuality q = quality_of(graph, owner, ranks, rule);
    list.push_back({{"partition", name},
                    {"cut", name_of(rule.cut())},
                    {"replication", q.replication},
                    {"copies", q.copies},
                    {"mirrors_read", q.read},
                    {"mirrors_written", q.written},
                    {"bytes_per_round", q.bytes_per_round()},
                    {"vertex_imbalance", q.vertex_imbalance},
                    {"edge_imbalance", q.edge_imbalance}});
    rows += fmt::format("  {:<10}{:>12.2f}{:>12}{:>12}{:>12}{:>10.2f}{:>8.2f}{}\n", name, q.replication, q.read,
                        q.written, bytes_text(static_cast<double>(q.bytes_per_round())), q.vertex_imbalance,
                        q.edge_imbalance, placement.cut == Cut::chosen ? "  is " + name_of(rule.cut()) : "");
  }
  outcome.result["cuts"] = list;
  const Grid grid = Grid::nearest_square(ranks);
  outcome.result["grid"] = {grid.rows, grid.columns};
  outcome.text += fmt::format(
      "\ncuts over {} ranks (cartesian: {} x {}; hybrid: heavy from {}): copies of a vertex, mirrors that are told and "
      "heard,\nbytes of values in a round of PageRank (4 a mirror told or heard); copies and edges of the most loaded "
      "rank "
      "over the mean\n  {:<10}{:>12}{:>12}{:>12}{:>12}{:>10}{:>8}\n{}",
      ranks, grid.rows, grid.columns, options.placement.heavy, "", "replication", "told", "heard", "a round", "copies",
      "edges", rows);
}

struct Question {
  GraphInput input;
  Rank for_ranks = 0;
  bool hierarchy = false;
  std::string for_domains;
};

Outcome inspect(World& world, const Question& question) {
  const GraphInput& input = question.input;
  const Rank for_ranks = question.for_ranks;
  RankTimer timer(world);
  NamedEdges loaded = input.load_named(world, input.has_names(world));
  const nlohmann::json described_names = describe_names(loaded);
  EdgeList edges = std::move(loaded.edges);
  const double load_seconds = world.max(timer.lap());
  const IdMap ids = number(world, edges);
  const GraphProfile p = profile_of(world, edges, ids, for_ranks);
  const double profile_seconds = world.max(timer.lap());

  Outcome outcome;
  outcome.input = {{"name", edges.name},
                   {"vertices", p.vertices},
                   {"entries", p.edges},
                   {"directed", p.directed},
                   {"weighted", p.weight_bytes > 0}};
  if (loaded.names) outcome.input["names"] = described_names;
  nlohmann::json histogram = nlohmann::json::array();
  std::string drawn;
  Vertex most = 1;
  for (const Vertex count : p.degree_histogram) most = std::max(most, count);
  for (std::size_t k = 0; k < p.degree_histogram.size(); ++k) {
    const Edge from = k == 0 ? 0 : Edge{1} << (k - 1), to = k == 0 ? 0 : (Edge{1} << k) - 1;
    const Vertex count = p.degree_histogram[k];
    histogram.push_back({{"from", from}, {"to", to}, {"vertices", count}});
    constexpr double kWidth = 40;
    drawn += fmt::format(
        "  {:>10} {:>12}  {}\n", from == to ? std::to_string(from) : fmt::format("{}-{}", from, to), count,
        std::string(static_cast<std::size_t>(kWidth * static_cast<double>(count) / static_cast<double>(most)), '#'));
  }
  nlohmann::json memory = nlohmann::json::object();
  std::vector<std::pair<std::string, std::string>> memory_rows;
  for (const auto& [what, bytes] : expected_bytes(p)) {
    memory[what] = bytes;
    memory_rows.emplace_back("  " + what, bytes_text(bytes));
  }
  outcome.result = {{"least_id", p.least_id},
                    {"most_id", p.most_id},
                    {"isolated", p.isolated},
                    {"self_loops", p.self_loops},
                    {"edges", p.distinct_edges},
                    {"components", p.components},
                    {"largest_component", p.largest_component},
                    {"most_degree", p.most_degree},
                    {"most_in_degree", p.most_in_degree},
                    {"degrees", histogram},
                    {"memory_ranks", p.ranks},
                    {"cut_entries", p.cut_edges},
                    {"memory", memory}};
  const ExpectedSeconds expected = expected_seconds(p, p.ranks * world.team().size());
  outcome.result["expected_seconds"] = {{"build", expected.build}, {"search", expected.search}};
  outcome.seconds = {{"load", load_seconds}, {"profile", profile_seconds}, {"run", load_seconds + profile_seconds}};
  outcome.text =
      table_of({{"graph", fmt::format("{}: {} vertices, {} entries, {}{}", edges.name, p.vertices, p.edges,
                                      p.directed ? "directed" : "undirected", p.weight_bytes > 0 ? ", weighted" : "")},
                {"ids", fmt::format("{} to {}", p.least_id, p.most_id)},
                {"edges",
                 fmt::format("about {} distinct; {} of the entries are self-loops", p.distinct_edges, p.self_loops)},
                {"components", fmt::format("{}, the largest of {} vertices; {} vertices without edges", p.components,
                                           p.largest_component, p.isolated)},
                {"largest degree", p.directed ? fmt::format("{} leaving, {} entering", p.most_degree, p.most_in_degree)
                                              : std::to_string(p.most_degree)},
                {"load", fmt::format("{:.3f} s", load_seconds)},
                {"would take", fmt::format("about {:.2g} s to build, {:.2g} s a breadth-first search (up to ten times "
                                           "that without hubs)",
                                           expected.build, expected.search)}}) +
      fmt::format(
          "\n{}\n{}\nmemory on {} rank{}, all together\n{}",
          p.directed ? "leaving edges of a vertex, and how many vertices" : "degree of a vertex, and how many vertices",
          drawn, p.ranks, p.ranks == 1 ? "" : "s", table_of(memory_rows));
  if (const Rank ranks = for_ranks > 0 ? for_ranks : world.size(); ranks > 1)
    compare_cuts(world, edges, ids, ranks == world.size() ? world.hierarchy() : Hierarchy::flat(ranks),
                 question.hierarchy, input.options(), outcome);
  if (question.hierarchy) {
    const Hierarchy machine = question.for_domains.empty() ? world.hierarchy() : Hierarchy::parse(question.for_domains);
    compare_partitions(world, edges, ids, machine, cost_for(world, machine), input.options().placement.fusion, outcome);
  }
  return outcome;
}

}  // namespace

int verb_inspect(const Words& words) {
  Command command("inspect", "What a graph holds, and the memory and time that a run on it would take.");
  Question question;
  question.input.add_reading_to(command.app());
  question.input.add_names_to(command.app());
  question.input.add_merging_to(command.app());
  question.input.add_placing_to(command.app());
  command.app()
      .add_option("--for-ranks", question.for_ranks,
                  "say the memory for so many ranks, and compare their cuts (default: those of this run)")
      ->check(CLI::PositiveNumber);
  auto* hierarchy = command.app().add_flag("--hierarchy", question.hierarchy,
                                           "compare all partitions: equation 1 and the edges over each boundary");
  command.app()
      .add_option("--for-domains", question.for_domains,
                  "of a machine of these domains, as 8x8x16 (default: this run's)")
      ->needs(hierarchy);
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) { return inspect(world, question); });
}

}  // namespace atl::cli
