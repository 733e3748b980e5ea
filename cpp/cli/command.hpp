// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/progress.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <functional>
#include <initializer_list>
#include <memory>
#include <nlohmann/json.hpp>
#include <string_view>

#include "failure.hpp"
#include "result_file.hpp"

namespace CLI {
class App;
}

/// The part that every verb shares: the options of communication and output, the start of the ranks, and the result as
/// one JSON object.
///
///     int verb_star(const Words& words) {
///       Command command("star", "Counts stars.");
///       std::string input;
///       command.app().add_option("input", input, "a graph")->required();   // by <CLI/CLI.hpp>
///       if (auto code = command.parse(words)) return *code;
///       return command.run([&](World& world) { Outcome o; o.result["stars"] = ...; return o; });
///     }
namespace atl::cli {

class PhaseLine;

using Words = std::vector<std::string>;

/// The outcome of a verb on rank 0 (those of other ranks are dropped).
struct Outcome {
  nlohmann::json input = nlohmann::json::object();
  nlohmann::json result = nlohmann::json::object();
  nlohmann::json seconds = nlohmann::json::object();
  nlohmann::json counters = nlohmann::json::object();
  nlohmann::json extra = nlohmann::json::object();  ///< further members of the whole object
  std::optional<bool> verified;                     ///< false makes the exit code 1
  std::string failure;                              ///< why verified is false
  std::string text;                                 ///< the human-readable result on stdout
};

class Command {
 public:
  /// `name` is the verb as typed: "run bfs".
  Command(std::string name, const std::string& about);
  ~Command();

  CLI::App& app() { return *app_; }
  /// --workgroup, which is --domains with so many ranks each: before parse(), for verbs whose plans know workgroups.
  void add_workgroup();
  /// Removes the options of a job of ranks but those `kept`: before parse(), for verbs that need no ranks.
  void remove_job_options(std::initializer_list<std::string_view> kept = {});
  /// The exit code if the command ends here (help, or an error in the options).
  std::optional<int> parse(const Words& words);

  /// Runs f on every rank and prints rank 0's outcome. Returns the exit code.
  int run(const std::function<Outcome(World&)>& f);
  /// For verbs that need no ranks.
  int run_alone(const std::function<Outcome()>& f);

  const Plan& plan() const { return plan_; }
  Rank ranks() const { return ranks_; }  ///< as requested; 0: not requested
  bool quiet() const { return quiet_; }
  /// Names the phase from here on, which rank 0 prints on stderr if it takes long.
  void begin_phase(const World& world, std::string what);
  /// How much of the phase is done, for that line.
  Progress progress(const World& world) const;
  /// A log to stderr, as --quiet and --verbose say.
  Log log() const;
  bool json() const { return !json_.empty(); }

 private:
  Plan chosen_plan() const;
  std::string workgroups() const;
  World::Options world_options(Rank rank) const;
  int print(const Outcome& outcome) const;
  void put_json(const nlohmann::json& object) const;
  Words command_line() const;         // as it was given
  nlohmann::json provenance() const;  // machine, date, version and command line, of each result
  int fail() const;                   // in a catch block: prints the error, returns its exit code

  std::string name_;
  std::unique_ptr<CLI::App> app_;
  Words words_;
  Rank ranks_ = 0;
  std::optional<Rank> workgroup_;
  std::optional<int> threads_;
  std::optional<std::string> transport_, mpi_, provider_, domains_, platform_, map_, route_, without_, exchange_;
  std::string plan_file_, json_;
  bool quiet_ = false, verbose_ = false;
  Plan plan_;
  nlohmann::json world_ = nlohmann::json::object();
  std::unique_ptr<PhaseLine> phases_;  // from the first phase on
};

/// Throws if `path`, the value of --json, cannot be written; called before the work is done.
void check_json_path(const std::string& path);
/// write_file(), but what names stdout goes to the result's file.
void put_file(const std::string& path, std::string_view text);

/// The counters of all ranks: sums, and the maximum of the memory. Collective.
nlohmann::json total_counters(World& world, const Counters& mine);

/// Two columns, the first as wide as its longest entry.
std::string table_of(const std::vector<std::pair<std::string, std::string>>& rows);

}  // namespace atl::cli
