// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/mapping/traffic.hpp>
#include <functional>

#include "cli/command.hpp"

namespace CLI {
class Option;
}

/// Options that `map`, `map --measure` and `network` share: before parse().
namespace atl::cli {

/// The argument that names a network.
void add_network(CLI::App& app, std::string& network);

/// The traffic that a mapping is for: --traffic or --pattern.
class TrafficInput {
 public:
  /// Returns --traffic, which more options may exclude.
  CLI::Option* add_to(CLI::App& app);
  bool is_file() const { return !file_.empty(); }
  /// The file, or the pattern's name.
  const std::string& text() const { return is_file() ? file_ : pattern_; }
  /// The traffic of so many ranks; of a file, 0 takes those that it names.
  TrafficMatrix load(int ranks) const;

 private:
  std::string file_, pattern_ = "line";
};

/// --export FORMAT FILE, once or more often: a mapping as launchers read it.
struct MappingExports {
  std::vector<std::pair<std::string, std::string>> files;  ///< format, path

  void add_to(CLI::App& app);
  /// Throws for a format that does not exist, and for a path that could not be written.
  void check() const;
  /// Writes the files, each as the text that its format has, and lists them in the result.
  void write(const std::function<std::string(const std::string& format)>& text, Outcome& out) const;
};

}  // namespace atl::cli
