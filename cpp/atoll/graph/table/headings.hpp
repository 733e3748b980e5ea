// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Meanings of column headings in tables of edges: one list for edge lists as text, data frames, Parquet and Arrow.
///
///     pair_in(headings)      // positions of "Source" and "Target", of "src" and "dst", of "gene_1" and "gene_2" ...
///     meaning_of("Wgt")      // Meaning::weight
namespace atl::table {

/// Letters and digits alone, in lower case: "Source ID" and "source_id" are "sourceid".
std::string plain_word(std::string_view heading);

/// Two headings that name the ends of an edge.
struct EndNames {
  std::string_view source, target;
  bool certain;  ///< the two have no other use, as "start" and "end" have, which may be times
};
/// In the order in which the documentation lists them.
std::span<const EndNames> end_names();
std::span<const std::string_view> weight_names();
/// Headings of a first column that numbers the rows.
std::span<const std::string_view> index_names();
/// Headings of the middle column of triples: head, relation, tail.
std::span<const std::string_view> relation_names();

bool is_weight(std::string_view heading);
bool is_index(std::string_view heading);
bool is_relation(std::string_view heading);
/// Whether the heading is one of a pair of end_names(), or an end of numbered ones as "gene1".
bool is_end(std::string_view heading);

struct Pair {
  std::size_t source, target;
  enum Certainty {
    numbered,   ///< "gene1" and "gene2"
    ambiguous,  ///< of end_names(), but with other uses: "start" and "end"
    of_a_stem,  ///< "source gene" and "target gene"
    certain     ///< of end_names()
  } certainty;
};
/// All pairs of columns whose headings name the ends of an edge; of those the ones of the greatest certainty.
std::vector<Pair> pairs_in(std::span<const std::string> headings);

}  // namespace atl::table
