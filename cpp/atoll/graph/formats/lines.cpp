// SPDX-License-Identifier: Apache-2.0
// Blocks of well-formed lines; those of others are read by careful_line.cpp.
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/graph/formats/lines.hpp>
#include <atoll/graph/table/fields.hpp>
#include <utility>

namespace atl {
namespace {

using scan::is_blank;

// The shortest edge is "0 0\n".
constexpr std::size_t kBytesPerEdge = 4;

const char* skip_blanks(const char* p) {
  while (is_blank(*p)) ++p;
  return p;
}

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
  if (*p != '\n' && !more_allowed && !shape.begins_comment(p)) return false;
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
      if (*p == '\n' || shape.begins_comment(p)) {
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
