// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/apsp/arcs/replicated_csr.hpp>
#include <atoll/apsp/store/distance_file_write.hpp>

namespace atl {

/// The graph stored beside the distances in a file, so that paths can be found from the file alone. This object owns
/// the widened copies of narrow weights and must outlive the writing.
template <class T>
class GraphOfArcs {
 public:
  explicit GraphOfArcs(const ReplicatedCsr<T>& arcs)
      : graph_{.ids = arcs.ids,
               .offsets = {arcs.offsets.data(), arcs.offsets.size()},
               .targets = {arcs.heads.data(), arcs.heads.size()},
               .directed = arcs.directed} {
    if (arcs.is_unit()) return;
    if constexpr (sizeof(T) < 4) {
      widened_.assign(arcs.weights.begin(), arcs.weights.end());
      graph_.lengths = std::span<const std::int32_t>(widened_);
    } else {
      graph_.lengths = std::span<const T>(arcs.weights.data(), arcs.weights.size());
    }
  }
  GraphOfArcs(const GraphOfArcs&) = delete;
  GraphOfArcs& operator=(const GraphOfArcs&) = delete;
  const DistanceGraph& graph() const { return graph_; }

 private:
  std::vector<std::int32_t> widened_;
  DistanceGraph graph_;
};

}  // namespace atl
