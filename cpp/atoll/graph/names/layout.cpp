// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/graph/names/layout.hpp>
#include <atoll/graph/table/edge_columns.hpp>
#include <atoll/io/scan.hpp>

namespace atl {

NamedLayout named_layout(const std::string& path, const Head& head, const ReadOptions& options) {
  const table::TextTable text =
      table::read_first_rows(path, head, {.delimiter = options.delimiter, .words = true, .comments_inside = false});
  check(!text.rows.empty(), "{}: holds no edge (its {} line{} are comments or blank). Check how it was written.", path,
        text.lines, text.lines == 1 ? "" : "s");
  NamedLayout layout;
  layout.separator = text.delimiter;
  const bool columns_given =
      !options.source_column.empty() || !options.target_column.empty() || !options.weight_column.empty();
  if (!columns_given) {
    layout.matrix = table::matrix_in(path, text, 0, options.format == "matrix");
    if (layout.matrix && layout.matrix->labels.empty() && options.format != "matrix") layout.matrix.reset();
    if (layout.matrix) {
      layout.from = text.rows[layout.matrix->row].begin;
      layout.first_line = text.rows[layout.matrix->row].number;
      return layout;
    }
  }
  const table::UseWeights weights = options.weights == ReadOptions::Weights::none       ? table::UseWeights::none
                                    : options.weights == ReadOptions::Weights::required ? table::UseWeights::required
                                                                                        : table::UseWeights::automatic;
  const table::EdgeTable found = table::find_edge_columns(path, text, 0,
                                                          {.words = true,
                                                           .headings = options.headings,
                                                           .source = options.source_column,
                                                           .target = options.target_column,
                                                           .weight = options.weight_column,
                                                           .weights = weights,
                                                           .decimal = options.decimal});
  const table::TextRow& edge = text.rows[found.row];
  layout.from = edge.begin;
  layout.first_line = edge.number;
  layout.columns = found.columns;
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
  layout.columns_described = found.choice.described;
  layout.said = found.described;
  if (!text.comments.contradiction) layout.directed = text.comments.directed;
  if (text.comments.two_mode)
    layout.said +=
        "; a name in both columns is one vertex, although the comment says that there are two sets of vertices";
  return layout;
}

}  // namespace atl
