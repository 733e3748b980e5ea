// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/formats/read.hpp>

#include "bindings.hpp"

namespace atl::python {

/// The options of every constructor of a graph: which edges count, and which rank has what.
struct Preparation {
  Preparation(const std::string& duplicates, const std::string& self_loops, const std::string& partition, Edge heavy,
              bool fusion);
  GraphOptions options;
};

/// How a file is read.
struct ReadChoice {
  ReadChoice(const std::string& format, std::optional<bool> directed, std::optional<bool> weighted,
             const std::string& source_column, const std::string& target_column, const std::string& weight_column,
             std::optional<bool> headings, const std::string& delimiter, const std::string& decimal,
             const std::string& missing);
  ReadOptions options;
};

/// A copy of a column of weights, which are finite; `name` is Python's.
WeightColumn weight_column(Team& team, const std::optional<AnyColumn>& column, const char* name);

}  // namespace atl::python
