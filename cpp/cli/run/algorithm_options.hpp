// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/catalog/algorithm.hpp>
#include <map>

#include "cli/graph_input.hpp"
#include "sources.hpp"

namespace CLI {
class Option;
}

namespace atl::cli {

/// The options of an algorithm's row on the command line.
///
///     AlgorithmOptions options(row, AlgorithmOptions::Verb::run);
///     options.add_to(app);                                       // then the command line is parsed
///     catalog::Arguments arguments = options.arguments(input);   // without what is a vertex: see sources(), files()
class AlgorithmOptions {
 public:
  enum class Verb { run, check };
  AlgorithmOptions(const catalog::Algorithm& row, Verb verb) : row_(row), verb_(verb) {}
  AlgorithmOptions(const AlgorithmOptions&) = delete;
  AlgorithmOptions& operator=(const AlgorithmOptions&) = delete;

  void add_to(CLI::App& app);
  catalog::Arguments arguments(const GraphInput& input) const;
  /// Warns, on rank 0, of options that were given by a former name.
  void warn_of_former_names(World& world) const;
  /// Null if the algorithm starts from no vertex.
  const catalog::Option* source_option() const;
  /// Whether an algorithm that starts from one vertex is given it; else it is chosen.
  bool has_source() const { return source_.has_value(); }
  /// Whether one search of `count` starts from the vertex of highest degree.
  bool starts_from_hub(int count) const { return !source_ && !seed_ && count == 1; }
  /// UsageError where a source is no id. To be asked before the graph is read, if its vertices have no names.
  void check_source_ids() const;
  /// The source if one is given; else the vertex of highest degree, or, of several or by --seed, as many as there are of
  /// `count`, drawn. InputError if no vertex has an edge, or the name of the source. Collective.
  std::vector<Vertex> sources(const Graph& graph, const Dictionary* names, int count) const;
  /// Sets whether the graph's weights count, where that is the graph's to say; then reads the files that options name, and
  /// sets what they hold: `held` keeps it, for as long as the arguments. Collective.
  struct Files {
    std::vector<Array<Vertex>> vertices;
    std::vector<Array<double>> shares;
  };
  void read_files(const Graph& graph, const Dictionary* names, catalog::Arguments& arguments, Files& held) const;
  /// Whether a run by these arguments uses the graph's weights, and the option that changes it; empty where the graph has
  /// none, or the algorithm needs them.
  std::string weights_word(const Graph& graph, const catalog::Arguments& arguments) const;

 private:
  struct Held {
    std::optional<std::int64_t> whole;
    std::optional<double> real;
    std::optional<std::string> word;
    bool flag = false;
    CLI::Option *by_name = nullptr, *by_former_name = nullptr;  // of options that have a former name
    bool is_given_by_former_name() const;
    bool is_given_twice() const;
  };
  std::string_view help_of(const catalog::Option& option) const {
    return verb_ == Verb::run ? option.help : option.check_help;
  }
  void add(CLI::App& app, const catalog::Option& option);
  CLI::Option* add_as(CLI::App& app, const catalog::Option& option, std::string_view option_name, Held& held);
  void add_source(CLI::App& app, const catalog::Option& option);

  const catalog::Algorithm& row_;
  Verb verb_;
  std::map<std::string_view, Held> held_;
  std::map<std::string, std::string> files_;
  std::optional<std::string> source_;
  std::optional<std::uint64_t> seed_;
  SourceChoice choice_;
};

}  // namespace atl::cli
