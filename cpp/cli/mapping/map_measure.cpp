// SPDX-License-Identifier: Apache-2.0
// `atoll map --measure`: the network is what this job's ranks measure.
#include <unistd.h>

#include <algorithm>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/base/json.hpp>
#include <atoll/base/timer.hpp>
#include <atoll/runtime/measure_links.hpp>
#include <atoll/topology/draw.hpp>
#include <atoll/topology/mapping/export.hpp>
#include <atoll/topology/mapping/mapping_cost.hpp>
#include <atoll/topology/mapping/swap.hpp>
#include <atoll/topology/measured_costs.hpp>
#include <cli/cli11.hpp>
#include <cstdlib>
#include <map>
#include <numeric>

#include "cli/verbs.hpp"
#include "measured_machine.hpp"
#include "options.hpp"

namespace atl::cli {
namespace {

struct MeasureOptions {
  std::string machine_file;
  TrafficInput traffic;
  MappingExports exports;
  std::size_t message_bytes = 8192;
  std::uint64_t seed = 1;
};

// One text of each rank, on all. Collective.
std::vector<std::string> gather_texts(World& world, const std::string& mine) {
  std::vector<Edge> lengths;
  const std::vector<char> all = world.all_gather_varying(std::span<const char>(mine), &lengths);
  std::vector<std::string> texts;
  std::size_t at = 0;
  for (const Edge length : lengths) {
    texts.emplace_back(all.data() + at, static_cast<std::size_t>(length));
    at += static_cast<std::size_t>(length);
  }
  return texts;
}

// The name under which the launcher knows this host. Hydra tells its own, which may be another than the host's.
std::string host_name() {
  if (const char* name = std::getenv("MPIR_CVAR_CH3_INTERFACE_HOSTNAME"); name && *name) return name;
  char text[256] = "";
  return gethostname(text, sizeof text - 1) == 0 ? text : "localhost";
}

// The places that the launcher has given the ranks: host by host, as they come in the order of ranks, and on each the
// places of its ranks in their order.
struct Launched {
  std::vector<std::string> hosts;
  std::vector<int> host_of_place;
  std::vector<int> place_of;  // [rank]

  explicit Launched(const std::vector<std::string>& host_of_rank) : place_of(host_of_rank.size()) {
    std::map<std::string, int> number;
    std::vector<std::vector<int>> ranks_on;
    for (std::size_t r = 0; r < host_of_rank.size(); ++r) {
      const auto [at, fresh] = number.try_emplace(host_of_rank[r], static_cast<int>(hosts.size()));
      if (fresh) {
        hosts.push_back(host_of_rank[r]);
        ranks_on.emplace_back();
      }
      ranks_on[at->second].push_back(static_cast<int>(r));
    }
    for (std::size_t h = 0; h < hosts.size(); ++h)
      for (const int r : ranks_on[h]) {
        place_of[r] = static_cast<int>(host_of_place.size());
        host_of_place.push_back(static_cast<int>(h));
      }
  }

  // For each rank of a mapping, the process that the launcher has put at its place.
  std::vector<int> processes(const std::vector<int>& mapping) const {
    std::vector<int> process_at(place_of.size()), processes;
    for (std::size_t r = 0; r < place_of.size(); ++r) process_at[place_of[r]] = static_cast<int>(r);
    for (const int place : mapping) processes.push_back(process_at[place]);
    return processes;
  }

  PlaceGraph places(const std::vector<double>& cost_of_ranks) const {
    const std::size_t n = place_of.size();
    std::vector<double> cost(cost_of_ranks.size());
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b < n; ++b)
        cost[static_cast<std::size_t>(place_of[a]) * n + static_cast<std::size_t>(place_of[b])] =
            cost_of_ranks[a * n + b];
    return measured_places(host_of_place, cost);
  }
};

void add_ranks(const Domain& domain, std::vector<Rank>& ranks) {
  ranks.insert(ranks.end(), domain.ranks.begin(), domain.ranks.end());
  for (const Domain& child : domain.children) add_ranks(child, ranks);
}

// The sum over messages of their times, one after the other, if each has that many bytes.
double seconds_of(const PlaceGraph& places, const TrafficMatrix& traffic, const std::vector<int>& mapping,
                  std::size_t message_bytes) {
  return hop_bytes_of(places, traffic, mapping) * places.hop_cost() / static_cast<double>(message_bytes);
}

class Proposal {
 public:
  // The order is searched for on the first measurement, and judged by the second, which the search has not seen: what
  // is noise in the first is no gain by the second.
  Proposal(const MeasureOptions& o, const Launched& launched, const TrafficMatrix& traffic, const LinkCosts& first,
           const LinkCosts& second, const Hierarchy& hierarchy)
      : places(launched.places(first.seconds(o.message_bytes))), mapping(launched.place_of) {
    std::vector<Rank> by_domain;
    add_ranks(hierarchy.root(), by_domain);
    std::vector<int> numbering;
    for (const Rank r : by_domain) numbering.push_back(launched.place_of[r]);
    std::vector<int> found = swap_mapping(places, traffic, numbering, {.seed = o.seed});
    if (std::vector<int> near = improve_by_swaps(places, traffic, launched.place_of);
        hop_bytes_of(places, traffic, near) <= hop_bytes_of(places, traffic, found))
      found = std::move(near);
    const PlaceGraph again = launched.places(second.seconds(o.message_bytes));
    launched_s = found_s = seconds_of(again, traffic, launched.place_of, o.message_bytes);
    if (const double s = seconds_of(again, traffic, found, o.message_bytes); s * kWorthwhile < launched_s) {
      found_s = s;
      mapping = std::move(found);
    }
  }

  bool is_launched(const Launched& launched) const { return mapping == launched.place_of; }
  double gain() const { return found_s > 0 ? launched_s / found_s : 1; }

  PlaceGraph places;
  std::vector<int> mapping;
  double launched_s = 0, found_s = 0;

 private:
  static constexpr double kWorthwhile = 1.05;  // less is not told from noise
};

class Measurement {
 public:
  Measurement(const MeasureOptions& o, World& world)
      : o_(o), world_(world), launched_(gather_texts(world, host_name())), links_(measure_links(world)) {
    warn_of_shared_cores();
    const LinkCosts second = measure_links(world, {.seed = 2});
    measured_s_ = timer_.lap();
    // Domains by the better of both measurements: noise only lengthens one.
    const std::string domains = world.collective_try([&]() -> std::string {
      if (world.rank() != 0) return "";
      std::vector<double> least = links_.latency_s;
      for (std::size_t i = 0; i < least.size(); ++i) least[i] = std::min(least[i], second.latency_s[i]);
      return dump_json(cluster(least, clustering_thresholds(least)).to_json());
    });
    constexpr int kRounds = 3;  // slow networks take seconds for each
    const nlohmann::json found = parse_json(gather_texts(world, domains)[0]);
    machine_.emplace(measured_machine(world, Hierarchy::from_json(found), kRounds));
    calibrated_s_ = timer_.lap();
    world.collective_try([&] {
      if (world.rank() == 0) propose(second);
    });
  }

  Outcome outcome() const { return out_; }

 private:
  const Hierarchy& hierarchy() const { return *machine_->hierarchy; }

  void warn_of_shared_cores() const {
    const auto here = std::ranges::count(launched_.host_of_place, launched_.host_of_place[0]);
    if (const long cores = sysconf(_SC_NPROCESSORS_ONLN); here > cores && !is_virtual(world_.plan()))
      world_.log()(LogLevel::warn,
                   "{} ranks share {} cores of this host (the scheduler is measured too). Have a core for each.", here,
                   cores);
  }

  void propose(const LinkCosts& second) {
    const TrafficMatrix traffic = o_.traffic.load(world_.size());
    const Timer timer;
    const Proposal proposal(o_, launched_, traffic, links_, second, hierarchy());
    out_.seconds = {{"measure", measured_s_}, {"calibrate", calibrated_s_}, {"run", timer.seconds()}};
    say(proposal);
    if (!o_.machine_file.empty()) put_file(o_.machine_file, dump_json(machine_->to_json(), 2) + "\n");
    o_.exports.write(
        [&](const std::string& format) {
          const bool by_process = format == "places";  // as --map numbers them
          return exported(format, proposal.places,
                          by_process ? launched_.processes(proposal.mapping) : proposal.mapping, launched_.hosts);
        },
        out_);
  }

  void say(const Proposal& proposal) {
    const std::int64_t ranks = links_.ranks, pairs = ranks * (ranks - 1) / 2;
    const std::string& talk = o_.traffic.text();
    const bool kept = proposal.is_launched(launched_);
    std::vector<int> hosts;
    for (const int p : proposal.mapping) hosts.push_back(proposal.places.host_of(p));
    out_.input = {{"hosts", launched_.hosts}, {"ranks", ranks}};
    out_.result = {{"method", kept ? "launcher" : "swap"},
                   {"traffic", talk},
                   {"message_bytes", o_.message_bytes},
                   {"pairs", pairs},
                   {"pairs_measured", links_.measured},
                   {"rounds", links_.rounds},
                   {"launcher_seconds", proposal.launched_s},
                   {"predicted_seconds", proposal.found_s},
                   {"predicted_gain", proposal.gain()},
                   {"order", hosts},
                   {"places", proposal.mapping},
                   {"hierarchy", hierarchy().to_json()},
                   {"costs", machine_->cost.to_json()}};
    out_.text = table_of(
        {{"measured", fmt::format("{} ranks on {} host{}: {} of {} pairs in {} rounds, twice; {:.2f} s", ranks,
                                  launched_.hosts.size(), launched_.hosts.size() == 1 ? "" : "s", links_.measured,
                                  pairs, links_.rounds, measured_s_)},
         {"order", kept
                       ? fmt::format("the launcher's (none is predicted to gain for {})", talk)
                       : fmt::format("{:.3f} times less time for messages than in the launcher's ({}, messages of {} "
                                     "bytes one after the other: {:.4g} s instead of {:.4g} s)",
                                     proposal.gain(), talk, o_.message_bytes, proposal.found_s, proposal.launched_s)}});
    out_.text += "\ndomains of ranks\n" + draw(hierarchy()) + costs_text(*machine_, hierarchy());
  }

  const MeasureOptions& o_;
  World& world_;
  Timer timer_;
  const Launched launched_;
  const LinkCosts links_;
  double measured_s_ = 0, calibrated_s_ = 0;
  std::optional<Machine> machine_;
  Outcome out_;
};

void check_outputs(const MeasureOptions& o) {
  o.exports.check();
  if (!o.machine_file.empty() && o.machine_file != result_path()) check_output_path(o.machine_file);
}

}  // namespace

int map_measured(const Words& words) {
  Command command(
      "map",
      "Measures how far this job's ranks are from each other, finds their domains, and proposes an order of ranks for "
      "the traffic, which it writes as launchers read it.\n"
      "mpirun -n 64 atoll map --measure --traffic app.traffic --machine machine.json --export openmpi-rankfile order");
  MeasureOptions o;
  CLI::App& app = command.app();
  app.remove_option(app.get_option("--map"));  // the order is what is looked for
  app.add_flag("--measure")->description("the network is the one that the ranks measure");
  o.traffic.add_to(app);
  app.add_option("--message", o.message_bytes,
                 "bytes of a message: pairs are as far apart as such a message takes (default 8192)")
      ->check(CLI::PositiveNumber);
  app.add_option("--machine", o.machine_file,
                 "write the domains and what messages cost in them to this JSON file, which --platform takes");
  o.exports.add_to(app);
  app.add_option("--seed", o.seed, "of the search (default 1)");
  if (const auto code = command.parse(words)) return *code;
  return command.run([&](World& world) {
    world.collective_try([&] {
      if (world.rank() == 0) check_outputs(o);
    });
    return Measurement(o, world).outcome();
  });
}

}  // namespace atl::cli
