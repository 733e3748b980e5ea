// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>

namespace atl {

/// The lists that the searches of one thread read, of vertices 0 .. vertices - 1, whose targets are such too. Refers to
/// memory of the graph, or of copies of all ranks' lists.
struct SearchLists {
  const Csr* out;
  const Csr* in;
  std::size_t vertices;
};

}  // namespace atl
