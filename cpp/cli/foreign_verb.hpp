// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "command.hpp"

namespace atl::cli {

/// Becomes the program atoll-VERB beside the executable, in ../.venv/bin, or on PATH; returns only if there is none.
void run_foreign_verb(const std::string& verb, const Words& words);

}  // namespace atl::cli
