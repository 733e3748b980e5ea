// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/formats/blocks.hpp>
#include <atoll/graph/formats/columns.hpp>
#include <limits>
#include <string>
#include <vector>

/// Files with one edge a line: what edge lists, Matrix Market, DIMACS and Graphalytics have in common.
///
///     LineShape shape;                       // source and target in the first two columns
///     shape.weight = 2;
///     LineParser parser(world, shape, expected_edges);
///     for_each_block(world, path, plan, parser.work());
///     parser.columns().finish(world, edges);
///
/// Each block is parsed by a fast path that only says yes or no; where it says no, a careful one finds the
/// first wrong line and says what is wrong with it.
namespace atl {

struct LineShape {
  char prefix = 0;               ///< 'a' in DIMACS: in front of each edge
  std::string comments = "#%/";  ///< what lines of no meaning begin with; '/' stands for "//"
  int source = 0, target = 1;    ///< columns, from 0; target -1: one id a line
  int weight = -1;               ///< -1: none
  int most_columns = std::numeric_limits<int>::max();
  Vertex lowest = 0, highest = kMaxVertex;  ///< ids that the file may hold
  std::string range_rule;                   ///< for an id outside: "(why). What to do."
  const char* source_name = "source";
  const char* target_name = "target";
};

struct LineValues {
  std::uint64_t source = 0, target = 0;
  double weight = 0;
};
/// Reads the line [p, end), end at its line end; false if it holds nothing. Throws LineError.
bool read_line(const char* p, const char* end, const LineShape& shape, LineValues& values);

/// The fields of a line: separated by blanks, or by one of , ; | with any blanks around.
std::vector<std::string_view> fields_of(std::string_view line);
bool is_number(std::string_view field);

class LineParser {
 public:
  LineParser(World& world, LineShape shape, std::size_t expected_edges);
  BlockWork work();
  EdgeColumns& columns() { return columns_; }
  /// With target -1: the ids of this rank, in no order.
  std::vector<Vertex> take_vertices();

 private:
  struct alignas(128) Scratch {
    Array<Vertex> source, target;  // or 32-bit ids in the same memory
    Array<double> weight;
    std::size_t room = 0, count = 0;
    bool wide = false;  // what the last block was
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

  LineShape shape_;
  bool simple_;  // the fast path knows this shape
  EdgeColumns columns_;
  std::vector<Scratch> scratch_;
};

}  // namespace atl
