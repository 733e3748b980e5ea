// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/algorithms/strong_components/strong_components.hpp>

namespace atl {

/// A form of StrongComponents: for one rank, for several, or for an undirected graph.
class StrongComponentsSearch {
 public:
  virtual ~StrongComponentsSearch() = default;
  virtual void run(StrongComponentsResult& result) = 0;
  virtual std::size_t memory_bytes() const = 0;
};

}  // namespace atl
