// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/formats/blocks.hpp>
#include <atoll/graph/formats/columns.hpp>
#include <atoll/graph/formats/read.hpp>
#include <atoll/graph/table/numbers.hpp>
#include <limits>
#include <optional>
#include <string>
#include <vector>

/// Parsing of files with one edge per line, shared by edge lists, Matrix Market, DIMACS and Graphalytics.
///
///     LineShape shape;                       // source and target in the first two columns
///     shape.weight = 2;
///     LineParser parser(world, shape, expected_edges);
///     for_each_block(world, path, plan, parser.work());
///     parser.columns().finish(world, edges);
///
/// A fast path parses each block or fails without an explanation; then a careful path finds the first wrong line and
/// explains it.
namespace atl {

struct LineShape {
  char delimiter = ' ';          ///< between fields, blanks around it do not count; ' ': any number of blanks and tabs
  char prefix = 0;               ///< 'a' in DIMACS: precedes each edge
  std::string comments = "#%/";  ///< first characters of comment lines; '/' stands for "//"
  int source = 0, target = 1;    ///< columns, from 0; target -1: one id a line
  int weight = -1;               ///< -1: none
  std::string weight_key;  ///< not empty: the weight is what {'KEY': ..} behind the ends says, 1 where it does not
  char id_group = 0;       ///< between groups of three digits of ids; 0: there are none
  table::NumberSigns weight_signs;
  bool drop_missing = false;  ///< ReadOptions::Missing::drop, or warn under headings
  bool leading_zeros = true;  ///< false: an id of several digits that begins with 0 is refused
  int most_columns = std::numeric_limits<int>::max();
  Vertex lowest = 0, highest = kMaxVertex;  ///< allowed ids
  std::string range_rule;                   ///< for an id outside: "(why). What to do."
  const char* source_name = "source";
  const char* target_name = "target";

  /// Whether what is at p begins a comment; a character behind p may be read.
  bool begins_comment(const char* p) const {
    if (*p == '/') return p[1] == '/' && comments.find('/') != std::string::npos;
    return *p != 0 && comments.find(*p) != std::string::npos;
  }
};

struct LineValues {
  std::uint64_t source = 0, target = 0;
  double weight = 0;
  bool left_out = false;  ///< for what is missing
};
/// Reads the line [p, end), where end is its line end; false if it is empty, a comment or left out. Throws LineError.
bool read_line(const char* p, const char* end, const LineShape& shape, LineValues& values);

/// The weight that a field says; `at` is what a LineError points to.
double read_weight(const char* at, std::string_view field, table::NumberSigns signs);

/// Whether lines with a missing end or weight are left out. Without headings a file is a list of edges rather than a
/// table: there a value that is missing is a mistake, or a name, unless dropping is asked for.
bool leaves_out_missing(ReadOptions::Missing missing, bool has_headings);
/// Says how many lines were left out; `mine` and `kept` are this rank's. InputError where no edge is left. Collective.
std::string describe_left_out(World& world, const std::string& path, std::int64_t mine, std::size_t kept,
                              ReadOptions::Missing missing);

/// EdgeList::columns: what was found of the columns, whether edges have a direction, and what was left out, if anything.
std::string describe_reading(const std::string& columns, bool directed, const std::string& left_out);

/// The fields of a header, separated by blanks or by one of , ; | with optional blanks around it.
std::vector<std::string_view> fields_of(std::string_view line);

class LineParser {
 public:
  LineParser(World& world, LineShape shape, std::size_t expected_edges);
  BlockWork work();
  EdgeColumns& columns() { return columns_; }
  /// Lines of this rank that were left out, as something is missing there.
  std::int64_t left_out() const;
  /// With target -1: the ids read by this rank, unordered.
  std::vector<Vertex> take_vertices();

 private:
  struct alignas(128) Scratch {
    Array<Vertex> source, target;  // or 32-bit ids in the same memory
    Array<double> weight;
    std::size_t room = 0, count = 0;
    std::int64_t left_out = 0, all_left_out = 0;  // of the block, of all
    bool wide = false;                            // whether the last block was
    bool appended = false;
    std::vector<Vertex> vertices;
  };
  void parse(Scratch& scratch, const Block& block);
  void parse_vertices(Scratch& scratch, const Block& block);
  template <class Id>
  bool parse_as(Scratch& scratch, const Block& block);
  template <class Id>
  void append(Scratch& scratch, const Block& block);
  void make_room(Scratch& scratch, std::size_t bytes);
  bool weighted() const { return shape_.weight >= 0 || !shape_.weight_key.empty(); }

  LineShape shape_;
  bool simple_;  // whether the fast path supports this shape
  EdgeColumns columns_;
  std::vector<Scratch> scratch_;
};

}  // namespace atl
