// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/base/id_rule.hpp>
#include <atoll/graph/formats/lines.hpp>
#include <atoll/graph/table/fields.hpp>
#include <utility>

namespace atl {
namespace {

using scan::is_blank;
using scan::is_delimiter;

// The shortest edge is "0 0\n".
constexpr std::size_t kBytesPerEdge = 4;

const char* skip_blanks(const char* p) {
  while (is_blank(*p)) ++p;
  return p;
}

bool begins_comment(const char* p, const LineShape& shape) {
  if (*p == '/') return p[1] == '/' && shape.comments.find('/') != std::string::npos;
  return *p != 0 && shape.comments.find(*p) != std::string::npos;
}

// Careful path: finds and explains the first wrong line.

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
  // Digits alone lie in the block or in `plain`, where more may be read than the field; else it may be a copy.
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
  return !rest.empty() && begins_comment(rest.data(), shape);
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

bool leaves_out_missing(ReadOptions::Missing missing, bool has_headings) {
  return missing == ReadOptions::Missing::drop || (missing == ReadOptions::Missing::warn && has_headings);
}

std::string describe_left_out(World& world, const std::string& path, std::int64_t mine, std::size_t kept,
                              ReadOptions::Missing missing) {
  const std::int64_t out = world.sum(mine), edges = world.sum(static_cast<std::int64_t>(kept));
  check(edges > 0 || out == 0, "{}: an end or the weight is missing in all of its {} edges. Choose other columns.",
        path, out);
  const bool warns = missing == ReadOptions::Missing::warn;
  if (warns && out == 0) return {};
  const std::string said =
      fmt::format("{} of {} lines left out, where an end or the weight is missing", out, out + edges);
  if (warns)
    world.log()(
        LogLevel::warn,
        "{}: {} (an empty field, or one such as NA). Refuse them by --missing error, missing=\"error\" in Python.",
        path, said);
  return said;
}

std::string describe_reading(const std::string& columns, bool directed, const std::string& left_out) {
  return fmt::format("{}; {}{}{}", columns, directed ? "directed" : "undirected", left_out.empty() ? "" : "; ",
                     left_out);
}

bool rounds_whole_number(std::string_view digits, double value) {
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), scan::is_digit)) return false;
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size() - 1));
  return fmt::format("{:.0f}", value) != digits;
}

std::vector<std::string_view> fields_of(std::string_view line) {
  const char *p = line.data(), *end = p + line.size();
  while (p < end && is_blank(*p)) ++p;
  std::vector<std::string_view> fields;
  while (p < end) fields.push_back(take_field(p, end));
  return fields;
}

bool read_line(const char* p, const char* end, const LineShape& shape, LineValues& values) {
  while (p < end && is_blank(*p)) ++p;
  if (p == end || begins_comment(p, shape)) return false;
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
  if (!rest.empty() && !begins_comment(rest.data(), shape) && column >= shape.most_columns) {
    std::size_t more = 0;
    for (NameField field; fields.next(field);) ++more;
    throw LineError{line, fmt::format("the line has {} columns (those before have {}). If this is a list of "
                                      "neighbours, convert it to one edge a line.",
                                      static_cast<std::size_t>(column) + more, column)};
  }
  return true;
}

// Fast path: parses well-formed lines, and only reports whether it could.

namespace {

// Skips the separator between two fields; blanks and tabs around a delimiter, and several of them, separate too.
inline bool separate(const char*& p, char delimiter) {
  if (*p == delimiter || (delimiter == ' ' && *p == '\t')) [[likely]] {
    ++p;
    if (scan::is_digit(*p)) [[likely]]
      return true;
    while (*p == ' ' || (*p == '\t' && delimiter != '\t')) ++p;
    return true;
  }
  while (*p == ' ' || (*p == '\t' && delimiter != '\t')) ++p;
  if (*p != delimiter) return false;
  ++p;
  while (*p == ' ' || (*p == '\t' && delimiter != '\t')) ++p;
  return true;
}

// After the last required field: skips the rest of the line. False if the field continues, or if the line continues but
// must not.
inline bool end_line(const char*& p, const char* end, bool more_allowed, const LineShape& shape) {
  if (*p == '\n') [[likely]] {
    ++p;
    return true;
  }
  if (!is_blank(*p) && *p != shape.delimiter) return false;
  p = skip_blanks(p);
  if (*p == shape.delimiter) p = skip_blanks(p + 1);
  if (*p != '\n' && !more_allowed && !begins_comment(p, shape)) return false;
  p = next_line(p, end);
  return true;
}

// Reads an id, and keeps in `zeros` whether any begins with a 0 before other digits.
inline bool scan_end(const char*& p, std::uint64_t& id, bool& zeros) {
  const char* const first = p;
  if (!scan_id(p, id)) return false;
  zeros |= (*first == '0') & (p - first > 1);
  return true;
}

template <bool kWeighted, bool kPrefix, class Id>
bool parse_edges(const char* p, const char* end, const LineShape& shape, Id* source, Id* target, double* weight,
                 std::size_t& count, std::uint64_t& all) {
  const bool more_allowed = shape.most_columns > (kWeighted ? 3 : 2);
  const char delimiter = shape.delimiter;
  std::size_t n = 0;
  std::uint64_t bits = 0;
  bool zeros = false;
  while (p < end) {
    std::uint64_t a, b;
    bool found = false;
    if constexpr (kPrefix) {
      if (*p == shape.prefix && is_blank(p[1])) {
        p = skip_blanks(p + 2);
        if (!scan_end(p, a, zeros)) return false;
        found = true;
      }
    } else {
      found = scan_end(p, a, zeros);
    }
    if (!found) [[unlikely]] {
      p = skip_blanks(p);
      if (*p == '\n' || begins_comment(p, shape)) {
        p = next_line(p, end);
        continue;
      }
      if (kPrefix || !scan_end(p, a, zeros)) return false;
    }
    if (!separate(p, delimiter) || !scan_end(p, b, zeros)) return false;
    if constexpr (kWeighted) {
      if (!separate(p, delimiter) || !scan_weight(p, end, weight[n])) return false;
    }
    if (!end_line(p, end, more_allowed, shape)) return false;
    source[n] = static_cast<Id>(a);
    target[n] = static_cast<Id>(b);
    bits |= a | b;
    ++n;
  }
  count = n;
  all = bits;
  return shape.leading_zeros || !zeros;
}

template <class Id>
bool in_range(const Id* ids, std::size_t n, Vertex lowest, Vertex highest) {
  using U = std::make_unsigned_t<Id>;
  U least = std::numeric_limits<U>::max(), most = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const auto id = static_cast<U>(ids[i]);
    least = std::min(least, id);
    most = std::max(most, id);
  }
  return n == 0 || (highest >= lowest && least >= static_cast<std::uint64_t>(lowest) &&
                    most <= static_cast<std::uint64_t>(highest));
}

}  // namespace

LineParser::LineParser(World& world, LineShape shape, std::size_t expected_edges)
    : shape_(std::move(shape)),
      simple_(shape_.source == 0 && shape_.target == 1 && (shape_.weight == -1 || shape_.weight == 2) &&
              shape_.weight_key.empty()),
      columns_(expected_edges, weighted()),
      scratch_(static_cast<std::size_t>(world.team().size())) {}

BlockWork LineParser::work() {
  if (shape_.target < 0) return [this](int thread, const Block& block) { parse_vertices(scratch_[thread], block); };
  return [this](int thread, const Block& block) { parse(scratch_[thread], block); };
}

void LineParser::make_room(Scratch& scratch, std::size_t bytes) {
  const std::size_t edges = bytes / kBytesPerEdge + 2;
  if (edges <= scratch.room) return;
  scratch.source = Array<Vertex>(edges);
  scratch.target = Array<Vertex>(edges);
  if (weighted()) scratch.weight = Array<double>(edges);
  scratch.room = edges;
}

template <class Id>
bool LineParser::parse_as(Scratch& scratch, const Block& block) {
  auto* source = reinterpret_cast<Id*>(scratch.source.data());
  auto* target = reinterpret_cast<Id*>(scratch.target.data());
  double* weight = scratch.weight.data();
  std::uint64_t all = 0;
  bool good = false;
  if (simple_) {
    const auto parse = shape_.weight < 0
                           ? (shape_.prefix ? parse_edges<false, true, Id> : parse_edges<false, false, Id>)
                           : (shape_.prefix ? parse_edges<true, true, Id> : parse_edges<true, false, Id>);
    good = parse(block.begin, block.end, shape_, source, target, weight, scratch.count, all);
  }
  if (!good) {
    // The lines have other columns, or there is an error, which is found here.
    std::size_t n = 0;
    scratch.left_out = 0;
    for (const char* p = block.begin; p < block.end;) {
      const char* next = next_line(p, block.end);
      LineValues values;
      if (read_line(p, next - 1, shape_, values)) {
        source[n] = static_cast<Id>(values.source);
        target[n] = static_cast<Id>(values.target);
        if (weight) weight[n] = values.weight;
        all |= values.source | values.target;
        ++n;
      }
      scratch.left_out += values.left_out;
      p = next;
    }
    scratch.count = n;
  }
  scratch.wide = all >> 32 != 0;
  return sizeof(Id) == sizeof(Vertex) || !scratch.wide;
}

template <class Id>
void LineParser::append(Scratch& scratch, const Block& block) {
  const auto* source = reinterpret_cast<const Id*>(scratch.source.data());
  const auto* target = reinterpret_cast<const Id*>(scratch.target.data());
  const std::size_t n = scratch.count;
  const bool any_id = shape_.lowest == 0 && shape_.highest == kMaxVertex && sizeof(Id) < sizeof(Vertex);
  if (!any_id &&
      (!in_range(source, n, shape_.lowest, shape_.highest) || !in_range(target, n, shape_.lowest, shape_.highest))) {
    for (const char* p = block.begin; p < block.end;) {
      const char* next = next_line(p, block.end);
      LineValues ignored;
      read_line(p, next - 1, shape_, ignored);
      p = next;
    }
  }
  scratch.appended = true;
  scratch.all_left_out += std::exchange(scratch.left_out, 0);
  columns_.append(block.turn, source, target, scratch.weight.data(), n);
}

void LineParser::parse(Scratch& scratch, const Block& block) {
  scratch.appended = false;
  try {
    make_room(scratch, static_cast<std::size_t>(block.end - block.begin));
    // After wide ids, the thread expects more of them.
    if (!scratch.wide && parse_as<std::uint32_t>(scratch, block)) {
      append<std::uint32_t>(scratch, block);
    } else {
      parse_as<Vertex>(scratch, block);
      append<Vertex>(scratch, block);
    }
  } catch (...) {
    // Other threads wait for this turn.
    if (!scratch.appended) columns_.append(block.turn, static_cast<const Vertex*>(nullptr), nullptr, nullptr, 0);
    throw;
  }
}

void LineParser::parse_vertices(Scratch& scratch, const Block& block) {
  for (const char* p = block.begin; p < block.end;) {
    std::uint64_t id;
    const char* q = p;
    if (scan_id(q, id) && (*q == '\n' || is_blank(*q)) && id <= static_cast<std::uint64_t>(kMaxVertex)) {
      scratch.vertices.push_back(static_cast<Vertex>(id));
      p = next_line(q, block.end);
      continue;
    }
    const char* next = next_line(p, block.end);
    LineValues values;
    if (read_line(p, next - 1, shape_, values)) scratch.vertices.push_back(static_cast<Vertex>(values.source));
    p = next;
  }
}

std::int64_t LineParser::left_out() const {
  std::int64_t sum = 0;
  for (const Scratch& s : scratch_) sum += s.all_left_out;
  return sum;
}

std::vector<Vertex> LineParser::take_vertices() {
  std::vector<Vertex> all;
  for (Scratch& s : scratch_) {
    if (all.empty()) {
      all = std::move(s.vertices);
    } else {
      all.insert(all.end(), s.vertices.begin(), s.vertices.end());
      s.vertices = {};
    }
  }
  return all;
}

}  // namespace atl
