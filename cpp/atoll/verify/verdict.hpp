// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/graph.hpp>
#include <span>
#include <string>

namespace atl {

/// What a check of an answer says; the same on every rank.
struct Verdict {
  bool ok = true;
  std::string what = {};  ///< the rule that is broken and where, by original ids; empty if ok
};

}  // namespace atl
