// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/progress.hpp>
#include <atoll/graph/graph.hpp>
#include <atoll/verify/verdict.hpp>
#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "answer.hpp"
#include "arguments.hpp"

/// The algorithms that give a value for each vertex, each described by one row: what the command, Python and the
/// documentation know of it.
///
///     const Algorithm& kcore = algorithm_named("kcore");
///     Arguments arguments(kcore.options);
///     const auto form = kcore.prepare(graph, arguments);     // collective: layouts and buffers
///     Answer answer;
///     form->run(arguments, answer, {});                      // collective; as often as wanted
///     kcore.verify(graph, arguments, answer, nullptr);       // collective
namespace atl::catalog {

/// How an algorithm treats the directions, weights and repeated edges of a graph.
struct Contract {
  enum class Direction { any, undirected } direction = Direction::any;
  enum class Weights { ignored, optional, needed } weights = Weights::ignored;
  enum class Multiplicity { ignored, counted } self_loops = Multiplicity::ignored, multi_edges = Multiplicity::ignored;
  /// Rounds that traverse all edges, for which --partition auto may choose a vertex-cut.
  enum class Rounds { along_changes, along_all_edges } rounds = Rounds::along_changes;
};

struct ColumnInfo {
  std::string_view name;
  std::string_view type;  ///< int64, float32, float64, or "float32 or float64"
  std::string_view meaning;
  bool checked = true;                  ///< `atoll verify` takes a file of it
  std::string_view requires_flag = {};  ///< a flag of prepare() without which it is not made
};

struct ScalarInfo {
  std::string_view name, type, meaning;
};

/// How the command repeats a run, which it does once if nothing is said.
struct Repeats {
  std::string_view option = "trials";
  std::string_view help = "how often it is timed (default 1)";
  std::string_view label = "time";
  bool warm_up = false;       ///< once untimed, so that pages are touched and threads awake
  bool each_checked = false;  ///< every run is checked, not the last one alone
};

/// A run that was timed.
struct TimedRun {
  double seconds = 0;
  std::optional<Vertex> source;
  Answer::Scalars scalars;
};

struct Runs {
  std::vector<TimedRun> timed;
  double median_seconds = 0;
  std::optional<bool> verified;
};

/// The report of the command on its runs.
struct Report {
  using Lines = std::vector<std::pair<std::string, std::string>>;
  nlohmann::json &result, &seconds;  ///< objects, to which it adds
  Lines lines = {}, lines_after_time = {};
  std::string failure = {};  ///< not empty: the run ended without what was asked for
};

/// An algorithm with its layouts and buffers for one graph. It refers to the graph. After an exception of run() it must
/// not be used again.
class Prepared {
 public:
  virtual ~Prepared() = default;
  /// Collective. InputError, the same on all ranks.
  virtual void run(const Arguments& arguments, Answer& answer, const Progress& progress) = 0;
  /// Reports on the last run. Collective.
  virtual void report(const Arguments& arguments, const Answer& answer, const Runs& runs, Report& report) const = 0;
  virtual std::size_t memory_bytes() const = 0;
};

struct Algorithm {
  std::string_view name;                              ///< as in `atoll run NAME`
  std::string_view summary;                           ///< a line in the list of algorithms
  std::string_view description;                       ///< a sentence above its options
  std::string_view check_summary, check_description;  ///< the same of `atoll verify NAME`
  std::vector<Option> options;
  Contract contract;
  std::vector<ColumnInfo> columns;  ///< the first is written by --output
  std::vector<ScalarInfo> scalars;
  Repeats repeats = {};
  /// Small inputs are verified by default if the check costs about one run.
  bool verified_by_default = true;
  /// Against the input as well as against the graph.
  bool checks_input = false;
  std::string_view python;                                ///< its function there
  std::string_view output_summary;                        ///< for the table of docs/algorithms.md
  std::vector<std::string_view> on_one_rank, over_ranks;  ///< sources of its forms, below cpp/atoll
  std::string_view reference;

  /// Throws what is wrong with the arguments alone, before the graph is read; null: nothing can be.
  void (*check)(const Arguments& arguments) = nullptr;
  /// Collective.
  std::unique_ptr<Prepared> (*prepare)(const Graph& graph, const Arguments& arguments);
  /// Checks columns, which a run or a file has given. `input`: the edges that assign() has numbered as the graph has
  /// them, or null. Collective.
  Verdict (*verify)(const Graph& graph, const Arguments& arguments, const Answer& answer, const EdgeList* input);
};

/// In the order of their names.
const std::vector<Algorithm>& algorithms();
/// UsageError that lists the names.
const Algorithm& algorithm_named(std::string_view name);
nlohmann::json to_json(const Algorithm& algorithm);

}  // namespace atl::catalog
