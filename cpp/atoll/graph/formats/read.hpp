// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/edge_list.hpp>
#include <atoll/runtime/world.hpp>
#include <optional>
#include <string>
#include <vector>

/// Reads graphs from files; each rank reads its own part.
///
///     EdgeList edges = read_edges(world, "web-Stanford.txt.zst");
///     EdgeList roads = read_edges(world, "cal.cedge", {.format = "edges", .directed = false,
///                                                      .source_column = "2", .target_column = "3"});
///
/// A plain file is divided into one byte range per rank, and each range is parsed by the rank's threads. A .gz or .zst
/// file is decompressed by rank 0, which distributes the text in blocks. The order of edges over ranks is unspecified;
/// on one rank it is that of the file.
namespace atl {

struct ReadOptions {
  enum class Weights {
    automatic,  ///< if the file has them
    none,       ///< dropped
    required    ///< a file without weights is an error
  };

  /// "auto", or one of file_formats(). auto uses the first bytes of the text and the ending of the name.
  std::string format = "auto";
  /// Overrides the format. By default edge lists and DIMACS are directed; METIS, Graph500 and symmetric Matrix Market
  /// are not; Graphalytics and our own format say which.
  std::optional<bool> directed = {};
  Weights weights = Weights::automatic;
  /// Edge lists: a column's number, counted from 1, or its name in the header line. Empty: the column with a well-known
  /// name, else columns 1, 2 and, if it is a number, 3.
  std::string source_column = {}, target_column = {}, weight_column = {};
  /// Edge lists: whether the first line is one of headings (or of counts); none: as it looks.
  std::optional<bool> headings = {};
  /// Edge lists: tab , ; | or ' ' for any number of blanks; 0: as the first lines look.
  char delimiter = 0;
  /// Edge lists: the decimal sign, '.' or ','; the other one then stands between groups of digits. 0: as the first lines
  /// look.
  char decimal = 0;
  /// Edge lists: lines in which an end, or the weight that is taken, is empty, NA, NaN, nan, NULL, null or None (without
  /// quotes).
  enum class Missing {
    refuse,  ///< an error; but names may be such words
    drop,    ///< left out, and counted
    warn     ///< under headings the same, with a warning where there are some; elsewhere as refuse, in any format
  };
  Missing missing = Missing::refuse;
  /// Edge lists: an id that begins with zeros is the number that it is without them. Else it is refused: zip codes and the
  /// like are names, as which has_names() knows them by the first lines.
  bool leading_zeros = false;
};

/// The values of ReadOptions::format, each with a short description.
struct FileFormat {
  const char* name;
  const char* endings;  ///< of file names, before .gz or .zst; separated by blanks
  const char* about;
};
const std::vector<FileFormat>& file_formats();

/// Collective. `path` is a file; for Graphalytics also a folder or the common prefix of its files' names. Throws the
/// same on every rank: InputError as "path:line: what (why). What to do.", IoError, UsageError. Memory: the edges, 8
/// bytes each if all ids fit 32 bits, and a megabyte or two per thread.
EdgeList read_edges(World& world, const std::string& path, const ReadOptions& options = {});

}  // namespace atl
