// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/edge_list.hpp>
#include <atoll/runtime/world.hpp>
#include <optional>
#include <string>
#include <vector>

/// Graphs from files, each rank reading its own part.
///
///     EdgeList edges = read_edges(world, "web-Stanford.txt.zst");
///     EdgeList roads = read_edges(world, "cal.cedge", {.format = "edges", .directed = false,
///                                                      .source_column = "2", .target_column = "3"});
///
/// A plain file is cut into as many byte ranges as there are ranks, and each range is parsed by the rank's
/// threads. A .gz or .zst file is unpacked by rank 0, which deals the text out in blocks. No order of edges
/// over ranks is promised; on one rank it is the file's.
namespace atl {

struct ReadOptions {
  enum class Weights {
    automatic,  ///< as the file has them
    none,       ///< left out
    required    ///< a file without them is an error
  };

  /// auto, or one of file_formats(). auto goes by the first bytes of the text and the end of the name.
  std::string format = "auto";
  /// Overrides what the format says. Left alone: edge lists and DIMACS are directed; METIS, Graph500 and
  /// Matrix Market `symmetric` are not; Graphalytics and our own format say it themselves.
  std::optional<bool> directed = {};
  Weights weights = Weights::automatic;
  /// Edge lists: a column's number, counted from 1, or its name in the header line. Empty: by well-known
  /// names, else columns 1, 2 and, if it is a number, 3.
  std::string source_column = {}, target_column = {}, weight_column = {};
};

/// Names that ReadOptions::format takes, each with a few words about it.
struct FileFormat {
  const char* name;
  const char* endings;  ///< of file names, before .gz or .zst; separated by blanks
  const char* about;
};
const std::vector<FileFormat>& file_formats();

/// Collective. `path` is a file, or for Graphalytics also a folder or the common beginning of its files'
/// names. Throws the same on every rank: InputError as "path:line: what (why). What to do.", IoError,
/// UsageError. Memory: the edges, 8 bytes each where all ids fit 32 bits, and a megabyte or two per thread.
EdgeList read_edges(World& world, const std::string& path, const ReadOptions& options = {});

}  // namespace atl
