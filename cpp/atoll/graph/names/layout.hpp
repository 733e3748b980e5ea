// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/names/read_named.hpp>
#include <atoll/graph/table/matrix_text.hpp>
#include <atoll/graph/table/numbers.hpp>
#include <atoll/io/read_file.hpp>

namespace atl {

/// Facts that the first lines of an edge list of names give about the others.
struct NamedLayout {
  char separator = ' ';
  std::size_t source = 0, target = 1;
  std::optional<std::size_t> weight;
  std::string weight_key;  ///< as LineShape::weight_key
  table::NumberSigns weight_signs;
  std::size_t columns = 0;    ///< of each line
  bool has_headings = false;  ///< the first row, or a comment, names the columns
  std::uint64_t from = 0;     ///< where the first edge's line begins
  std::int64_t first_line = 1;
  std::optional<bool> directed;             ///< said by a comment
  std::optional<table::MatrixText> matrix;  ///< the file is one: the fields above but from and first_line are not used
  std::string described;                    ///< which columns were taken, and further facts
};

/// Throws InputError and UsageError; HeadLines::TooShort where it needs a longer head.
NamedLayout named_layout(const std::string& path, const Head& head, const ReadOptions& options);

/// Whether the first lines leave no doubt that they are edges of names: most fields of an end are no numbers; headings, the
/// options or a lack of other words say which columns the ends are; and the first line is one of headings, or one of its names
/// recurs. A number with zeros in front, as "0012", is no doubt either: as a number it would lose them. Throws as
/// named_layout() does.
bool has_names_of_vertices(const std::string& path, const Head& head, const ReadOptions& options);
/// Whether the first line that is no comment has a digit, or no other line follows it: headings of a graph without edges.
bool may_begin_with_ids(const std::string& path, const Head& head);

}  // namespace atl
