// SPDX-License-Identifier: Apache-2.0
#include "algorithm_options.hpp"

#include <atoll/graph/names/read_named_result.hpp>
#include <atoll/verify/read_result.hpp>
#include <charconv>
#include <cli/cli11.hpp>

#include "shares_file.hpp"

namespace atl::cli {

using catalog::Kind;
using catalog::Option;
using catalog::OptionSource;
using catalog::Range;

bool AlgorithmOptions::Held::is_given_by_former_name() const { return by_former_name && by_former_name->count() > 0; }

bool AlgorithmOptions::Held::is_given_twice() const { return is_given_by_former_name() && by_name->count() > 0; }

void AlgorithmOptions::add_to(CLI::App& app) {
  for (const Option& option : row_.options) {
    if (help_of(option).empty()) continue;
    switch (option.taken_from) {
      case OptionSource::as_source:
        add_source(app, option);
        break;
      case OptionSource::by_file:
        app.add_option("--" + std::string(option.name), files_[std::string(option.name)], std::string(help_of(option)));
        break;
      case OptionSource::by_name:
        add(app, option);
        break;
      case OptionSource::by_input:
      case OptionSource::by_graph:
      case OptionSource::by_library:
        break;
    }
  }
}

void AlgorithmOptions::add_source(CLI::App& app, const Option& option) {
  if (option.kind == Kind::vertices) {
    choice_.add_to(app);
    return;
  }
  auto* source = app.add_option("--source", source_, std::string(help_of(option)));
  if (verb_ == Verb::check) {
    source->required();
  } else {
    app.add_option("--seed", seed_, "draws the source, or sources (several: default 1)");
  }
}

void AlgorithmOptions::add(CLI::App& app, const Option& option) {
  Held& held = held_[option.name];
  if (option.kind == Kind::flag) {
    app.add_flag("--" + std::string(option.name), held.flag, std::string(help_of(option)));
    return;
  }
  CLI::Option* const added = add_as(app, option, option.name, held);
  if (option.former.empty()) return;
  held.by_name = added;
  held.by_former_name = add_as(app, option, option.former, held);
  held.by_former_name->group("");  // not in the help
}

CLI::Option* AlgorithmOptions::add_as(CLI::App& app, const Option& option, std::string_view option_name, Held& held) {
  const std::string name = "--" + std::string(option_name), help(help_of(option));
  CLI::Option* added = nullptr;
  switch (option.kind) {
    case Kind::whole:
      added = app.add_option(name, held.whole, help);
      break;
    case Kind::real:
      added = app.add_option(name, held.real, help);
      break;
    case Kind::word:
      added = app.add_option(name, held.word, help);
      break;
    case Kind::flag:
    case Kind::vertex:
    case Kind::vertices:
    case Kind::reals:
      throw UsageError(fmt::format(
          "{} of {} is a vertex or an array (OptionSource::by_name takes none). Correct its row.", name, row_.name));
  }
  if (option.range != Range::any)
    added->check(option.range == Range::positive ? CLI::Validator(CLI::PositiveNumber)
                                                 : CLI::Validator(CLI::NonNegativeNumber));
  if (option.kind == Kind::whole)
    added->check([most = option.most](const std::string& text) {
      std::int64_t value = 0;
      const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
      const bool beyond =
          error == std::errc::result_out_of_range || (error == std::errc() && (value > most || value < -most - 1));
      return beyond ? fmt::format("{} (at most {})", text, most) : std::string();
    });
  if (option.refuse)
    added->check([refuse = option.refuse](const std::string& text) { return refuse(text); });
  else if (!option.choices.empty())
    added->check(CLI::IsMember(std::vector<std::string>(option.choices.begin(), option.choices.end())));
  return added;
}

void AlgorithmOptions::warn_of_former_names(World& world) const {
  if (world.rank() != 0) return;
  for (const Option& option : row_.options)
    if (const auto held = held_.find(option.name); held != held_.end() && held->second.is_given_by_former_name())
      world.log()(LogLevel::warn, "--{} is --{} now. Change it: a later version does not take the former.",
                  option.former, option.name);
}

catalog::Arguments AlgorithmOptions::arguments(const GraphInput& input) const {
  catalog::Arguments arguments(row_.options);
  for (const auto& [name, held] : held_) {
    if (held.is_given_twice())
      throw UsageError(fmt::format("--{} is given by its former name too. Leave that out.", name));
    if (held.whole) arguments.set(name, *held.whole);
    if (held.real) arguments.set(name, *held.real);
    if (held.word) arguments.set(name, *held.word);
    if (held.flag) arguments.set(name, true);
  }
  for (const Option& option : row_.options)
    if (option.taken_from == OptionSource::by_input && option.name == "weighted")
      arguments.set("weighted", input.is_weighted());
  return arguments;
}

void AlgorithmOptions::read_files(const Graph& graph, const Dictionary* names, catalog::Arguments& arguments,
                                  Files& held) const {
  for (const Option& option : row_.options) {
    if (option.taken_from == OptionSource::by_graph) arguments.set(option.name, graph.weighted());
    const auto file = files_.find(std::string(option.name));
    if (file == files_.end() || file->second.empty()) continue;
    if (option.kind == Kind::reals) {
      held.shares.push_back(read_shares(graph, names, file->second));
      arguments.set(option.name, catalog::span_of(held.shares.back()));
    } else {
      held.vertices.push_back(names ? read_named_result<Vertex>(graph, *names, file->second, Meaning::vertices)
                                    : read_result<Vertex>(graph, file->second));
      arguments.set(option.name, catalog::span_of(held.vertices.back()));
    }
  }
}

std::string AlgorithmOptions::weights_word(const Graph& graph, const catalog::Arguments& arguments) const {
  if (!graph.weighted() || row_.contract.weights == catalog::Contract::Weights::needed) return {};
  for (const Option& option : row_.options)
    if (option.name == "weighted")
      return arguments.flag("weighted") ? "used (--unweighted takes all edges alike)"
                                        : "not used (--weighted goes by them)";
  return "not used";
}

const Option* AlgorithmOptions::source_option() const {
  for (const Option& option : row_.options)
    if (option.taken_from == OptionSource::as_source) return &option;
  return nullptr;
}

void AlgorithmOptions::check_source_ids() const {
  choice_.check_ids();
  if (source_) vertex_meant("--source", *source_, nullptr);
}

std::vector<Vertex> AlgorithmOptions::sources(const Graph& graph, const Dictionary* names, int count) const {
  if (source_option()->kind == Kind::vertices) return choice_.of(graph, names);
  if (source_) return {graph.world().collective_try([&] { return vertex_meant("--source", *source_, names); })};
  check(graph.edges() > 0, "{}: no vertex has an edge (there is nothing to search). Give another graph.", graph.name());
  if (starts_from_hub(count)) return {most_connected(graph)};
  return draw_sources(graph, count, seed_.value_or(1));
}

}  // namespace atl::cli
