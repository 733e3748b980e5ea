// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <atoll/graph/edge_list.hpp>
#include <atoll/graph/table/column_choice.hpp>
#include <atoll/graph/table/head_lines.hpp>
#include <atoll/graph/table/numbers.hpp>
#include <optional>
#include <string>
#include <vector>

/// Facts that the first lines of a table as text give about all of them. Numbers and names of vertices are read by the
/// same rules.
///
///     const TextTable table = read_first_rows(path, head, {.delimiter = options.delimiter});
///     table.delimiter                 // decided once for the file
///     table.rows[0].fields            // of the first line that is no comment, maybe one of headings
namespace atl::table {

/// Facts that comments in front of the first row give, in the words of the programs that write them.
struct CommentFacts {
  std::optional<bool> directed;
  std::string directed_by;       ///< the comment that says so
  bool contradiction = false;    ///< comments say both
  bool unweighted = false;       ///< KONECT: a third column is no weight
  bool two_mode = false;         ///< KONECT's "bip": the columns number two sets of vertices
  std::int64_t left = -1;        ///< the number of vertices in the first set, if told
  std::optional<IdRange> range;  ///< our own "# atoll: vertices 1..34 undirected"
  std::string last;              ///< the last comment, without its mark: it may be a line of headings
};

struct TextRow {
  std::vector<std::string> fields;
  std::string_view line;
  std::uint64_t begin = 0;  ///< offset of the line
  std::int64_t number = 0;  ///< of the line, from 1
};

struct TextTable {
  char delimiter = ' ';  ///< one of tab , ; | or ' ' for any number of blanks and tabs
  std::vector<TextRow> rows;
  bool complete = false;  ///< the rows are all there are
  std::uint64_t end = 0;  ///< offset behind the last row, and the number of lines until there
  std::int64_t lines = 0;
  CommentFacts comments;
};

struct TextOptions {
  char delimiter = 0;           ///< 0: by the first lines
  bool words = false;           ///< fields may be any text; else most are numbers
  std::size_t rows = 64;        ///< how many are looked at
  bool comments_inside = true;  ///< lines that begin as comments are none behind the first row
};

/// Throws InputError where two delimiters are equally likely; HeadLines::TooShort where it needs a longer head.
TextTable read_first_rows(const std::string& path, const Head& head, const TextOptions& options);

/// The kinds of the columns, as `rows` from row `first` on tell.
std::vector<Kind> kinds_of(const TextTable& table, std::size_t first);

/// "commas", "tabs", "blanks" ...
std::string name_of_delimiter(char delimiter);

}  // namespace atl::table
