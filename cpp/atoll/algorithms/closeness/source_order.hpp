// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/vertex_bits.hpp>
#include <atoll/graph/graph.hpp>
#include <vector>

namespace atl {

/// Orders the vertices below `vertices` whose bit in `wanted` is set for searches from `together` successive ones. Those
/// of high degree come first, in classes by powers of 4: searches from hubs find most vertices in two levels, and would
/// wait for others (on Kronecker 16 this order saves a quarter of the time). In a class successive ones are near each
/// other, so that their searches reach a vertex in few levels and share more: groups grow by breadth-first searches
/// among the vertices that no group has yet.
std::vector<Local> order_sources(const Csr& lists, Local vertices, const VertexBits& wanted, std::size_t together);

}  // namespace atl
