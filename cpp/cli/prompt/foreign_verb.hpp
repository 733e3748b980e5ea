// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "cli/command.hpp"

namespace atl::cli {

/// Becomes the program atoll-VERB beside the executable, in ../.venv/bin, or on PATH; returns only if there is none.
void run_foreign_verb(const std::string& verb, const Words& words);

/// Runs it and waits; returns its exit code, empty if there is no such program.
std::optional<int> wait_for_foreign_verb(const std::string& verb, const Words& words);

/// Names of the programs atoll-NAME beside this one and on PATH, in their order, and what they do.
std::vector<std::pair<std::string, std::string>> foreign_verbs();

}  // namespace atl::cli
