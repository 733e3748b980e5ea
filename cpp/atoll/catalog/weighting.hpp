// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/edge_weighting.hpp>

#include "arguments.hpp"

namespace atl::catalog {

/// What an edge counts for an algorithm with the option --weighted.
inline EdgeWeighting weighting_of(const Arguments& arguments) {
  return arguments.flag("weighted") ? EdgeWeighting::of_edges : EdgeWeighting::ones;
}

}  // namespace atl::catalog
