// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/ranges.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/base/json.hpp>
#include <atoll/runtime/routes/route.hpp>
#include <atoll/topology/machine.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <cerrno>
#include <charconv>
#include <cli/cli11.hpp>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <optional>

#include "cli/bench/predicted_run.hpp"
#include "cli/prompt/foreign_verb.hpp"
#include "cli/verbs.hpp"

namespace atl::cli {
namespace {

// The simulated machine, as fields of a plan: a tree of domains, and a network or file with the costs of its levels
// ("": the preset).
struct PlanFields {
  std::string domains, platform;
  std::optional<Hierarchy> hierarchy = {};  // none: that of `domains`
};

// The domains of so many GPUs or ranks of a preset: nodes of 8, the last with what is left; the v100's one node has two of 4.
std::string preset_domains(const std::string& preset, const std::string& count) {
  const int of_domain = preset == "v100" ? 4 : 8, most = preset == "v100" ? 8 : 4096;
  int gpus = 0;
  const auto [end, error] = std::from_chars(count.data(), count.data() + count.size(), gpus);
  if (error != std::errc{} || end != count.data() + count.size() || gpus < 1 || gpus > most)
    throw UsageError(fmt::format("--platform {}:{} (1 to {} GPUs or ranks). Correct it.", preset, count, most));
  std::string domains;
  for (; gpus > of_domain; gpus -= of_domain) domains += fmt::format("{}+", of_domain);
  return domains + std::to_string(gpus);
}

PlanFields fields_of(const std::string& name) {
  constexpr std::string_view kCluster = "cluster:";
  if (name.starts_with(kCluster)) return {name.substr(kCluster.size()), ""};
  if (const std::size_t colon = name.find(':'); colon != std::string::npos && machine_preset(name.substr(0, colon)))
    return {preset_domains(name.substr(0, colon), name.substr(colon + 1)), name.substr(0, colon)};
  for (const std::string_view family : {"fat-tree:", "dragonfly:", "torus:", "mesh:", "hyperx:", "random:"})
    if (name.starts_with(family)) return {name, name};
  if (!std::filesystem::exists(name))
    throw UsageError(
        fmt::format("--platform {}: neither cluster:8x8x16 (sizes from the top), nor a preset with its GPUs (a800:32, "
                    "v100:8), nor a network (fat-tree:, dragonfly:, "
                    "torus:, mesh:, hyperx:, random:), nor a file. Correct it.",
                    name));
  const std::string text = read_text_file(name).value_or("");
  const nlohmann::json j = try_parse_json(text);
  const auto is_text = [&](const char* key) { return j.is_object() && j.contains(key) && j[key].is_string(); };
  const bool has_levels = j.is_object() && j.contains("levels");
  check(
      is_text("network") || (has_levels && (is_text("domains") || j.contains("hierarchy"))),
      "{}: not a platform (an object with domains, as \"8x8x16\", or hierarchy, as `atoll info --calibrate` writes it, "
      "and levels: a list of latency_s, bytes_per_second and overhead_s; or with network, as \"fat-tree:16\"). Correct "
      "it.",
      name);
  const std::string file_path = std::filesystem::absolute(name).string();
  for (const char* key : {"network", "domains"})
    if (is_text(key)) return {j[key].get<std::string>(), file_path};
  Hierarchy hierarchy = Hierarchy::from_json(j["hierarchy"]);
  check(hierarchy.size() > 0, "{}: its hierarchy has no ranks (a leaf domain has \"ranks\"). Add them.", name);
  return {"", file_path, std::move(hierarchy)};
}

// A temporary file, removed on destruction.
class Scratch {
 public:
  Scratch() : path_((std::filesystem::temp_directory_path() / "atoll-simulate-XXXXXX").string()) {
    if (!FileHandle(mkostemp(path_.data(), O_CLOEXEC)))
      throw IoError(fmt::format("{}: {} (a result is kept there). Free some room.", path_, strerror(errno)));
  }
  ~Scratch() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

// Runs this program with the words and the settings added to its environment; prints only its errors. Each route has a
// process of its own, so that each starts with the same empty memory and returns all of it.
int run_again(const Words& words, const std::vector<std::pair<std::string, std::string>>& settings) {
  std::vector<char*> arguments;
  Words argv{"atoll"};
  argv.insert(argv.end(), words.begin(), words.end());
  for (std::string& a : argv) arguments.push_back(a.data());
  arguments.push_back(nullptr);
  std::vector<std::string> environment;
  for (char** e = environ; *e; ++e) {
    const std::string_view entry(*e);
    const bool replaced =
        std::any_of(settings.begin(), settings.end(), [&](const auto& s) { return entry.starts_with(s.first + "="); });
    if (!replaced) environment.emplace_back(entry);
  }
  for (const auto& [name, value] : settings) environment.push_back(name + "=" + value);
  std::vector<char*> pointers;
  for (std::string& e : environment) pointers.push_back(e.data());
  pointers.push_back(nullptr);
  const int parent = getpid();
  const int child = fork();
  if (child < 0)
    throw TransportError(fmt::format("a route's process: {} (it cannot be started). Free some.", strerror(errno)));
  if (child == 0) {
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // nobody outlives the command
    if (getppid() != parent) _exit(127);
    if (const int null = open("/dev/null", O_WRONLY); null >= 0) dup2(null, STDOUT_FILENO);
    execve("/proc/self/exe", arguments.data(), pointers.data());
    _exit(127);
  }
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

// Returns the share of the seconds of all ranks in which something was on its way to a rank that waited for it.
double communicating(const nlohmann::json& breakdown) {
  double all = 0;
  for (const auto& [part, seconds] : breakdown.items()) all += seconds.get<double>();
  return all > 0 ? (breakdown.at("intra").get<double>() + breakdown.at("inter").get<double>()) / all : 0;
}

// Returns the share of each part of TimeSpent in the seconds of all ranks. The parts of one that computes and handles in
// no time are 0.
nlohmann::json shares_of(const nlohmann::json& breakdown) {
  double all = 0;
  for (const auto& [part, seconds] : breakdown.items()) all += seconds.get<double>();
  nlohmann::json shares;
  for (const auto& [part, seconds] : breakdown.items()) shares[part] = all > 0 ? seconds.get<double>() / all : 0;
  return shares;
}

// Says how the time of the ranks divides, in the words of the parts that took any.
std::string shares_text(const nlohmann::json& row) {
  constexpr std::pair<const char*, const char*> kParts[] = {
      {"inter", "between domains"}, {"intra", "inside"},    {"stall", "waiting"},     {"copying", "copying"},
      {"appending", "appending"},   {"merging", "merging"}, {"handling", "handling"}, {"compute", "computing"}};
  std::vector<std::string> texts;
  for (const auto& [part, text] : kParts)
    if (const double share = row.at("shares").value(part, 0.0); share > 0)
      texts.push_back(fmt::format("{} {:.1f} %", text, 100 * share));
  return fmt::format("{:<11} {}\n", row.at("route").get<std::string>(), fmt::join(texts, ", "));
}

// The counters of the part that the run times, such as a search without building its graph; if a verb counts none,
// those of the whole run.
nlohmann::json row_of(const std::string& route, const nlohmann::json& run) {
  const nlohmann::json& all = run.at("simulation").at("levels");
  const nlohmann::json& levels = run.at("counters").contains("levels") ? run["counters"]["levels"] : all;
  const nlohmann::json& seconds = run.at("seconds");
  const nlohmann::json& top = levels.back();
  const nlohmann::json breakdown = run.at("counters").value("breakdown", run.at("simulation").at("rank_seconds"));
  const double run_seconds = seconds.value("run", seconds.at("virtual").get<double>());
  nlohmann::json row{{"route", route},
                     {"inter_domain_messages", top.at("messages")},
                     {"inter_domain_bytes", top.at("bytes")},
                     {"communication_seconds", run_seconds * communicating(breakdown)},
                     {"run_seconds", run_seconds},
                     {"virtual_seconds", seconds.at("virtual")},
                     {"levels", levels},
                     {"breakdown", breakdown},
                     {"shares", shares_of(breakdown)},
                     {"whole", run.at("simulation")},
                     {"result", run.at("result")},
                     {"predicted", true}};
  // A search says what it traverses, by the clock of its ranks, which is virtual here.
  if (run.at("result").contains("mteps")) row["gteps"] = run["result"]["mteps"].get<double>() / 1e3;
  return row;
}

// Reports a failed child as this command's error; the child's own message is above on stderr.
void check_ended_well(int code, const std::string& route, const Words& words) {
  if (code == 0) return;
  const std::string text =
      fmt::format("route {}: `{}` ended with exit code {} (it says why above). Correct that first.", route,
                  fmt::join(words, " "), code);
  if (code == 2) throw UsageError(text);
  if (code == 3) throw InputError(text);
  throw TransportError(text);
}

// The command of each route: the one behind --, which may keep its traffic, or one that sends kept traffic again.
Words command_to_simulate(Words behind, const std::string& replay, double computation, const std::string& traffic) {
  if (!replay.empty()) {
    if (!behind.empty())
      throw UsageError(fmt::format("--replay {} with a command behind -- (it stands for one). Leave one out.", replay));
    behind = {"bench", "replay", replay};
    if (computation > 0) behind.insert(behind.end(), {"--computation", fmt::format("{}", computation)});
  } else if (!traffic.empty() && !behind.empty()) {
    behind.insert(behind.end(), {"--keep-traffic", traffic});
  }
  return behind;
}

bool keeps_traffic(const Words& words) {
  return std::ranges::any_of(
      words, [](const std::string& w) { return w == "--keep-traffic" || w.starts_with("--keep-traffic="); });
}

}  // namespace

int verb_simulate(const Words& words) {
  const auto split = std::find(words.begin(), words.end(), "--");
  Words own(words.begin(), split);
  if (std::any_of(own.begin(), own.end(),
                  [](const std::string& w) { return w == "--app" || w.starts_with("--app="); })) {
    run_foreign_verb("simulate", words);
    say("atoll: error: there is no atoll-simulate (Python's part of Atoll runs MPI programs). Install it: "
        "pip install . in a checkout of Atoll.\n");
    return 1;
  }
  Words inner(split == words.end() ? split : split + 1, words.end());
  // This command reads each route's JSON itself, so a --json after the -- must mean the whole result.
  if (const auto json = std::find(inner.begin(), inner.end(), "--json"); inner.end() - json >= 2) {
    own.insert(own.end(), json, json + 2);
    inner.erase(json, json + 2);
  }
  Command command(
      "simulate",
      "Predicts what a command costs on a machine: its ranks run here, in virtual time.\n"
      "atoll simulate --platform cluster:8x8x16 --route all -- run bfs kron:16\n"
      "atoll simulate --platform cluster:4x4x4 --replay bfs.traffic sends what a run kept by --keep-traffic\n"
      "atoll simulate --app ./prog --platform random:64:4 -- ARGUMENTS runs any MPI program under SimGrid's "
      "SMPI (`atoll-simulate --help`)");
  std::string platform_name, clock = "levels", replay, traffic;
  double computation = 0, compute_scale = 0;
  std::vector<std::string> routes{"all"};
  CLI::App& app = command.app();
  app.remove_option(app.get_option("--platform"));  // here it has ranks too
  app.add_option("--platform", platform_name,
                 "cluster:8x8x16 (sizes from the top; latencies 1 : 2 : 15), a800:32 or v100:8 (GPUs), frontier:64, a "
                 "network as "
                 "fat-tree:16, dragonfly:4,8,4, "
                 "torus:8x8x8, mesh:32x32 or random:1024:8, or a JSON file: domains or hierarchy and levels, as "
                 "`atoll info --calibrate` writes them, or network")
      ->required();
  app.add_option("--clock", clock,
                 "levels: an event loop over the cost of each level; flows: messages share the links, by SimGrid; "
                 "formulas: of any number of ranks, for run bfs")
      ->check(CLI::IsMember({"levels", "flows", "formulas"}));
  app.remove_option(app.get_option("--route"));  // here several
  app.add_option("--route", routes,
                 fmt::format("all (these, without a colon), or some of {},auto", fmt::join(Route::all_names(), ",")))
      ->delimiter(',');
  CLI::Option* replayed = app.add_option("--replay", replay,
                                         "instead of a command: the traffic that a run of as many ranks kept "
                                         "(--keep-traffic), sent again without its graph");
  app.add_option("--computation", computation,
                 "with --replay: pass the time that the kept run computed, times this (default 0)")
      ->check(CLI::NonNegativeNumber)
      ->needs(replayed);
  app.add_option("--compute-scale", compute_scale,
                 "let pass what the ranks compute here, in processor time, times this (default 0: none). The work on "
                 "records is part of it, and no two runs are the same")
      ->check(CLI::NonNegativeNumber)
      ->excludes(replayed);
  app.add_option("--keep-traffic", traffic, "write what the ranks of the command send, for --replay (one route)")
      ->excludes(replayed);
  if (const auto code = command.parse(own)) return *code;

  if (compute_scale == 0) compute_scale = command.plan().compute_scale;  // of a plan's file or the environment

  return command.run_alone([&] {
    inner = command_to_simulate(std::move(inner), replay, computation, traffic);
    if (inner.empty())
      throw UsageError(
          "simulate: there is no command behind -- (that is what is simulated). Add one: -- run bfs kron:16, or give "
          "--replay FILE.");
    if (const auto all = std::find(routes.begin(), routes.end(), "all"); all != routes.end()) {
      const std::vector<std::string> names = Route::names();
      routes.insert(routes.erase(all), names.begin(), names.end());
    }
    if (routes.size() > 1 && keeps_traffic(inner))
      throw UsageError(fmt::format(
          "--keep-traffic with {} routes (each would write that file). Take one: --route domain.", routes.size()));
    std::vector<std::string> known = Route::all_names();
    known.emplace_back("auto");
    for (const std::string& r : routes)
      if (std::find(known.begin(), known.end(), r) == known.end())
        throw UsageError(fmt::format("--route {} is unknown (there are {}). Choose one.", r, fmt::join(known, ", ")));
    PlanFields fields = fields_of(platform_name);
    Hierarchy hierarchy = fields.hierarchy ? *fields.hierarchy : read_domains(fields.domains);
    const Scratch tree;  // for domains that are no text
    if (command.ranks() > hierarchy.size())
      throw UsageError(fmt::format("--ranks is {} (--platform {} has {}). Take fewer, or a larger platform.",
                                   command.ranks(), platform_name, hierarchy.size()));
    const bool fewer = command.ranks() > 0 && command.ranks() < hierarchy.size();
    if (fewer) hierarchy = hierarchy.first(command.ranks());
    if (fewer || fields.hierarchy) {
      write_file(tree.path(), dump_json(hierarchy.to_json()));
      fields.domains = tree.path();
    }
    const Machine platform = read_machine(fields.platform, hierarchy.depth());

    Outcome outcome;
    outcome.extra["predicted"] = true;
    outcome.extra["platform"] = {{"name", platform_name},
                                 {"clock", clock},
                                 {"ranks", hierarchy.size()},
                                 {"levels", platform.cost.to_json().at("levels")},
                                 {"records", platform.records.to_json()},
                                 {"compute_scale", compute_scale}};
    if (fields.domains == tree.path()) {
      outcome.extra["platform"]["hierarchy"] = hierarchy.to_json();
    } else {
      outcome.extra["platform"]["domains"] = fields.domains;
    }
    outcome.extra["simulated_command"] = inner;
    outcome.text = fmt::format("{:<11} {:>16} {:>16} {:>16} {:>16} {:>16} {:>10}\n", "route", "top messages",
                               "top bytes", "communication", "run", "virtual", "GTEPS");
    const auto show = [&](nlohmann::json row) {
      outcome.text +=
          fmt::format("{:<11} {:>16} {:>16} {:>14.6f} s {:>14.6f} s {:>14.6f} s {:>10}\n",
                      row["route"].get<std::string>(), row["inter_domain_messages"].get<std::uint64_t>(),
                      row["inter_domain_bytes"].get<std::uint64_t>(), row["communication_seconds"].get<double>(),
                      row["run_seconds"].get<double>(), row["virtual_seconds"].get<double>(),
                      row.contains("gteps") ? fmt::format("{:.3f}", row["gteps"].get<double>()) : "-");
      outcome.extra["routes"].push_back(std::move(row));
    };
    std::string shares;
    if (clock == "formulas") {
      if (compute_scale > 0)
        throw UsageError("--compute-scale with --clock formulas (nothing computes there). Take another clock.");
      PredictedRun predicted = predict_run(hierarchy, platform, routes, command.plan().without, inner);
      for (nlohmann::json& row : predicted.rows) show(std::move(row));
      outcome.extra["assumptions"] = predicted.assumptions;
      outcome.text += predicted.assumptions + "\n";
      routes.clear();
    }
    for (const std::string& route : routes) {
      const Scratch result;
      Words again = inner;
      again.insert(again.end(), {"--json", result.path(), "--quiet"});
      std::vector<std::pair<std::string, std::string>> settings{{"ATOLL_TRANSPORT", clock},
                                                                {"ATOLL_DOMAINS", fields.domains},
                                                                {"ATOLL_RANKS", std::to_string(hierarchy.size())},
                                                                {"ATOLL_PLATFORM", fields.platform},
                                                                {"ATOLL_ROUTE", route}};
      if (!command.plan().without.empty()) settings.emplace_back("ATOLL_WITHOUT", command.plan().without);
      if (compute_scale > 0) settings.emplace_back("ATOLL_COMPUTE_SCALE", fmt::format("{}", compute_scale));
      if (!command.plan().map.empty()) settings.emplace_back("ATOLL_MAP", command.plan().map);
      const int code = run_again(again, settings);
      check_ended_well(code, route, inner);
      const nlohmann::json run = parse_json(read_text_file(result.path()).value_or(""));
      if (!run.contains("simulation"))
        throw UsageError(
            fmt::format("{} (it has no ranks to simulate, or another --transport). Give a verb with ranks.",
                        fmt::join(inner, " ")));
      show(row_of(route, run));
      shares += shares_text(outcome.extra["routes"].back());
      if (run.contains("verified") && run["verified"].is_boolean())
        outcome.verified = outcome.verified.value_or(true) && run["verified"].get<bool>();
    }
    if (!shares.empty()) outcome.text += "where the ranks' time goes\n" + shares;
    outcome.text += fmt::format("predicted for {}: {} ranks\n", platform_name, hierarchy.size());
    return outcome;
  });
}

}  // namespace atl::cli
