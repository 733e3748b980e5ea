// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/names/read_named.hpp>
#include <atoll/io/read_file.hpp>

namespace atl {

/// What the first lines of an edge list of names say about the others.
struct NamedLayout {
  char separator = ' ';
  std::size_t source = 0, target = 1;
  std::optional<std::size_t> weight;
  std::size_t columns = 0;  ///< of each line
  std::uint64_t from = 0;   ///< where the first edge's line begins
  std::int64_t first_line = 1;
  std::string told;  ///< NamedEdges::columns
};

/// Throws InputError and UsageError; HeadLines::TooShort where it needs a longer head.
NamedLayout named_layout(const std::string& path, const Head& head, const NamedReadOptions& options);

}  // namespace atl
