// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/timer.hpp>
#include <atoll/order/ordering.hpp>
#include <atoll/order/permute.hpp>
#include <atoll/topology/formats/read_topology.hpp>
#include <atoll/topology/formats/simgrid_platform.hpp>
#include <atoll/topology/mapping/allocation.hpp>
#include <atoll/topology/mapping/export.hpp>
#include <atoll/topology/mapping/mapping_cost.hpp>
#include <atoll/topology/mapping/scotch.hpp>
#include <atoll/topology/mapping/swap.hpp>
#include <atoll/topology/numbering/numbering.hpp>
#include <charconv>
#include <cli/cli11.hpp>
#include <numeric>

#include "cli/verbs.hpp"
#include "options.hpp"

namespace atl::cli {
namespace {

struct MapOptions {
  std::string network, method, paths = "network", names_file, occupied;
  TrafficInput traffic;
  MappingExports exports;
  std::vector<int> jobs;
  int ranks = 0, per_host = 1;  // ranks 0: as many as there are places, or as the traffic has
  std::uint64_t seed = 1;
};

// Orders that know only the network. Those of vertices of a graph (order/) are of its sites.
struct Numbering {
  std::string_view name;
  std::optional<Ordering> of_sites;
};
constexpr Numbering kNumberings[] = {{"hamorder-w", {}},
                                     {"hamorder", {}},
                                     {"identity", {}},
                                     {"random", {}},
                                     {"gorder", Ordering::gorder},
                                     {"rabbit", Ordering::rabbit},
                                     {"dbg", Ordering::dbg},
                                     {"hubsort", Ordering::hub_sort},
                                     {"rcm", Ordering::rcm}};

std::vector<std::string> method_names() {
  std::vector<std::string> names;
  for (const Numbering& n : kNumberings) names.emplace_back(n.name);
  names.insert(names.end(), {"scotch", "swap", "best"});
  return names;
}

// The sites of a network as a graph.
struct SiteGraph {
  std::vector<Edge> offsets{0};
  std::vector<Local> places;

  explicit SiteGraph(const PlaceGraph& graph) {
    for (int s = 0; s < graph.sites(); ++s) {
      const auto neighbours = graph.neighbours_of(s);
      places.insert(places.end(), neighbours.begin(), neighbours.end());
      offsets.push_back(static_cast<Edge>(places.size()));
    }
  }
  SparsePattern pattern() const {
    const auto rows = static_cast<std::int64_t>(offsets.size()) - 1;
    return {rows, rows, offsets, places};
  }
};

std::vector<int> numbering(Team& team, const PlaceGraph& places, std::string_view name, std::uint64_t seed) {
  if (name == "hamorder-w") return hamorder_w(places, seed);
  if (name == "hamorder") return hamorder(places);
  if (name == "random") return random_order(places, seed);
  if (name == "identity") {
    std::vector<int> order(static_cast<std::size_t>(places.places()));
    std::iota(order.begin(), order.end(), 0);
    return order;
  }
  const auto row = std::ranges::find(kNumberings, name, &Numbering::name);
  const SiteGraph graph(places);
  const Array<Local> numbers = new_numbers(team, graph.pattern(), *row->of_sites);
  const Array<Local> sites = inverse(team, {numbers.data(), numbers.size()});
  return places_in_order(places, {sites.data(), sites.size()});
}

// "0-2,7" as hosts, and all their places.
std::vector<int> places_of_hosts(const std::string& text, int hosts, int per_host) {
  std::vector<int> places;
  const auto refuse = [&] {
    throw UsageError(fmt::format("--occupied {} (hosts are 0 to {}, as 0-2,7). Correct it.", text, hosts - 1));
  };
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const char* const last = text.data() + end;
    int from = 0, to = 0;
    auto read = std::from_chars(text.data() + at, last, from);
    to = from;
    if (read.ec == std::errc() && read.ptr != last && *read.ptr == '-') read = std::from_chars(read.ptr + 1, last, to);
    if (read.ec != std::errc() || read.ptr != last || from < 0 || to < from || to >= hosts) refuse();
    for (int p = from * per_host; p < (to + 1) * per_host; ++p) places.push_back(p);
    at = end + 1;
  }
  return places;
}

class Mapper {
 public:
  Mapper(const MapOptions& o, Team& team)
      : o_(o), team_(team), network_(read_network(o.network)), places_(network_, o.per_host) {
    if (o.jobs.empty())
      traffic_ = o.traffic.load(o.ranks > 0 || o.traffic.is_file() ? o.ranks : places_.places());
    else
      for (const int size : o.jobs) add_job(traffic_, o.traffic.load(size));
    if (traffic_.ranks > places_.places())
      throw InputError(fmt::format(
          "{}: {} hosts with {} place{} each (there are {} ranks). Have fewer ranks, or give --per-host {}.", o.network,
          network_.hosts(), o.per_host, o.per_host > 1 ? "s" : "", traffic_.ranks,
          (traffic_.ranks + network_.hosts() - 1) / network_.hosts()));
    occupied_ = places_of_hosts(o.occupied, network_.hosts(), o.per_host);
    if (!o.names_file.empty()) names_ = read_host_names(o.names_file, network_.hosts(), o.per_host);
  }

  Outcome run() {
    Timer timer;
    if (o_.method == "best")
      choose_best();
    else
      mapping_ = mapping_by(o_.method);
    seconds_["run"] = timer.seconds();
    return measured();
  }

 private:
  std::vector<int> first_ranks(std::span<const int> order) const {
    std::vector<int> mapping;
    if (o_.jobs.empty()) return {order.begin(), order.begin() + traffic_.ranks};
    for (const std::vector<int>& job : allocate_by_order(order, occupied_, o_.jobs))
      mapping.insert(mapping.end(), job.begin(), job.end());
    return mapping;
  }

  std::vector<int> mapping_by(const std::string& method) {
    method_ = method;
    if (method == "scotch") return scotch_mapping(network_, places_, traffic_);
    if (method != "swap") return first_ranks(numbering(team_, places_, method, o_.seed));
    return swapped(first_ranks(numbering(team_, places_, "identity", o_.seed)));
  }

  std::vector<int> swapped(const std::vector<int>& start) const {
    return swap_mapping(places_, traffic_, start, {.seed = o_.seed});
  }

  // All methods; with a tie the one that comes first. Where another one is better than the search, the search goes on
  // from that.
  void choose_best() {
    double least = 0;
    std::vector<std::string> names;
    for (const Numbering& n : kNumberings) names.emplace_back(n.name);
    if (o_.jobs.empty()) {  // the others know no occupied hosts
      if (scotch_refusal(network_).empty()) names.emplace_back("scotch");
      names.emplace_back("swap");
    }
    std::string best;
    for (const std::string& name : names) {
      std::vector<int> mapping = mapping_by(name);
      double cost = hop_bytes_of(places_, traffic_, mapping);
      if (name == "swap" && cost > least) {
        mapping = swapped(mapping_);
        cost = hop_bytes_of(places_, traffic_, mapping);
      }
      compared_.emplace_back(name, cost);
      if (!best.empty() && cost >= least) continue;
      best = name;
      least = cost;
      mapping_ = std::move(mapping);
    }
    method_ = best;
  }

  Outcome measured() {
    const Timer timer;
    const MappingCost cost = cost_of(network_, places_, traffic_, mapping_,
                                     o_.paths == "network" ? MappingPaths::network : MappingPaths::equal_cost);
    std::vector<int> everywhere(static_cast<std::size_t>(places_.places()));
    std::iota(everywhere.begin(), everywhere.end(), 0);
    const double aspl = embedding_aspl(places_, mapping_), network_aspl = embedding_aspl(places_, everywhere);
    const int jumps = jumps_of(places_, mapping_);
    seconds_["measure"] = timer.seconds();

    Outcome out;
    out.seconds = seconds_;
    out.input = {{"name", o_.network},
                 {"hosts", network_.hosts()},
                 {"routers", network_.routers()},
                 {"links", network_.links().size()},
                 {"network_aspl", network_aspl},
                 {"network_diameter", embedding_diameter(places_, everywhere)}};
    std::vector<int> hosts;
    for (const int p : mapping_) hosts.push_back(places_.host_of(p));
    out.result = {{"method", method_},
                  {"mapped_ranks", mapping_.size()},
                  {"per_host", o_.per_host},
                  {"traffic", o_.traffic.text()},
                  {"paths", o_.paths},
                  {"jumps", jumps},
                  {"aspl", aspl},
                  {"diameter", embedding_diameter(places_, mapping_)},
                  {"dilation", cost.dilation},
                  {"contention", cost.contention},
                  {"hop_bytes", cost.hop_bytes},
                  {"mean_hops", cost.mean_hops},
                  {"busiest_link_seconds", cost.busiest_link_seconds},
                  {"order", hosts}};
    out.text = table_of(
        {{"network", fmt::format("{}: {} hosts, {} routers; ASPL {:.3f}, diameter {}", o_.network, network_.hosts(),
                                 network_.routers(), network_aspl, embedding_diameter(places_, everywhere))},
         {"mapping", fmt::format("{}: {} ranks; ASPL {:.3f}, {} jump{} between consecutive ranks", method_,
                                 mapping_.size(), aspl, jumps, jumps == 1 ? "" : "s")},
         {"traffic", fmt::format("{}: dilation {:.0f}, contention {:.2f}; {:.3f} hops on average, {:.6g} hop-bytes",
                                 o_.traffic.text(), cost.dilation, cost.contention, cost.mean_hops, cost.hop_bytes)},
         {"busiest link", fmt::format("{:.3g} s for its bytes", cost.busiest_link_seconds)},
         {"order", fmt::format("{:.3f} s", seconds_["run"].get<double>())}});
    if (!compared_.empty()) {
      out.text += "\nhop-bytes by method\n";
      std::vector<std::pair<std::string, std::string>> rows;
      for (const auto& [name, hop_bytes] : compared_) {
        rows.emplace_back("  " + name, fmt::format("{:.6g}", hop_bytes));
        out.result["methods"].push_back({{"name", name}, {"cost", hop_bytes}});
      }
      out.text += table_of(rows);
    }
    if (!o_.jobs.empty()) add_jobs(out);
    // Hosts without names have those of the platform that `atoll network --simgrid` writes.
    const std::vector<std::string> names = names_.empty() ? simgrid_host_names(network_) : names_;
    o_.exports.write([&](const std::string& format) { return exported(format, places_, mapping_, names); }, out);
    return out;
  }

  // The ASPL of each job's embedding under each numbering.
  void add_jobs(Outcome& out) {
    out.text += fmt::format("\nASPL of jobs by numbering\n  {:<12}", "ranks");
    for (const int size : o_.jobs) out.text += fmt::format("{:>8}", size);
    out.text += "\n";
    for (const auto& [name, of_sites] : kNumberings) {
      out.text += fmt::format("  {:<12}", name);
      nlohmann::json row{{"numbering", name}};
      for (const std::vector<int>& job :
           allocate_by_order(numbering(team_, places_, name, o_.seed), occupied_, o_.jobs)) {
        const double aspl = embedding_aspl(places_, job);
        row["job_aspl"].push_back(aspl);
        out.text += fmt::format("{:>8.3f}", aspl);
      }
      out.text += "\n";
      out.result["numberings"].push_back(std::move(row));
    }
  }

  const MapOptions& o_;
  Team& team_;
  const Network network_;
  const PlaceGraph places_;
  TrafficMatrix traffic_;
  std::vector<int> occupied_, mapping_;
  std::vector<std::string> names_;
  std::string method_;
  std::vector<std::pair<std::string, double>> compared_;
  nlohmann::json seconds_ = nlohmann::json::object();
};

void check_together(const MapOptions& o) {
  if (!o.jobs.empty() && (o.method == "swap" || o.method == "scotch"))
    throw UsageError(
        fmt::format("--method {} with --jobs (it places one job on a free network). Choose a numbering.", o.method));
  o.exports.check();
  for (const auto& [format, path] : o.exports.files)
    if (names_hosts(format) && format != "simgrid" && o.names_file.empty())
      throw UsageError(fmt::format(
          "--export {} without --host-names (the file names hosts). Give a file with the name of each, in order.",
          format));
}

}  // namespace

int verb_map(const Words& words) {
  if (std::ranges::find(words, "--measure") != words.end()) return map_measured(words);
  Command command(
      "map",
      "Finds an order of ranks for a network: rank -> host, by a numbering of the hosts (Hamorder and others) "
      "or for known traffic. Says what it costs (dilation, contention, hop-bytes, ASPL), and writes it as "
      "launchers read it.\natoll map random:64:4 --export slurm-hostfile order.txt --host-names hosts.txt\n"
      "atoll map --measure: for the network that this job's ranks measure (`atoll map --measure --help`)");
  MapOptions o;
  CLI::App& app = command.app();
  command.remove_job_options();
  add_network(app, o.network);
  app.add_option(
         "--method", o.method,
         "hamorder-w (default), hamorder (as printed), identity, random, gorder, rabbit, dbg, hubsort, rcm: orders "
         "of hosts; swap: a search for the traffic; scotch: Scotch's mapping for it; best: the fewest hop-bytes of all "
         "(default with --traffic)")
      ->check(CLI::IsMember(method_names()));
  app.add_option("--ranks", o.ranks, "ranks to map (default: those of the traffic, or one on each place)")
      ->check(CLI::PositiveNumber);
  app.add_option("--per-host", o.per_host, "places for ranks on each host (default 1)")->check(CLI::Range(1, 1 << 12));
  CLI::Option* const traffic = o.traffic.add_to(app);
  app.add_option("--paths", o.paths,
                 "network (default): its own routes; equal-cost: all shortest paths share a pair's traffic")
      ->check(CLI::IsMember({"network", "equal-cost"}));
  auto* jobs = app.add_option("--jobs", o.jobs,
                              "ranks of several jobs, as 4,5, placed one after the other by order; prints the ASPL of "
                              "each under each numbering. --pattern is that of each job")
                   ->delimiter(',')
                   ->check(CLI::PositiveNumber)
                   ->excludes(traffic)
                   ->excludes(app.get_option("--ranks"));
  app.add_option("--occupied", o.occupied, "hosts that the jobs do not get, as 0-2,7")->needs(jobs);
  o.exports.add_to(app);
  app.add_option(
      "--host-names", o.names_file,
      "a file with the name of each host on a line, in the network's order; with slots as launchers write them "
      "(n1:4, n1 slots=4, or a line for each), which are then those of --per-host (default for simgrid: the "
      "names that `atoll network --simgrid` gives)");
  app.add_option("--seed", o.seed, "of random, and of hamorder-w's 2-opt (default 1)");
  if (const auto code = command.parse(words)) return *code;
  if (o.method.empty()) o.method = o.traffic.is_file() ? "best" : "hamorder-w";
  return command.run_alone([&] {
    check_together(o);
    World::Options options;
    options.log = options.alarm = command.log();
    const auto world = World::alone(command.plan(), options);
    return Mapper(o, world->team()).run();
  });
}

}  // namespace atl::cli
