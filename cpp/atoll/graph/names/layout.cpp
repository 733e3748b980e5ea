// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atoll/graph/formats/formats.hpp>
#include <atoll/graph/formats/lines.hpp>
#include <atoll/graph/names/fields.hpp>
#include <atoll/graph/names/layout.hpp>

namespace atl {
namespace {

using Fields = std::vector<std::string>;

// Not single letters, which are names of vertices in many a small example.
constexpr std::array kSourceNames = {"source", "src",  "from",       "tail",      "start",  "node1",    "node_1",
                                     "id1",    "id_1", "fromnodeid", "source_id", "src_id", "sourceid", "vertex1"};
constexpr std::array kTargetNames = {"target",    "dst",    "dest",     "destination", "to",   "head",
                                     "end",       "node2",  "node_2",   "id2",         "id_2", "tonodeid",
                                     "target_id", "dst_id", "targetid", "vertex2"};
constexpr std::array kWeightNames = {"weight", "weights", "w",        "wt",   "wgt",    "value",
                                     "val",    "cost",    "distance", "dist", "length", "len"};

bool same_word(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::optional<std::size_t> position_of(const Fields& headings, std::string_view word) {
  for (std::size_t i = 0; i < headings.size(); ++i)
    if (same_word(headings[i], word)) return i;
  return {};
}

template <std::size_t N>
std::optional<std::size_t> known_position(const Fields& headings, const std::array<const char*, N>& known) {
  for (const char* word : known)
    if (const auto found = position_of(headings, word)) return found;
  return {};
}

std::string list_of(const Fields& headings) {
  std::string all;
  for (const std::string& heading : headings) all += fmt::format("{}{}", all.empty() ? "" : ", ", heading);
  return all;
}

// The first lines that are neither empty nor, before the first edge, comments.
struct FirstLines {
  std::vector<std::string_view> text;
  std::vector<std::uint64_t> begin;
  std::vector<std::int64_t> number;
  std::vector<Fields> fields;
};

FirstLines first_lines(const std::string& path, const Head& head) {
  constexpr std::size_t kMost = 16;
  FirstLines first;
  HeadLines lines(path, head);
  try {
    while (first.text.size() < kMost && lines.next()) {
      const std::string_view line = lines.line();
      const std::size_t begin = line.find_first_not_of(" \t\r");
      if (begin == std::string_view::npos) continue;
      const bool comment = line[begin] == '#' || line[begin] == '%' || line.substr(begin).starts_with("//");
      if (comment && first.text.empty()) continue;
      first.text.push_back(line);
      first.begin.push_back(lines.offset());
      first.number.push_back(lines.number());
    }
  } catch (const HeadLines::TooShort&) {
    if (first.text.size() < 2) throw;  // of headings and an edge at least
  }
  check(!first.text.empty(), "{}: holds no edge (its {} line{} are comments or blank). Check how it was written.", path,
        lines.number(), lines.number() == 1 ? "" : "s");
  return first;
}

void cut(const std::string& path, FirstLines& first, char separator) {
  for (std::size_t i = 0; i < first.text.size(); ++i) {
    try {
      first.fields.push_back(name_fields(first.text[i], separator));
    } catch (const LineError& e) {
      throw InputError(fmt::format("{}:{}: {}", path, first.number[i], e.what));
    }
  }
}

bool numbers_below(const FirstLines& first, std::size_t column) {
  return first.fields.size() > 1 &&
         std::all_of(first.fields.begin() + 1, first.fields.end(),
                     [&](const Fields& fields) { return column < fields.size() && is_number(fields[column]); });
}

bool is_missing_value(std::string_view word) {
  for (const char* known : {"", "-", ".", "na", "n/a", "none", "null", "?"})
    if (same_word(word, known)) return true;
  return false;
}

bool has_headings(const FirstLines& first, const NamedReadOptions& options) {
  if (options.headings) return *options.headings;
  for (const std::string* column :
       {&options.read.source_column, &options.read.target_column, &options.read.weight_column})
    if (!column->empty() && header_number(*column) < 0) return true;
  const Fields& words = first.fields[0];
  if (known_position(words, kSourceNames) && known_position(words, kTargetNames)) return true;
  const auto heads_numbers = [&](std::size_t i) {
    return i < words.size() && !is_number(words[i]) && !is_missing_value(words[i]) && numbers_below(first, i);
  };
  for (std::size_t i = 2; i < words.size(); ++i)
    if (heads_numbers(i)) return true;
  return heads_numbers(0) && heads_numbers(1);
}

std::size_t chosen(const std::string& place, const std::string& column, const Fields& headings, const char* option) {
  if (const std::int64_t number = header_number(column); number >= 0) {
    constexpr std::int64_t kMost = 10000;
    if (number < 1 || number > kMost)
      throw UsageError(fmt::format("{} is {} (columns count from 1). Correct it.", option, column));
    return static_cast<std::size_t>(number - 1);
  }
  const auto found = position_of(headings, column);
  check(found.has_value(), "{}: {} is {} ({}). Name one of them, or give its number.", place, option, in_quotes(column),
        headings.empty() ? "the file has no line of headings" : fmt::format("the columns are: {}", list_of(headings)));
  return *found;
}

std::string told_column(const char* what, std::size_t column, const Fields& headings) {
  return column < headings.size() ? fmt::format("{} '{}' (column {})", what, headings[column], column + 1)
                                  : fmt::format("{} in column {}", what, column + 1);
}

}  // namespace

NamedLayout named_layout(const std::string& path, const Head& head, const NamedReadOptions& options) {
  NamedLayout layout;
  FirstLines first = first_lines(path, head);
  layout.separator = separator_of(first.text);
  cut(path, first, layout.separator);
  const bool headed = has_headings(first, options);
  const Fields headings = headed ? first.fields[0] : Fields();
  check(!headed || first.text.size() > 1,
        "{}: holds no edge (its only line is taken as headings: {}). Say so if it is "
        "an edge (headings no).",
        path, list_of(headings));
  const std::size_t edge = headed ? 1 : 0;
  layout.from = first.begin[edge];
  layout.first_line = first.number[edge];
  layout.columns = first.fields[edge].size();
  const std::string place = fmt::format("{}:{}", path, first.number[0]);

  const ReadOptions& read = options.read;
  const bool given = !read.source_column.empty() || !read.target_column.empty();
  bool known = false;
  if (!given) {
    const auto source = known_position(headings, kSourceNames), target = known_position(headings, kTargetNames);
    known = source && target;
    if (known) {
      layout.source = *source;
      layout.target = *target;
    }
  }
  if (!read.source_column.empty()) layout.source = chosen(place, read.source_column, headings, "source_column");
  if (!read.target_column.empty()) layout.target = chosen(place, read.target_column, headings, "target_column");
  if (layout.source == layout.target)
    throw UsageError(fmt::format("source and target are both column {} (an edge has two ends). Name two columns.",
                                 layout.source + 1));
  if (read.weights != ReadOptions::Weights::none) {
    if (!read.weight_column.empty()) {
      layout.weight = chosen(place, read.weight_column, headings, "weight_column");
    } else if (const auto found = known_position(headings, kWeightNames)) {
      layout.weight = found;
    } else if (!given && !known && layout.columns > 2 && is_number(first.fields[edge][2])) {
      layout.weight = 2;
    }
    check(layout.weight || read.weights != ReadOptions::Weights::required,
          "{}: has no weights (the line has {} columns, and none is known as theirs). Name the column of the weights, "
          "or read without them.",
          place, layout.columns);
  }
  const std::size_t last = std::max({layout.source, layout.target, layout.weight.value_or(0)});
  check(layout.columns > last,
        "{}:{}: the line has {} column{} (an edge needs {}). Complete it, or name the columns; fields are cut by {}.",
        path, layout.first_line, layout.columns, layout.columns == 1 ? "" : "s", last + 1,
        layout.separator == ' ' ? "blanks" : in_quotes(std::string_view(&layout.separator, 1)));
  layout.told = fmt::format("{}, {}, {}", told_column("source", layout.source, headings),
                            told_column("target", layout.target, headings),
                            layout.weight ? told_column("weight", *layout.weight, headings) : "no weight");
  return layout;
}

}  // namespace atl
