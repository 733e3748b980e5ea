// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <span>
#include <string>

namespace atl {

/// The result of a check; the same on all ranks.
struct Verdict {
  bool ok = true;
  std::string what = {};  ///< the broken rule and where, by original ids; empty if ok
};

}  // namespace atl
