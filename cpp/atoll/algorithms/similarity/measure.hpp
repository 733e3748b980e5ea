// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string_view>

/// Measures of how alike the neighbourhoods of two vertices are. With N(v) the vertices that an edge leads to from v, v
/// itself left out, C the common ones of u and v, and F(w) the vertices that have w among theirs (undirected: N(w)):
///
///     common_neighbors         |C|
///     jaccard                  |C| / |N(u) or N(v)|                   [1]
///     overlap                  |C| / min(|N(u)|, |N(v)|)
///     cosine                   |C| / sqrt(|N(u)| |N(v)|)
///     adamic_adar              sum over C of 1 / log |F(w)|           [1]
///     resource_allocation      sum over C of 1 / |F(w)|               [2]
///     preferential_attachment  |N(u)| |N(v)|                          [1]
///
/// A quotient whose divisor is 0 is 0. Self-loops, weights and the number of edges between two vertices do not matter.
///
/// [1] D. Liben-Nowell, J. Kleinberg. "The link-prediction problem for social networks." JASIST 58(7), 2007, section 3.
/// [2] T. Zhou, L. Lue, Y.-C. Zhang. "Predicting missing links via local information." Eur. Phys. J. B 71(4), 2009.
namespace atl {

enum class Similarity {
  common_neighbors,
  jaccard,
  overlap,
  cosine,
  adamic_adar,
  resource_allocation,
  preferential_attachment
};

/// The names of the measures, in the order of the enumeration.
std::span<const std::string_view> similarity_names();
/// Throws UsageError that lists the names.
Similarity similarity_named(std::string_view name);

}  // namespace atl
