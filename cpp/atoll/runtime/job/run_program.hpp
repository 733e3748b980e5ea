// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace atl {

/// Calls f(world, arguments) on every rank of a job and returns the exit code for main(): all that a program over ranks
/// needs around its own work.
///
///     int main(int argc, char** argv) { return atl::run_program(argc, argv, f); }
///
///     program FILE                one rank
///     program FILE --ranks 3      three ranks, which this process starts and watches
///     mpiexec -n 3 program FILE   the ranks that the launcher has started
///
/// `arguments` are those of the program without `--ranks N`. Any field of Plan may be set in the environment:
/// ATOLL_TRANSPORT=inproc makes the ranks threads of this process, ATOLL_THREADS=2 gives each rank two threads.
/// Prints an error on stderr once, whether one rank or all have thrown it, and the warnings of every rank, such as that
/// it has waited for long. Throws nothing. With --ranks each rank runs main() from its beginning, so what happens only
/// once, such as deleting a file, does not belong before it.
int run_program(int argc, char** argv, const std::function<void(World&, const std::vector<std::string>& arguments)>& f);

/// Returns the exit code for an error: 2 for usage, 3 for input and files, else 1.
int exit_code_of(const std::exception& error);

}  // namespace atl
