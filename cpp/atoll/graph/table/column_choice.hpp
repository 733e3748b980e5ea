// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/table/headings.hpp>
#include <optional>
#include <span>
#include <string>

/// Decides which columns of a table of edges are the ends and the weight, for text, data frames, Parquet and Arrow alike.
///
///     const ColumnChoice chosen = choose_columns({.place = "genes.csv:1", .headings = headings, .kinds = kinds});
///     // chosen.source, chosen.target, chosen.weight: positions of columns
///
/// Columns that the caller names are taken. Else two headings that name ends (headings.hpp) are; else, where a first column
/// that only numbers the rows is left out, the first two columns, if no third could be an end as well. Columns of dates are
/// none where two others can be; of several columns of words two are the ends if no other pair shares values. Where two readings
/// are possible, an InputError names both.
namespace atl::table {

enum class Kind {
  words,  ///< names of vertices
  whole,  ///< whole numbers: ids or weights
  reals,  ///< numbers with fractions: weights alone
  other   ///< times, lists ...: no column of an edge
};

enum class UseWeights { automatic, none, required };

struct ColumnQuestion {
  std::string place;                      ///< what messages begin with: a file and its line, or "the table"
  std::span<const std::string> headings;  ///< empty: the table has none; else one a column
  std::span<const Kind> kinds;            ///< of the columns, as far as the first rows tell
  std::span<const std::vector<std::string>> samples = {};  ///< values of the first rows by column; none may be known
  /// A column's heading, or its number from 1; empty: not said.
  std::string source = {}, target = {}, weight = {};
  UseWeights weights = UseWeights::automatic;
};

struct ColumnChoice {
  std::size_t source = 0, target = 1;
  std::optional<std::size_t> weight;
  bool certain = false;  ///< the ends were named, or known by their headings, or no other columns can be ends
  /// "source 'from' (column 1), target 'to' (column 2), no weight"
  std::string described;
};

/// Throws InputError where no choice, or more than one, is possible; UsageError where columns that are named are wrong.
ColumnChoice choose_columns(const ColumnQuestion& question);

}  // namespace atl::table
