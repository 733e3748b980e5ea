// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/graph/formats/blocks.hpp>
#include <atoll/graph/formats/formats.hpp>
#include <atoll/graph/names/read_named_result.hpp>
#include <atoll/graph/table/fields.hpp>
#include <charconv>

namespace atl {
namespace {

template <class T>
struct Row {
  std::int64_t line;
  Vertex id;
  T value;
};

template <class T>
bool parse_number(std::string_view text, T& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  return error == std::errc() && end == text.data() + text.size();
}

Vertex vertex_of(const Dictionary& names, std::string_view name, const char* at) {
  const Vertex id = names.find(name);
  if (id == kNoVertex)
    throw LineError{at, fmt::format("no vertex has the name '{}'{}. Is it the result of another graph?", name,
                                    names.nearest_text(name))};
  return id;
}

template <class T>
Row<T> row_of(std::string_view line, std::int64_t number, char separator, const Dictionary& names, Meaning meaning) {
  NameFields fields(line, separator);
  Row<T> row{number, 0, {}};
  NameField field;
  int count = 0;
  for (; fields.next(field); ++count) {
    if (count == 0) {
      row.id = vertex_of(names, field.text, line.data());
    } else if (count == 1 && std::is_same_v<T, Vertex> && meaning == Meaning::vertices) {
      row.value = static_cast<T>(field.is_missing() ? kNoVertex : vertex_of(names, field.text, line.data()));
    } else if (count == 1 && !parse_number(field.text, row.value)) {
      throw LineError{line.data(), fmt::format("the value is {} (a {}number is needed). Correct it, or name what the "
                                               "file holds.",
                                               in_quotes(field.text), std::is_same_v<T, Vertex> ? "whole " : "")};
    }
  }
  // The blanks behind a name may stand for no vertex.
  if (count == 1 && meaning == Meaning::vertices) {
    row.value = static_cast<T>(kNoVertex);
    ++count;
  }
  if (count != 2)
    throw LineError{line.data(), fmt::format("{} has {} fields (a name and a value stand on a line). Is this a result "
                                             "that --output has written?",
                                             in_quotes(line), count)};
  return row;
}

}  // namespace

template <class T>
Array<T> read_named_result(const Graph& graph, const Dictionary& names, const std::string& path, Meaning meaning) {
  World& world = graph.world();
  const bool comma = has_ending(path, ".csv");
  const char separator = comma ? ',' : has_ending(path, ".txt") ? ' ' : '\t';
  std::vector<std::vector<Row<T>>> threads(static_cast<std::size_t>(world.team().size()));
  for_each_block(world, path, {.count_rows = &count_lines}, [&](int thread, const Block& block) {
    std::int64_t line = block.row;
    for (const char* p = block.begin; p < block.end;) {
      const char* const next = next_line(p, block.end);
      const std::string_view text(p, static_cast<std::size_t>(next - 1 - p));
      ++line;
      p = next;
      if (text.empty() || (comma && line == 1 && text.starts_with("id,"))) continue;
      threads[thread].push_back(row_of<T>(text, line, separator, names, meaning));
    }
  });
  std::vector<Row<T>> mine;
  for (const auto& rows : threads) mine.insert(mine.end(), rows.begin(), rows.end());
  std::vector<Row<T>> all = world.all_gather_varying(std::span<const Row<T>>(mine));
  std::sort(all.begin(), all.end(), [](const Row<T>& a, const Row<T>& b) { return a.line < b.line; });
  std::vector<std::int64_t> line_of(static_cast<std::size_t>(names.size()), 0);
  Array<T> by_id(line_of.size());
  world.collective_try([&] {
    for (const Row<T>& row : all) {
      const auto id = static_cast<std::size_t>(row.id);
      check(line_of[id] == 0, "{}:{}: there is a value for '{}' (line {} has one). Leave one of them out.", path,
            row.line, names.name(row.id), line_of[id]);
      line_of[id] = row.line;
      by_id[id] = row.value;
    }
    const auto missing = std::find(line_of.begin(), line_of.end(), 0) - line_of.begin();
    if (missing < names.size())
      throw InputError(fmt::format("{}: there is no value for '{}' ({} of {} vertices have none). Is the file cut off?",
                                   path, names.name(missing), std::count(line_of.begin(), line_of.end(), 0),
                                   names.size()));
  });
  Array<T> values(static_cast<std::size_t>(graph.owned()));
  for (std::size_t k = 0; k < values.size(); ++k) values[k] = by_id[graph.ids().id_of(static_cast<Vertex>(k))];
  return values;
}
template Array<Vertex> read_named_result(const Graph&, const Dictionary&, const std::string&, Meaning);
template Array<double> read_named_result(const Graph&, const Dictionary&, const std::string&, Meaning);

}  // namespace atl
