// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/gnn/gcn.hpp>
#include <string>

/// A folder with a graph, features, labels and a split of its vertices, as text files that may be packed (.gz, .zst):
///
///     edges.txt       "u v" a line: undirected, vertices from 0
///     features.txt    "vertex feature value" a line, features from 0; what is not there is 0
///     labels.txt      a class a line, from 0, the first for vertex 0; -1: not known
///     split.json      {"train": [vertices], "val": [..], "test": [..]}; val and test may be missing
///
///     GraphFolder folder(world, "cora-plain");                          // collective
///     const Graph graph = Graph::build(world, folder.edges(world));     // collective
///     gcn.set_features(folder.features<float>(graph, Rows::normalised));     // collective
///     gcn.set_targets(folder.targets(graph));                           // collective
///
/// Ranks read parts of the files and send what they read to the owners of the vertices. Errors are the same on all
/// ranks: InputError as "file:line: what (why). What to do.", IoError.
namespace atl {

enum class Rows { as_they_are, normalised };  ///< normalised: values are divided by the sum of their row, if not 0

class GraphFolder {
 public:
  /// Reads labels, features and the split. Collective.
  GraphFolder(World& world, const std::string& path);
  /// Whether it is a folder with one of the files. Collective.
  static bool is_one(World& world, const std::string& path);

  Vertex vertices() const { return vertices_; }
  std::int64_t feature_count() const { return features_; }
  std::int64_t classes() const { return classes_; }

  /// Collective.
  EdgeList edges(World& world) const;
  /// Reads the targets of the rank's vertices, by owned index. Collective.
  VertexTargets targets(const Graph& graph) const;
  /// Reads the features of the rank's vertices, by owned index. Collective.
  template <class T>
  SparseMatrix<T> features(const Graph& graph, Rows rows) const;

  /// Something about a vertex, on its way to the vertex's owner.
  struct Entry {
    Vertex vertex;
    std::int64_t place;
    double value;
  };

 private:
  void read_labels(World& world);
  void read_features(World& world);
  void read_split(World& world);

  std::string path_, labels_path_, features_path_;
  Vertex vertices_ = 0;
  std::int64_t features_ = 0, classes_ = 0;
  std::vector<Entry> labels_, roles_, values_;  // this rank's part of what was read
};

}  // namespace atl
