// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

/// The options of an algorithm as data, and what a caller gives for them.
///
///     Arguments arguments(algorithm.options);         // the defaults
///     arguments.set("alpha", 0.9);
///     arguments.real("alpha");                        // 0.9
///
/// Lists and arrays are not copied: they must outlive the arguments. UsageError for an option that the algorithm does
/// not have, or a value of another kind.
namespace atl::catalog {

/// The value of an option: whole number, real number, one of some words, yes or no, one original id, a list of original
/// ids, one real number for each vertex of this rank.
enum class Kind { whole, real, word, flag, vertex, vertices, reals };

/// Empty where nothing is given and there is no default.
using Value = std::variant<std::monostate, std::int64_t, double, std::string, bool, std::span<const Vertex>,
                           std::span<const double>>;

/// Whether an option belongs to the prepared form, to each run of it, or to the check of an answer alone.
enum class Stage { prepare, run, check };

/// Where the command takes an option from. Other callers give every option by its name.
enum class OptionSource {
  by_name,    ///< --name
  as_source,  ///< --source and what draws sources
  by_input,   ///< an option of the graph: --weighted, without which all edges count alike
  by_graph,   ///< whether the graph has weights, which --unweighted leaves out: as in Python and in NetworkX
  by_file,    ///< --name FILE, which has a value for each vertex, or shares of some
  by_library  ///< not an option of the command
};

enum class Range { any, not_negative, positive };

struct Option {
  std::string_view name;
  Kind kind = Kind::whole;
  Stage stage = Stage::run;
  Value default_value = {};  ///< the default
  std::string_view help = {};
  std::string_view check_help = {};            ///< not empty: `atoll verify` has the option too
  std::vector<std::string_view> choices = {};  ///< of words; empty: `refuse` says which are taken
  Range range = Range::any;
  std::int64_t most = INT32_MAX;  ///< of whole numbers
  OptionSource taken_from = OptionSource::by_name;
  /// Why this text is not taken; empty if it is.
  std::string (*refuse)(const std::string& text) = nullptr;
  std::string_view former = {};  ///< the option's name until it took NetworkX's; commands take it with a warning
};

class Arguments {
 public:
  explicit Arguments(const std::vector<Option>& options);

  /// Converts a whole number to a real one where that is what the option takes.
  void set(std::string_view name, Value value);
  /// Whether a value is given, or there is a default.
  bool has(std::string_view name) const;

  std::int64_t whole(std::string_view name) const { return get<std::int64_t>(name); }
  double real(std::string_view name) const { return get<double>(name); }
  std::optional<double> real_if_given(std::string_view name) const;
  const std::string& word(std::string_view name) const { return get<std::string>(name); }
  bool flag(std::string_view name) const { return get<bool>(name); }
  Vertex vertex(std::string_view name) const { return get<std::int64_t>(name); }
  /// Empty if none are given.
  std::span<const Vertex> vertices(std::string_view name) const;
  std::span<const double> reals(std::string_view name) const;

  /// The arguments of prepare(): prepared forms with equal texts are alike.
  std::string prepare_text() const;

 private:
  const Value& value(std::string_view name) const;
  template <class T>
  const T& get(std::string_view name) const;

  const std::vector<Option>* options_;
  std::vector<Value> values_;  // in the order of the options
};

}  // namespace atl::catalog
