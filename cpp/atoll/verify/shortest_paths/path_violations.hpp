// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/verify/violations.hpp>

/// Violations of the rules for distances and parents, and their messages; shared by the checks against a graph's lists
/// and against the input.
///
///     violations.note({.rule = long_edge, .a = u, .b = v, .x = distance_u, .y = distance_v, .z = weight});
///     if (const Violation b = violations.first(); b.rule)
///       return {false, describe<Real>(b, directed, source, "distance", true)};
namespace atl::path_violations {

/// The violations, in the order in which they are reported.
enum PathRule : int {
  source_value = 1,   // rule 2
  value,              // rule 2
  no_value,           // rule 2, where weights may be negative
  source_parent,      // rule 1
  stray_parent,       // rule 1: not reached, but has a parent
  no_parent,          // rule 1
  no_edge,            // rule 5
  tree_edge,          // rule 2
  no_tight_edge,      // rule 2, without parents
  long_edge,          // rule 3
  leaving_edge,       // rule 4
  no_path_to_source,  // rule 1
};

/// Prints x, y and z as Numbers.
template <class Number>
std::string describe(const Violation& b, bool directed, Vertex source, const char* distance, bool parents);

/// Throws InputError, the same on all ranks, unless Real can hold sums of weights of that alternative of WeightColumn.
/// Collective.
template <class Real>
void check_sums(const Graph& graph, std::size_t weights);

}  // namespace atl::path_violations
