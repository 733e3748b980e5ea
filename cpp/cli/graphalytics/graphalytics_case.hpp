// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <map>
#include <optional>
#include <string>
#include <vector>

/// A benchmark case of LDBC Graphalytics [1]: a graph, what to run on it, and the expected outputs.
/// [1] "The LDBC Graphalytics Benchmark", specification 1.0.5.
namespace atl::cli {

class GraphalyticsCase {
 public:
  /// `path`: the folder of the case, its .properties file, or the beginning of its files' names. IoError, InputError.
  explicit GraphalyticsCase(const std::string& path);

  const std::string& name() const { return name_; }
  const std::string& stem() const { return stem_; }
  /// Algorithms as the properties list them: bfs cdlp lcc pr sssp wcc.
  std::vector<std::string> algorithms() const;
  /// "pr.damping-factor" and so on; InputError if there is none.
  std::string parameter(const std::string& key) const;
  double number(const std::string& key) const;
  Vertex vertex(const std::string& key) const;
  /// The file of an algorithm's expected output, if there is one.
  std::optional<std::string> expected(const std::string& algorithm) const;

 private:
  std::string stem_, name_, file_;
  std::map<std::string, std::string> values_;  // without "graph.NAME."
};

/// How an output is compared (section 2.5.3 of [1]).
enum class Match { exact, equivalence, epsilon };

/// Compares `by_owned_index` with the file. Returns a sentence about the differences, or nothing. Collective.
template <class T>
std::optional<std::string> difference(const Graph& graph, const std::string& file, const Array<T>& by_owned_index,
                                      Match match);

}  // namespace atl::cli
