// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace atl::cli {

/// The exit code of the current exception, and its kind for JSON.
struct Failure {
  int exit_code;
  std::string kind;
  std::string message;  ///< empty: the reader of stdout has gone, so print nothing
};
Failure current_failure();
/// From here on a lack of memory that nobody can catch ends the program as one that is caught does: with its line on
/// stderr and code 1, not by SIGABRT. Such are destructors that allocate, as those of nlohmann's JSON do.
void report_uncaught_lack_of_memory();

}  // namespace atl::cli
