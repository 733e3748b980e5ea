// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/base/types.hpp>
#include <optional>
#include <string>
#include <variant>
#include <vector>

/// Edges as they come from a file, a generator or arrays: this rank's slice, with original ids.
///
///     EdgeList edges = read_edges(world, "web-Stanford.txt.zst", {});
///     Graph graph = Graph::build(world, std::move(edges), {});
namespace atl {

/// Ids of one end of the edges: 32 bits wide if they fit (half the memory), else 64.
using IdColumn = std::variant<Array<std::uint32_t>, Array<Vertex>>;
/// Weights of the edges: none, or of the width of the input.
using WeightColumn = std::variant<std::monostate, Array<float>, Array<double>>;

/// Ids that are exactly first, first + 1, .. first + count - 1, whether an edge names them or not.
struct IdRange {
  Vertex first = 0;
  Vertex count = 0;
};

struct EdgeList {
  IdColumn source, target;  ///< same alternative and same size
  WeightColumn weight;      ///< none, or as many as there are edges
  bool directed = false;
  /// Set where the input says which ids exist (a header, a generator). Else the vertices are those that an edge
  /// or `vertices` names.
  std::optional<IdRange> range;
  /// Further vertices that exist (a .v file): this rank's slice, any order, no need to be distinct across ranks.
  std::vector<Vertex> vertices;
  std::string name;  ///< file or generator text, for messages and reports
  /// How a table as text was read, in a line: "source 'from' (column 1), target 'to' (column 2), no weight; cut by commas;
  /// directed", and how many lines were left out. Empty for other input.
  std::string columns;

  std::size_t size() const {
    return std::visit([](const auto& column) { return column.size(); }, source);
  }
  bool weighted() const { return weight.index() != 0; }
};

}  // namespace atl
