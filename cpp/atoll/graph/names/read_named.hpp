// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/formats/read.hpp>
#include <atoll/io/dictionary/dictionary.hpp>
#include <memory>

/// Reads edge lists whose vertices are names.
///
///     NamedEdges named = read_named_edges(world, "interactions.tsv");
///     named.names->find("TP53");                                  // the id that its edges have for it
///     Graph graph = Graph::build(world, std::move(named.edges), {});
///
/// One edge a line, its fields cut by what the first lines are cut by (graph/table): tabs, commas, semicolons or bars, else
/// blanks. Blanks around a field do not count; a field in double quotes is taken as it stands, with "" for a quote.
/// Names are UTF-8. All lines have as many fields as the first. Lines before the first edge that begin with #, % or //
/// are comments.
///
/// The first line is one of headings where a column is named by its heading, where two headings are well-known
/// (source and target, from and to, ...), or where a field behind the first two, or both of these, are words above numbers.
/// A square table with names above its columns and before its rows is an adjacency matrix.
///
/// The dictionary is replicated: each rank has all names, their bytes and 8 more each.
namespace atl {

struct NamedEdges {
  EdgeList edges;                                ///< of ids 0 .. names->size() - 1, all of which exist
  std::shared_ptr<const Dictionary> names = {};  ///< null: the vertices have none
};

/// Collective. Throws the same on every rank: InputError as "path:line: what (why). What to do.", IoError, UsageError.
/// Memory while it reads: the edges in 8 bytes, and the distinct names once for each thread that meets them.
NamedEdges read_named_edges(World& world, const std::string& path, const ReadOptions& options = {});

/// Where a file `path`.names lies beside the graph, read_edges() with these names, whatever the format; else
/// read_named_edges(). Collective.
NamedEdges read_with_names(World& world, const std::string& path, const ReadOptions& options = {});

/// Whether the file is an edge list whose first lines leave no doubt that its vertices are names (has_names_of_vertices in
/// layout.hpp). Collective.
bool has_names(World& world, const std::string& path, const ReadOptions& options = {});

/// With names as read_with_names(), else ids as read_edges(). Collective.
NamedEdges read_names_or_ids(World& world, const std::string& path, bool named, const ReadOptions& options = {});

/// The file that has the names of a graph's vertices, beside it.
std::string names_path(const std::string& graph);

/// Throws unless the edges' ids are those of names: what a graph and a file of names beside it have to fit. The edges
/// get the range of all ids. Collective.
void give_names(World& world, EdgeList& edges, const Dictionary& names, const std::string& names_path);

}  // namespace atl
