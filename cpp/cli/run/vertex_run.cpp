// SPDX-License-Identifier: Apache-2.0
#include "vertex_run.hpp"

#include <atoll/base/files/atomic_file.hpp>
#include <atoll/catalog/unreached.hpp>
#include <atoll/engine/replay/replay.hpp>
#include <atoll/graph/formats/write.hpp>
#include <atoll/graph/id_order.hpp>
#include <atoll/runtime/traffic/traffic_log.hpp>
#include <cli/cli11.hpp>

#include "answer_summary.hpp"
#include "cli/table_file.hpp"
#include "named_report.hpp"
#include "trials.hpp"

namespace atl::cli {
namespace {

// Results for up to this many input edges, times the runs that are checked, are verified by default: it takes seconds.
constexpr double kVerifyUpTo = 1e8;

}  // namespace

struct VertexRun::State {
  State(World& w, catalog::Arguments a) : world(w), arguments(std::move(a)), trials(w) {}

  World& world;
  catalog::Arguments arguments;
  AlgorithmOptions::Files files;  // that the arguments refer to
  bool verify = false;
  EdgeList edges;  // kept where the answer is checked against the input
  std::shared_ptr<const Dictionary> names;
  nlohmann::json described_names;
  std::unique_ptr<Graph> graph;
  std::map<std::string, double> build_phases;
  double load_seconds = 0, build_seconds = 0, prepare_seconds = 0, verify_seconds = 0;
  std::unique_ptr<catalog::Prepared> prepared;
  std::vector<Vertex> sources;
  Trials trials;
  catalog::Answer answer;
  catalog::Runs runs;
  Outcome outcome;
};

VertexRun::VertexRun(const catalog::Algorithm& row)
    : row_(row), options_(row, AlgorithmOptions::Verb::run), column_(row.columns.front().name) {}

void VertexRun::add_to(CLI::App& app) {
  input_.add_to(app, GraphInput::Cuts::of_vertices_too);
  input_.add_names_to(app);
  app.add_option("--" + std::string(row_.repeats.option), trials_, std::string(row_.repeats.help))
      ->check(CLI::PositiveNumber);
  app.add_option("--output", output_,
                 "write the last run's values with original ids or names: .tsv .csv .txt, .npy for ids, .parquet or "
                 ".feather by Python");
  if (row_.columns.size() > 1) {
    std::vector<std::string> names;
    std::string help;
    for (const catalog::ColumnInfo& column : row_.columns) {
      names.emplace_back(column.name);
      help += (help.empty() ? std::string() : " or ") + names.back() + (names.size() == 1 ? " (default)" : "");
    }
    app.add_option("--output-values", column_, help)->check(CLI::IsMember(names));
  }
  app.add_option(
      "--keep-traffic", traffic_,
      "write what each rank sends in the timed runs, before any route carries it: `atoll simulate --replay FILE` "
      "sends it again");
  auto* verify = app.add_flag("--verify", verify_, "check the answer (default for small inputs where that is cheap)");
  app.add_flag("--no-verify", no_verify_, "do not")->excludes(verify);
  options_.add_to(app);
}

Outcome VertexRun::run(World& world, Command& command) const {
  world.fabric().set_timing(SimulatedTiming::coarse);
  options_.warn_of_former_names(world);
  State state(world, options_.arguments(input_));
  if (row_.check) row_.check(state.arguments);
  if (!output_.empty()) {
    if (is_table_path(output_)) {
      check_table_path(world, output_);
    } else {
      check_result_path(world, output_);
    }
  }
  if (!traffic_.empty()) begin_traffic(world);
  const bool named = input_.has_names(world);
  if (named && !output_.empty() && !is_table_path(output_)) check_named_result_path(world, output_);
  if (!named) world.collective_try([&] { options_.check_source_ids(); });
  RankTimer timer(world);
  command.begin_phase(world, "reading " + input_.text());
  NamedEdges loaded = input_.load_named(world, named);
  state.names = loaded.names;
  state.described_names = describe_names(loaded);
  EdgeList edges = std::move(loaded.edges);
  state.load_seconds = world.max(timer.lap());
  const auto tuples = static_cast<double>(world.sum(static_cast<Edge>(edges.size())));
  const int checked = row_.repeats.each_checked && !options_.has_source() ? trials_ : 1;
  state.verify = !no_verify_ && (verify_ || (row_.verified_by_default && tuples * checked <= kVerifyUpTo));

  command.begin_phase(world, "building the graph");
  GraphOptions options = input_.options();
  if (options.placement.cut == Cut::chosen && row_.contract.rounds != catalog::Contract::Rounds::along_all_edges)
    options.placement.cut = Cut::edge;
  if (state.verify && row_.checks_input) {
    IdMap ids = assign(world, edges, number(world, edges), options.placement, &state.build_phases);
    state.graph = std::make_unique<Graph>(Graph::build(world, edges, std::move(ids), options));
    state.edges = std::move(edges);
  } else {
    state.graph = std::make_unique<Graph>(Graph::build(world, std::move(edges), options));
  }
  state.build_seconds = world.max(timer.lap());
  options_.read_files(*state.graph, state.names.get(), state.arguments, state.files);
  if (row_.check) row_.check(state.arguments);  // again: now with what the graph says
  for (const catalog::ColumnInfo& column : row_.columns)
    if (!column.requires_flag.empty())
      state.arguments.set(column.requires_flag, state.verify || (!output_.empty() && column_ == column.name));
  timer.lap();
  command.begin_phase(world, fmt::format("preparing {}", row_.name));
  state.prepared = row_.prepare(*state.graph, state.arguments);
  state.prepare_seconds = world.max(timer.lap());
  time_trials(state, command);
  if (!traffic_.empty()) save_traffic(world, traffic_, fmt::format("{} {}", row_.name, input_.text()));
  if (!output_.empty()) command.begin_phase(world, "writing " + output_);
  const auto write = [&](const std::string& path) {
    std::visit(
        [&](const auto& values) {
          if (state.names) {
            write_by_name(*state.graph, *state.names, path, column_, values);
          } else {
            write_by_id(*state.graph, path, values);
          }
        },
        *state.answer.find(column_));
  };
  if (is_table_path(output_)) {
    write_as_table(world, output_, "vertex," + column_, write);
  } else if (!output_.empty()) {
    write(output_);
  }
  if (state.verify && !row_.repeats.each_checked) {
    command.begin_phase(world, "checking the answer");
    is_right(state);
  }
  command.begin_phase(world, "summing up");
  report(state);
  return std::move(state.outcome);
}

// Before the graph is read, so that the mailboxes of the algorithm are kept, and a wrong path is found at once.
void VertexRun::begin_traffic(World& world) const {
  world.collective_try([&] {
    if (world.plan().exchange == "queue")
      throw UsageError(
          "--keep-traffic with --exchange queue (what the queue carries is not kept). Leave --exchange out.");
    if (world.rank() == 0) output_target(traffic_);
  });
  keep_traffic(world);
}

void VertexRun::time_trials(State& state, Command& command) const {
  const catalog::Option* source = options_.source_option();
  int count = trials_;
  if (source) {
    state.sources = options_.sources(*state.graph, state.names.get(), trials_);
    if (source->kind == catalog::Kind::vertices)
      state.arguments.set(source->name, std::span<const Vertex>(state.sources));
    else if (row_.repeats.option == "sources" && !options_.has_source())  // each once
      count = static_cast<int>(state.sources.size());
  }
  const bool single = source && source->kind == catalog::Kind::vertex;
  const auto source_of = [&](int trial) {
    return state.sources[static_cast<std::size_t>(trial) % state.sources.size()];
  };
  if (single) state.arguments.set(source->name, source_of(0));
  if (row_.repeats.warm_up) {
    TrafficLog* const traffic = state.world.traffic();
    if (traffic) traffic->begin_trial(TrafficLog::Trial::warms_up);
    state.prepared->run(state.arguments, state.answer, {});
    if (traffic) traffic->end_trial();
  }
  command.begin_phase(state.world, std::string(row_.name));
  const Progress progress = command.progress(state.world);
  for (int trial = 0; trial < count; ++trial) {
    if (single) state.arguments.set(source->name, source_of(trial));
    catalog::TimedRun run;
    run.seconds = state.trials.time(
        [&] { state.prepared->run(state.arguments, state.answer, count > 1 ? Progress() : progress); });
    if (count > 1) report_progress(progress, trial + 1, count);
    if (single) run.source = source_of(trial);
    run.scalars = state.answer.scalars();
    state.runs.timed.push_back(std::move(run));
    if (state.verify && row_.repeats.each_checked && !is_right(state)) break;
  }
}

bool VertexRun::is_right(State& state) const {
  const RankTimer timer(state.world);
  const Verdict verdict =
      row_.verify(*state.graph, state.arguments, state.answer, row_.checks_input ? &state.edges : nullptr);
  state.verify_seconds += state.world.max(timer.seconds());
  state.outcome.verified = state.outcome.verified.value_or(true) && verdict.ok;
  if (!verdict.ok) {
    const auto source = state.runs.timed.back().source;
    state.outcome.failure =
        fmt::format("{}: the answer{} breaks {}. This is a defect: report it with the command.", state.graph->name(),
                    source ? fmt::format(" from source {}", text_of(*source, state.names.get())) : "", verdict.what);
  }
  return verdict.ok;
}

void VertexRun::report(State& state) const {
  World& world = state.world;
  const Graph& graph = *state.graph;
  Outcome& outcome = state.outcome;
  outcome.input = cli::describe(graph);
  outcome.input["cut"] = name_of(graph.cut().cut());
  outcome.input["preparation"] = input_.preparation(graph);
  state.trials.report(outcome.seconds, outcome.counters);
  outcome.seconds["prepare"] = state.prepare_seconds;
  outcome.seconds["load"] = state.load_seconds;
  outcome.seconds["build"] = state.build_seconds;
  outcome.seconds["verify"] = state.verify_seconds;
  state.build_phases.insert(graph.report().seconds.begin(), graph.report().seconds.end());
  outcome.seconds["build_phases"] = state.build_phases;
  state.runs.median_seconds = outcome.seconds["run"].get<double>();
  state.runs.verified = outcome.verified;
  outcome.result = nlohmann::json::object();
  catalog::Report summary{.result = outcome.result, .seconds = outcome.seconds};
  state.prepared->report(state.arguments, state.answer, state.runs, summary);
  if (state.names) {
    outcome.input["names"] = state.described_names;
    name_sources(*state.names, state.runs, summary);
  }
  // Where nothing needs depths, none were made.
  if (const auto* values = state.answer.find(column_))
    std::visit([&](const auto& column) { summarize(graph, state.names.get(), column_, column, summary); }, *values);
  const std::vector<double> seconds = state.trials.sorted();
  catalog::Report::Lines lines{
      {"graph", describe_in_words(graph)},
      {"ranks", fmt::format("{} x {} threads, {}", world.size(), world.team().size(), world.fabric().name())}};
  if (const std::string word = options_.weights_word(graph, state.arguments); !word.empty())
    lines.emplace_back("weights", word);
  if (state.described_names.contains("columns"))
    lines.emplace_back("columns", state.described_names["columns"].get<std::string>());
  if (options_.source_option() && options_.source_option()->kind == catalog::Kind::vertex &&
      options_.starts_from_hub(trials_))
    lines.emplace_back("source", text_of(state.sources.front(), state.names.get()) +
                                     ", of highest degree (--source takes another, --seed draws one)");
  lines.insert(lines.end(), summary.lines.begin(), summary.lines.end());
  lines.emplace_back(row_.repeats.label,
                     fmt::format("{:.3f} ms (median of {}; {:.3f} to {:.3f})", state.runs.median_seconds * 1e3,
                                 seconds.size(), seconds.front() * 1e3, seconds.back() * 1e3));
  lines.insert(lines.end(), summary.lines_after_time.begin(), summary.lines_after_time.end());
  lines.emplace_back("load, build", fmt::format("{:.3f} s, {:.3f} s; prepare {:.3f} s", state.load_seconds,
                                                state.build_seconds, state.prepare_seconds));
  lines.emplace_back("verified", !state.verify ? "no (--verify asks for it)" : *outcome.verified ? "yes" : "FAILED");
  outcome.text = table_of(lines);
  if (!summary.failure.empty()) {
    outcome.verified = false;
    outcome.failure = summary.failure;
  }
}

template <class T>
void write_by_id(const Graph& graph, const std::string& path, const Array<T>& by_owned_index, Unreached unreached) {
  using Written = std::conditional_t<std::is_floating_point_v<T>, double, std::int64_t>;
  World& world = graph.world();
  const IdOrder order(world, graph.ids());
  std::vector<Vertex> ids(static_cast<std::size_t>(order.size()));
  for (std::size_t k = 0; k < ids.size(); ++k) ids[k] = order.id_at(static_cast<Vertex>(k));
  const std::vector<T> sorted = order.arrange(std::span<const T>(by_owned_index.data(), by_owned_index.size()));
  std::vector<Written> values(sorted.begin(), sorted.end());
  if constexpr (std::is_same_v<T, Vertex>)
    if (unreached == Unreached::minus_one) catalog::depths_to_result(values);
  write_result(world, path, ids, std::span<const Written>(values));
}
template void write_by_id(const Graph&, const std::string&, const Array<Vertex>&, Unreached);
template void write_by_id(const Graph&, const std::string&, const Array<float>&, Unreached);
template void write_by_id(const Graph&, const std::string&, const Array<double>&, Unreached);

}  // namespace atl::cli
