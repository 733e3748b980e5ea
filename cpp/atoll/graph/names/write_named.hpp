// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/io/dictionary/dictionary.hpp>
#include <atoll/runtime/world.hpp>
#include <span>
#include <string>

/// Writes results with names in place of ids; each rank writes its own part.
///
///     check_named_result_path(world, "scores.tsv");              // before a long computation
///     write_named_result(world, "scores.tsv", names, ids, scores);
///
/// As write_result() does: .tsv (tab), .csv (comma, with headings), .txt (blank). A name that is empty, begins with #, or
/// holds the separator, a quote, a line end or a blank at an end is in double quotes, with "" for a quote.
namespace atl {

/// Whether whole numbers are counts, or vertices, which are written as names; nothing for one that is none.
enum class Meaning : bool { numbers, vertices };

/// Collective. Throws IoError, the same on every rank.
void write_named_result(World& world, const std::string& path, const Dictionary& names, std::span<const Vertex> ids,
                        std::span<const std::int64_t> values, Meaning meaning);
void write_named_result(World& world, const std::string& path, const Dictionary& names, std::span<const Vertex> ids,
                        std::span<const double> values);
/// Writes pairs of vertices, each with a value: "source<TAB>target<TAB>value" a line, in .csv below headings. Without names
/// (null) they are ids. Collective; as above.
void write_pair_values(World& world, const std::string& path, const Dictionary* names, std::span<const Vertex> source,
                       std::span<const Vertex> target, std::span<const double> values);
/// Throws what depends on `path` only: UsageError for an ending that takes no names. Collective.
void check_named_result_path(World& world, const std::string& path);

}  // namespace atl
