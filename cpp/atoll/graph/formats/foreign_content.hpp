// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

/// Names a file that no reader here takes by how it begins, so that an error need not quote its first line as an edge.
///
///     foreign_content("<?xml version=\"1.0\"?><graphml>");  // "GraphML"
///     foreign_content("PAR1\tF2R\n");                       // "": a gene, not Parquet, whose next byte is no text
///     foreign_content("<http://a> <http://b>\n");           // "": two names
namespace atl {

/// Returns the kind of text, as a noun with its article; empty if that is not known. A list of edges, by numbers or by
/// names, gives the empty text. Looks at the first 4096 bytes.
std::string_view foreign_content(std::string_view text);

}  // namespace atl
