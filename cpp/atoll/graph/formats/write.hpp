// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/edge_list.hpp>
#include <atoll/runtime/world.hpp>
#include <cstdint>
#include <span>
#include <string>

/// Writes results and graphs to files; each rank writes its own part.
///
///     write_result(world, "depth.tsv", ids, depths);     // "id<TAB>value" a line
///     write_result(world, "rank.npy", ids, ranks);       // numpy: array of (id, value)
///     write_edges(world, "web.atoll", edges);
///
/// All are collective. A file appears complete or not at all: it is written under a temporary name, synced and renamed.
/// Throws IoError (a full disk, no permission) and UsageError (an unknown ending), the same on every rank.
namespace atl {

/// The ending selects the format: .tsv (tab), .csv (comma, with a header line), .txt (blank, as Graphalytics requires),
/// .npy (a structured array with fields id and value). `ids` are this rank's original ids; the file contains the ranks'
/// parts in rank order, so it is sorted if they are. Infinite values are written as Infinity, and doubles so that they
/// read back exactly.
void write_result(World& world, const std::string& path, std::span<const Vertex> ids,
                  std::span<const std::int64_t> values);
void write_result(World& world, const std::string& path, std::span<const Vertex> ids, std::span<const double> values);
/// Throws the errors of write_result that depend on `path` only, to be called before a long computation. Collective.
void check_result_path(World& world, const std::string& path);

/// The format goes by the ending:
///   .el .edges .elist   source target               what GAP reads; a graph with weights is refused
///   .wel                source target weight
///   .txt .tsv .csv      with weights if there are any; the first line is a comment with the range of ids
///   .mtx                Matrix Market; undirected edges as symmetric; where an id is 0, all grow by one
///   .g500 .g500-64      Graph500 binary, weights as floats beside it in NAME.weights
///   .atoll              our own, which keeps everything
/// Weights that an earlier graph has left beside `path` are removed. Collective. Throws InputError if the format cannot hold
/// the edges or their weights; other losses (how many vertices without edges, whether edges are directed) are logged as
/// warnings.
void write_edges(World& world, const std::string& path, const EdgeList& edges);
/// Throws the errors of write_edges that depend on `path` only, to be called before a long computation. Collective.
void check_edges_path(World& world, const std::string& path);

}  // namespace atl
