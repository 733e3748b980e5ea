// SPDX-License-Identifier: Apache-2.0
// Reads one line of any shape that is allowed, and says why it is wrong if it is.
#include <algorithm>
#include <atoll/base/id_rule.hpp>
#include <atoll/graph/formats/lines.hpp>
#include <atoll/graph/table/fields.hpp>

namespace atl {
namespace {

using scan::is_blank;
using scan::is_delimiter;

[[noreturn]] void refuse_id(const char* at, std::string_view field, const char* name) {
  const std::string_view digits = field.substr(field.size() > 1 && field[0] == '-' ? 1 : 0);
  if (table::is_whole(digits))
    throw LineError{at, fmt::format("{} is {} ({}). Renumber the vertices.", name, field.substr(0, 40), kIdRule)};
  if (table::is_grouped(field, ','))
    throw LineError{at,
                    fmt::format("{} is {} (whole numbers of the first lines have no commas). If commas group digits, "
                                "say so: --decimal ., decimal=\".\" in Python.",
                                name, in_quotes(field))};
  if (const std::size_t point = field.find('.'); point != std::string_view::npos &&
                                                 table::is_whole(field.substr(0, point)) &&
                                                 field.find_first_not_of('0', point + 1) == std::string_view::npos)
    throw LineError{at,
                    fmt::format("{} is {} (ids are written without a fraction; pandas adds one to a column in which "
                                "values are missing). Write it as {}, by astype(\"Int64\") in pandas.",
                                name, in_quotes(field), field.substr(0, point))};
  throw LineError{at, fmt::format("{} is {} (not a whole number). Name the file's format and columns, or read names by "
                                  "--names, names=True in Python (docs/names.md).",
                                  name, in_quotes(field))};
}

// `at` is where the line is wrong, if it is; what follows `field` may be read.
std::uint64_t careful_id(const char* at, std::string_view field, const char* name, const LineShape& shape) {
  std::string plain;
  if (shape.id_group && table::is_grouped(field, shape.id_group)) {
    for (const char c : field)
      if (c != shape.id_group) plain += c;
    plain.append(kTextPadding, '\0');
    field = std::string_view(plain).substr(0, plain.size() - kTextPadding);
  }
  if (!shape.leading_zeros && table::has_leading_zero(field))
    throw LineError{at, fmt::format("{} is {} (with its zeros it is a name, and without them a number). Read names by "
                                    "--names, names=True in Python. Or read numbers by --no-names, names=False in "
                                    "Python.",
                                    name, field.substr(0, 40))};
  // Only digits lie in the block or in `plain`, where more may be read than the field; else it may be a copy.
  if (!table::is_whole(field)) refuse_id(at, field, name);
  const char* p = field.data();
  std::uint64_t id = 0;
  if (!scan_id(p, id) || p != field.data() + field.size() || id > static_cast<std::uint64_t>(kMaxVertex))
    refuse_id(at, field, name);
  // `highest` is -1 if the header promises no vertices.
  if (static_cast<Vertex>(id) < shape.lowest || static_cast<Vertex>(id) > shape.highest)
    throw LineError{at, fmt::format("{} is {} {}", name, id, shape.range_rule)};
  return id;
}

[[noreturn]] void refuse_weight(const char* at, std::string_view field) {
  std::string lower(field);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const bool nan = lower.find("nan") != std::string::npos, inf = lower.find("inf") != std::string::npos;
  if (nan || inf)
    throw LineError{
        at, fmt::format("weight is {} (weights are finite numbers). Remove the edge or correct it.", in_quotes(field))};
  double value = 0;
  const char* first = field.data() + (field.size() > 1 && (field[0] == '+' || field[0] == '-'));
  if (const auto [end, error] = std::from_chars(first, field.data() + field.size(), value);
      error == std::errc::result_out_of_range && end == field.data() + field.size())
    throw LineError{at,
                    fmt::format("weight is {} (beyond the range of a double). Scale the weights.", in_quotes(field))};
  if (const std::string_view digits(first, static_cast<std::size_t>(field.data() + field.size() - first));
      rounds_whole_number(digits, value))
    throw LineError{at, fmt::format("weight is {} (a double would round this whole number to {:.0f}). Scale "
                                    "the weights, read without them, or write '{}.' if rounding will do.",
                                    in_quotes(field), field[0] == '-' ? -value : value, field)};
  throw LineError{at,
                  fmt::format("weight is {} (not a number). Correct it, or read without weights.", in_quotes(field))};
}

}  // namespace

double read_weight(const char* at, std::string_view field, table::NumberSigns signs) {
  std::string plain(field);
  if (signs.decimal != '.' || table::has_commas(field)) {
    const auto number = table::as_plain_number(field, signs);
    if (!number && table::looks_like_number(field))
      throw LineError{at,
                      fmt::format("weight is {} (the first lines have decimal {}{}). Correct it, or say which sign is "
                                  "the decimal one: --decimal, decimal= in Python.",
                                  in_quotes(field), signs.decimal == ',' ? "commas" : "points",
                                  signs.group ? "" : " and no groups of digits")};
    plain = number.value_or(plain);
  }
  const std::size_t size = plain.size();
  plain.append(kTextPadding, '\0');
  const char* p = plain.data();
  double weight = 0;
  if (size > 0 && scan_weight(p, p + size, weight) && p == plain.data() + size) return weight;
  plain.resize(size);
  refuse_weight(at, signs.decimal == '.' ? std::string_view(plain) : field);
}

namespace {

bool begins_comment_at(const NameFields& fields, const LineShape& shape) {
  const std::string_view rest = fields.rest();
  return !rest.empty() && shape.begins_comment(rest.data());
}

// Takes the field at p and the separator after it; the field may be empty between two delimiters.
std::string_view take_field(const char*& p, const char* end) {
  const char* begin = p;
  while (p < end && !is_blank(*p) && !is_delimiter(*p)) ++p;
  const std::string_view field(begin, static_cast<std::size_t>(p - begin));
  while (p < end && is_blank(*p)) ++p;
  if (p < end && is_delimiter(*p)) ++p;
  while (p < end && is_blank(*p)) ++p;
  return field;
}

}  // namespace

std::vector<std::string_view> fields_of(std::string_view line) {
  const char *p = line.data(), *end = p + line.size();
  while (p < end && is_blank(*p)) ++p;
  std::vector<std::string_view> fields;
  while (p < end) fields.push_back(take_field(p, end));
  return fields;
}

bool read_line(const char* p, const char* end, const LineShape& shape, LineValues& values) {
  while (p < end && is_blank(*p)) ++p;
  if (p == end || shape.begins_comment(p)) return false;
  const char* line = p;
  if (shape.prefix) {
    const std::string_view word = take_field(p, end);
    if (word.size() != 1 || word[0] != shape.prefix)
      throw LineError{line,
                      fmt::format("the line begins with {} (an edge begins with '{}'). Correct or remove the line.",
                                  in_quotes(word), shape.prefix)};
  }
  NameFields fields({p, static_cast<std::size_t>(end - p)}, shape.delimiter);
  const int last = std::max({shape.source, shape.target, shape.weight});
  int column = 0;
  for (NameField field; column <= last && !begins_comment_at(fields, shape) && fields.next(field); ++column) {
    const bool wanted = column == shape.source || column == shape.target || column == shape.weight;
    if (wanted && shape.drop_missing && !field.quoted && says_missing(field.text)) {
      values.left_out = true;
      return false;
    }
    if (wanted && field.text.empty())
      throw LineError{line,
                      fmt::format("column {} is empty (an edge needs it). Complete or remove the line, or leave such "
                                  "lines out: --missing drop, missing=\"drop\" in Python.",
                                  column + 1)};
    if (column == shape.source) values.source = careful_id(line, field.text, shape.source_name, shape);
    if (column == shape.target) values.target = careful_id(line, field.text, shape.target_name, shape);
    if (column == shape.weight) values.weight = read_weight(line, field.text, shape.weight_signs);
  }
  if (column <= last) {
    const char* needs = shape.target < 0 ? "a vertex" : shape.weight < 0 ? "an edge" : "an edge with its weight";
    throw LineError{line, fmt::format("the line has {} column{} ({} needs {}). Complete or remove it.", column,
                                      column == 1 ? "" : "s", needs, last + 1)};
  }
  const std::string_view rest = fields.rest();
  if (!shape.weight_key.empty()) {
    const auto value = edge_value(rest, shape.weight_key);
    values.weight = value ? read_weight(line, *value, {}) : 1;
    return true;
  }
  if (!rest.empty() && !shape.begins_comment(rest.data()) && column >= shape.most_columns) {
    std::size_t more = 0;
    for (NameField field; fields.next(field);) ++more;
    throw LineError{line, fmt::format("the line has {} columns (those before have {}). If this is a list of "
                                      "neighbours, convert it to one edge a line.",
                                      static_cast<std::size_t>(column) + more, column)};
  }
  return true;
}

}  // namespace atl
