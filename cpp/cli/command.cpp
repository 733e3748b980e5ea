// SPDX-License-Identifier: Apache-2.0
#include "command.hpp"

#include <unistd.h>

#include <algorithm>
#include <atoll/apsp/grid/saved_run.hpp>
#include <atoll/base/files/atomic_file.hpp>
#include <atoll/base/files/text_file.hpp>
#include <atoll/base/id_rule.hpp>
#include <atoll/base/json.hpp>
#include <atoll/base/utf8.hpp>
#include <atoll/transport/bootstrap/discover.hpp>
#include <atoll/transport/plugin.hpp>
#include <atoll/tune/store.hpp>
#include <charconv>
#include <cli/cli11.hpp>
#include <cstdlib>
#include <cstring>

#include "prompt/help.hpp"
#include "prompt/phase_line.hpp"
#include "slurm_step.hpp"

namespace atl::cli {

Command::Command(std::string name, const std::string& about)
    : name_(std::move(name)), app_(std::make_unique<CLI::App>(about, "atoll " + name_)) {
  app_->option_defaults()->always_capture_default(false);
  in_group(*app_, kRanksGroup, [&] {
    app_->add_option("--ranks", ranks_,
                     "ranks; more than one starts them (default: ATOLL_RANKS, else the launcher's, else 1)")
        ->check(CLI::PositiveNumber);
    app_->add_option("--threads", threads_, "threads of a rank (default: cores / ranks)")->check(CLI::PositiveNumber);
    app_->add_option("--transport", transport_,
                     "auto, inproc, shm, mpi, mpi_probe, mpi_mprobe, mpi_rma, ofi or levels");
    app_->add_option("--mpi", mpi_, "auto, openmpi or mpich");
    app_->add_option("--provider", provider_, "of libfabric, under --transport ofi: auto, tcp;ofi_rxm, shm, ...");
    app_->add_option(
        "--domains", domains_,
        "simulated nodes: 2x4, 3+2, torus:4x4, or a topology's file (Slurm, ibnetdiscover, SimGrid, hwloc, JSON)");
    app_->add_option(
        "--platform", platform_,
        "what messages cost on each level, for routes and partitions: a JSON file (`atoll info --calibrate FILE` "
        "writes one) or a network's name");
    app_->add_option(
        "--map", map_,
        "order of the ranks: a file of places (`atoll map --export places FILE`), or hamorder-w, hamorder, "
        "random or identity on the network of --domains or --platform (default: as launched)");
    app_->add_option("--route", route_,
                     "direct, aml, aml-levels, row, mst, mst-levels, domain or auto: how records travel between ranks");
    app_->add_option("--without", without_,
                     "merging,claims,closing or some of them: what routes leave out of what they save over the "
                     "published ones, for comparison");
    app_->add_option("--exchange", exchange_,
                     "what carries the values that ranks exchange in rounds: mailbox (slots of the transport), queue "
                     "(LCI's: one message from each thread to each peer) or auto");
    app_->add_option(
        "--plan", plan_file_,
        "JSON file with knobs of communication (`atoll info` lists them), or a result that has them (`atoll tune`)");
  });
  in_group(*app_, kOutputGroup, [&] {
    app_->add_option("--json", json_, "write one JSON object to FILE, or - for stdout");
    app_->add_flag("--quiet", quiet_, "no log on stderr but errors");
    app_->add_flag("--verbose", verbose_, "more log on stderr");
  });
}

Command::~Command() = default;

void Command::add_workgroup() {
  app_->add_option("--workgroup", workgroup_,
                   "ranks of a workgroup, the last of which may have fewer, as --domains of that size (default: the "
                   "machine's domains)")
      ->check(CLI::PositiveNumber)
      ->excludes(app_->get_option("--domains"));
}

void Command::remove_job_options(std::initializer_list<std::string_view> kept) {
  for (const char* option : {"--ranks", "--transport", "--mpi", "--provider", "--platform", "--route", "--without",
                             "--exchange", "--map", "--domains", "--plan"})
    if (std::ranges::find(kept, option) == kept.end()) app_->remove_option(app_->get_option(option));
}

namespace {

// CLI11 reports the bounds of a positive number as "not in range 0.000000 to" the greatest double, with all its 309
// digits.
void say_bounds_shortly(CLI::App& app) {
  for (CLI::Option* option : app.get_options()) {
    const std::string type = option->get_type_name();
    const char* rule = type.ends_with(":POSITIVE")      ? "a finite number above 0"
                       : type.ends_with(":NONNEGATIVE") ? "a finite number, 0 or more"
                                                        : nullptr;
    if (rule == nullptr) continue;
    CLI::Validator* validator = option->get_validator(0);
    validator->operation([longer = *validator, rule](std::string& text) {
      return longer(text).empty() ? std::string() : fmt::format("{} ({})", text, rule);
    });
  }
}

// 0: not set.
Rank ranks_of_environment() {
  const char* text = std::getenv("ATOLL_RANKS");
  if (!text) return 0;
  const char* end = text + std::strlen(text);
  Rank ranks = 0;
  const auto [at, error] = std::from_chars(text, end, ranks);
  if (error != std::errc{} || at != end || ranks < 1)
    throw UsageError(fmt::format("ATOLL_RANKS is '{}' (a whole number above 0 is needed). Correct or unset it.", text));
  return ranks;
}

// Rejects ids beyond 64 bits, which would otherwise be read as the greatest id and named so in messages.
void refuse_long_ids(CLI::App& app) {
  CLI::Option* source = app.get_option_no_throw("--source");
  if (source == nullptr) return;
  source->check([](const std::string& text) {
    Vertex id = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
    return error == std::errc::result_out_of_range || (error == std::errc{} && id > kMaxVertex)
               ? fmt::format("{} ({})", text, kIdRule)
               : std::string();
  });
}

// Suggests the option that an unknown word may have been meant to be.
std::string guess_for(const CLI::App& app, const Words& words, const CLI::ParseError& error) {
  if (dynamic_cast<const CLI::ExtrasError*>(&error) == nullptr) return "";
  std::vector<std::string> known;
  for (const CLI::Option* option : app.get_options())
    for (const std::string& name : option->get_lnames()) known.push_back("--" + name);
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (name.starts_with("--") && std::ranges::find(known, name) == known.end()) return nearest_of(name, known);
  }
  return "";
}

}  // namespace

std::optional<int> Command::parse(const Words& given) {
  words_ = given;  // the ranks' stdout is another
  const Words words = with_result_path(given);
  say_bounds_shortly(*app_);
  refuse_long_ids(*app_);
  try {
    std::vector<std::string> reversed(words.rbegin(), words.rend());
    app_->parse(std::move(reversed));
    if (json_ == result_path()) json_ = "-";
    if (ranks_ == 0) ranks_ = ranks_of_environment();
    plan_ = chosen_plan();
    return std::nullopt;
  } catch (const CLI::CallForHelp&) {
    print_result(help_of(*app_));
    return 0;
  } catch (const CLI::ParseError& e) {
    // --json may stand behind the option that is wrong.
    for (std::size_t i = 0; i + 1 < words.size(); ++i)
      if (words[i] == "--json") json_ = words[i + 1];
    for (const std::string& word : words)
      if (word.starts_with("--json=")) json_ = word.substr(7);
    if (json_ == result_path()) json_ = "-";
    const std::string message =
        fmt::format("{}{}. See `atoll {} --help`.", e.what(), guess_for(*app_, words, e), name_);
    try {
      throw UsageError(message);
    } catch (...) {
      return fail();
    }
  } catch (...) {
    return fail();
  }
}

namespace {

// The plan in a file that is one, or a result with one: of `atoll tune`, or what a run wrote by --json.
nlohmann::json plan_in(const nlohmann::json& object, const std::string& path) {
  if (!object.is_object() || !object.contains("schema")) return object;
  const auto plan = object.find("plan");
  check(plan != object.end() && plan->is_object() && !plan->empty(),
        "{}: is a result without a knob of communication (it is the value of --plan). Give one that has a plan.", path);
  return *plan;
}

// Said where a plan was found on another kind of machine.
std::string other_machine(const std::string& path) {
  const std::string text = read_text_file(path).value_or("");
  const nlohmann::json object = try_parse_json(text);
  const auto from = object.is_object() ? object.find("provenance") : object.end();
  if (from == object.end() || !from->is_object()) return "";
  const tune::Provenance here = tune::this_machine();
  const std::string processor = from->value("processor", here.processor), isa = from->value("isa", here.isa);
  if (processor == here.processor && isa == here.isa) return "";
  return fmt::format(
      "{}: the plan was found on another machine ({}, {}; here: {}, {}). Tune again here if speed counts.", path,
      processor, isa, here.processor, here.isa);
}

}  // namespace

// Precedence: flag, environment, file, default.
Plan Command::chosen_plan() const {
  Plan plan;
  if (!plan_file_.empty()) {
    const std::optional<std::string> text = read_text_file(plan_file_);
    check(text.has_value(), "{}: cannot be opened (it is the value of --plan). Give a JSON file.", plan_file_);
    try {
      plan = Plan::from_json(plan_in(parse_json(*text), plan_file_));
    } catch (const nlohmann::json::parse_error& e) {
      throw InputError(fmt::format("{}: {} (a plan is a JSON object). Correct it.", plan_file_, e.what()));
    }
  }
  plan = Plan::from_environment(std::move(plan));
  if (threads_) plan.threads = *threads_;
  if (transport_) plan.transport = *transport_;
  if (mpi_) plan.mpi = *mpi_;
  if (provider_) plan.provider = *provider_;
  if (domains_) plan.domains = *domains_;
  if (workgroup_ && is_virtual(plan))
    throw UsageError(fmt::format(
        "--workgroup {} in virtual time (the platform has the domains). Give the groups to the platform: `atoll "
        "simulate --platform cluster:{}`, or as \"domains\" in its file.",
        *workgroup_, workgroups()));
  if (workgroup_) plan.domains = workgroups();
  if (platform_) plan.platform = *platform_;
  if (map_) plan.map = *map_;
  if (route_) plan.route = *route_;
  if (without_) plan.without = *without_;
  if (exchange_) plan.exchange = *exchange_;
  if (provider_ && *provider_ != "auto" && plan.transport != "ofi")
    throw UsageError(
        fmt::format("--provider {} with --transport {} (providers are libfabric's). Leave it out, or take "
                    "--transport ofi.",
                    *provider_, plan.transport));
  if (mpi_ && *mpi_ != "auto" && (plan.transport == "inproc" || is_virtual(plan)))
    throw UsageError(fmt::format("--mpi {} with --transport {} (its ranks live in one process). Leave one out.", *mpi_,
                                 plan.transport));
  try {
    plan.validate();
  } catch (const InputError& e) {
    throw UsageError(e.what());
  }
  return plan;
}

// The domains that --workgroup stands for.
std::string Command::workgroups() const {
  const auto by = launcher();
  const Rank ranks = by && by->ranks > 1 ? by->ranks : std::max<Rank>(1, ranks_);
  if (*workgroup_ > ranks)
    throw UsageError(
        fmt::format("--workgroup {} (there are {} ranks, by --ranks). Take 1 to {}.", *workgroup_, ranks, ranks));
  std::string text;
  for (Rank left = ranks; left > 0; left -= std::min(left, *workgroup_))
    text += fmt::format("{}{}", text.empty() ? "" : "+", std::min(left, *workgroup_));
  return text;
}

Log Command::log() const {
  const LogLevel least = quiet_ ? LogLevel::error : verbose_ ? LogLevel::debug : LogLevel::info;
  return Log(
      [this](LogLevel level, std::string_view text) {
        if (phases_) phases_->wipe();
        say("atoll: {}: {}\n", name_of(level), printable(text));
      },
      least);
}

void Command::begin_phase(const World& world, std::string what) {
  if (world.rank() == 0) phases_->begin(std::move(what));
}

Progress Command::progress(const World& world) const {
  if (world.rank() != 0) return {};
  return [line = phases_.get()](std::int64_t done, std::int64_t all) { line->advance(done, all); };
}

World::Options Command::world_options(Rank rank) const {
  World::Options options;
  options.alarm = log();
  if (rank == 0) options.log = options.alarm;
  return options;
}

Words Command::command_line() const {
  Words command{"atoll"};
  for (std::size_t at = 0; at < name_.size();) {
    const std::size_t end = std::min(name_.find(' ', at), name_.size());
    command.push_back(name_.substr(at, end - at));
    at = end + 1;
  }
  command.insert(command.end(), words_.begin(), words_.end());
  return command;
}

int Command::run(const std::function<Outcome(World&)>& f) {
  std::unique_ptr<Job> job;
  int code = 0;
  std::string message;
  try {
    check_step_has_pmi();
    job = std::make_unique<Job>(ranks_, plan_, command_line());
    if (job->part() == Job::Part::parent) return job->run_children(result_file());
    const World::Options options = world_options(job->rank());
    if (job->part() == Job::Part::alone && transport_ && *transport_ != "auto" && *transport_ != "inproc")
      options.log(LogLevel::warn, "--transport {}: one rank has nobody to send to, and has inproc", *transport_);
    if (job->part() == Job::Part::alone && ranks_ == 0 && !quiet_)
      if (const std::string note = note_of_one_rank("--ranks"); !note.empty()) options.log(LogLevel::warn, "{}", note);
    if (job->rank() == 0 && !quiet_)
      for (const std::string& name : unknown_environment())
        options.log(LogLevel::warn, "{} is set (no knob has that name; `atoll info` lists them)", name);
    if (job->rank() == 0 && !plan_file_.empty())
      if (const std::string note = other_machine(plan_file_); !note.empty()) options.log(LogLevel::warn, "{}", note);
    Outcome outcome;
    phases_ = std::make_unique<PhaseLine>(quiet_);  // ranks may be threads, and all of them look at it
    job->run(
        [&](World& world) {
          if (world.rank() == 0) {
            world_ = {{"ranks", world.size()},
                      {"threads", world.team().size()},
                      {"transport", world.fabric().name()},
                      {"how", job->how()},
                      {"machine", host_facts().to_json()},
                      {"hierarchy", world.hierarchy().to_json()}};
          }
          world.collective_try([&] {
            if (world.rank() == 0) check_json_path(json_);
          });
          Outcome mine = f(world);
          if (world.rank() == 0) outcome = std::move(mine);
        },
        options);
    phases_->end();
    if (const auto& simulated = job->virtual_run()) {
      outcome.seconds["virtual"] = simulated->seconds;
      outcome.extra["predicted"] = true;
      outcome.extra["simulation"] = simulated->to_json();
      outcome.text += fmt::format("predicted: {:.6f} s in virtual time, all in all\n", simulated->seconds);
    }
    if (job->rank() == 0) code = print(outcome);
  } catch (...) {
    if (phases_) phases_->end();
    const Failure failure = current_failure();
    code = job && !job->reports_errors() ? failure.exit_code : fail();
    message = failure.message;
  }
  return job ? job->finish(code, message) : code;
}

int Command::run_alone(const std::function<Outcome()>& f) {
  try {
    check_json_path(json_);
    return print(f());
  } catch (...) {
    return fail();
  }
}

}  // namespace atl::cli
