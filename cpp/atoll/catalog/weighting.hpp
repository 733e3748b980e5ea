// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/edge_weighting.hpp>

#include "arguments.hpp"

namespace atl::catalog {

/// Returns how much an edge counts, by the option "weighted".
inline EdgeWeighting weighting_of(const Arguments& arguments) {
  return arguments.flag("weighted") ? EdgeWeighting::of_edges : EdgeWeighting::ones;
}

}  // namespace atl::catalog
