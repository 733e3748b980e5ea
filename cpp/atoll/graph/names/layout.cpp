// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/names/layout.hpp>
#include <atoll/graph/table/edge_columns.hpp>
#include <atoll/graph/table/fields.hpp>
#include <atoll/io/scan.hpp>

namespace atl {

namespace {

table::TextTable first_rows(const std::string& path, const Head& head, const ReadOptions& options) {
  return table::read_first_rows(path, head, {.delimiter = options.delimiter, .words = true, .comments_inside = false});
}

bool are_columns_given(const ReadOptions& options) {
  return !options.source_column.empty() || !options.target_column.empty() || !options.weight_column.empty();
}

// Rows that have names above and before them, where the columns of edges are not given.
std::optional<table::MatrixText> labelled_matrix(const std::string& path, const table::TextTable& text,
                                                 const ReadOptions& options) {
  std::optional<table::MatrixText> matrix;
  if (!are_columns_given(options)) matrix = table::matrix_in(path, text, 0, options.format == "matrix");
  if (matrix && matrix->labels.empty() && options.format != "matrix") matrix.reset();
  return matrix;
}

table::EdgeTable edge_columns(const std::string& path, const table::TextTable& text, const ReadOptions& options) {
  const table::UseWeights weights = options.weights == ReadOptions::Weights::none       ? table::UseWeights::none
                                    : options.weights == ReadOptions::Weights::required ? table::UseWeights::required
                                                                                        : table::UseWeights::automatic;
  return table::find_edge_columns(path, text, 0,
                                  {.words = true,
                                   .headings = options.headings,
                                   .source = options.source_column,
                                   .target = options.target_column,
                                   .weight = options.weight_column,
                                   .weights = weights,
                                   .decimal = options.decimal});
}

bool is_word(std::string_view field) {
  return !table::looks_like_number(field) && !says_missing(field) && !is_edge_data(field);
}

// Whether more than half of the values in the column are words.
bool has_words(const table::TextTable& text, std::size_t first, std::size_t column) {
  std::size_t words = 0, values = 0;
  for (std::size_t r = first; r < text.rows.size(); ++r) {
    const std::vector<std::string>& fields = text.rows[r].fields;
    if (column >= fields.size() || says_missing(fields[column])) continue;
    ++values;
    words += is_word(fields[column]);
  }
  return 2 * words > values;
}

// Whether a value in the column is a number with zeros in front, which is then a name.
bool has_zeros_in_front(const table::TextTable& text, std::size_t first, std::size_t column) {
  return std::any_of(text.rows.begin() + static_cast<std::ptrdiff_t>(first), text.rows.end(),
                     [column](const table::TextRow& row) {
                       return column < row.fields.size() && table::has_leading_zero(row.fields[column]);
                     });
}

// Whether an end in that row is one in a later row: headings are not.
bool recurs(const table::TextTable& text, std::size_t row, const table::ColumnChoice& ends) {
  const std::vector<std::string>& first = text.rows[row].fields;
  for (std::size_t r = row + 1; r < text.rows.size(); ++r)
    for (const std::size_t i : {ends.source, ends.target})
      for (const std::size_t j : {ends.source, ends.target})
        if (i < first.size() && j < text.rows[r].fields.size() && text.rows[r].fields[j] == first[i]) return true;
  return false;
}

}  // namespace

bool has_names_of_vertices(const std::string& path, const Head& head, const ReadOptions& options) {
  const table::TextTable text = first_rows(path, head, options);
  if (text.rows.empty()) return false;
  if (const auto matrix = labelled_matrix(path, text, options)) {
    return std::ranges::any_of(matrix->labels, is_word) || std::ranges::any_of(matrix->labels, table::has_leading_zero);
  }
  const table::EdgeTable found = edge_columns(path, text, options);
  const table::ColumnChoice& ends = found.choice;
  bool zeros = has_zeros_in_front(text, found.row, ends.source) || has_zeros_in_front(text, found.row, ends.target);
  // "1 2 0,05" has a decimal comma: where fields may be any text it would be cut there.
  if (zeros) zeros = table::read_first_rows(path, head, {.delimiter = options.delimiter}).delimiter == text.delimiter;
  const auto is_number = [&edge = text.rows[found.row].fields](std::size_t column) {
    return column < edge.size() && table::looks_like_number(edge[column]);
  };
  const bool may_be_headings =
      found.headings.empty() && !options.headings && !(is_number(ends.source) && is_number(ends.target));
  if (zeros && !may_be_headings) return true;
  const bool from = has_words(text, found.row, ends.source), to = has_words(text, found.row, ends.target);
  // A first row that is not known as one of headings may still be one.
  if (found.headings.empty() && !options.headings && text.rows.size() > 1 && !recurs(text, found.row, found.choice)) {
    if (!from || !to || found.columns != 2) return false;
    throw UsageError(fmt::format(
        "{}:{}: the line is {} (headings, or an edge between names that no other line has?). Say --headings yes or "
        "--headings no, headings=True or headings=False in Python.",
        path, text.rows[found.row].number, in_quotes(text.rows[found.row].line)));
  }
  if (found.choice.certain || found.columns == 2) return from || to;
  // Any two of three columns of words may be ends, and "a 3 17" is an arc of DIMACS.
  for (std::size_t i = 0; i < found.columns; ++i)
    if (i != found.choice.source && i != found.choice.target && has_words(text, found.row, i)) return false;
  return from && to;
}

bool may_begin_with_ids(const std::string& path, const Head& head) {
  HeadLines lines(path, head);
  bool is_first = true;
  try {
    while (lines.next()) {
      const std::string_view line = lines.line();
      const std::size_t first = line.find_first_not_of(" \t\r");
      if (first == std::string_view::npos || line[first] == '#' || line[first] == '%') continue;
      if (!is_first) return false;
      if (std::ranges::any_of(line, scan::is_digit)) return true;
      is_first = false;
    }
  } catch (const HeadLines::TooShort&) {
    return is_first;  // a first line that long is the reader's
  }
  return true;
}

NamedLayout named_layout(const std::string& path, const Head& head, const ReadOptions& options) {
  const table::TextTable text = first_rows(path, head, options);
  check(!text.rows.empty(), "{}: holds no edge (its {} line{} are comments or blank). Check how it was written.", path,
        text.lines, text.lines == 1 ? "" : "s");
  NamedLayout layout;
  layout.separator = text.delimiter;
  layout.matrix = labelled_matrix(path, text, options);
  if (layout.matrix) {
    layout.from = text.rows[layout.matrix->row].begin;
    layout.first_line = text.rows[layout.matrix->row].number;
    return layout;
  }
  const table::EdgeTable found = edge_columns(path, text, options);
  const table::TextRow& edge = text.rows[found.row];
  layout.from = edge.begin;
  layout.first_line = edge.number;
  layout.columns = found.columns;
  layout.has_headings = !found.headings.empty();
  layout.source = found.choice.source;
  layout.target = found.choice.target;
  layout.weight = found.choice.weight;
  layout.weight_key = found.weight_key;
  layout.weight_signs = found.weight_signs;
  const std::size_t last = std::max({layout.source, layout.target, layout.weight.value_or(0)});
  check(layout.columns > last,
        "{}:{}: the line has {} column{} (an edge needs {}). Complete it, or name the columns; fields are cut by {}.",
        path, layout.first_line, layout.columns, layout.columns == 1 ? "" : "s", last + 1,
        table::name_of_delimiter(layout.separator));
  layout.described = found.described;
  if (!text.comments.contradiction) layout.directed = text.comments.directed;
  if (text.comments.two_mode)
    layout.described +=
        "; a name in both columns is one vertex, although the comment says that there are two sets of vertices";
  return layout;
}

}  // namespace atl
