// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <atoll/runtime/plan.hpp>
#include <atoll/runtime/world.hpp>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// Returns the exit code for an error, as the command `atoll` has it: 2 for usage, 3 for input, else 1.
inline int exit_code_of(const std::exception& error) {
  switch (atl::kind_of(error)) {
    case atl::ErrorKind::usage:
      return 2;
    case atl::ErrorKind::input:
    case atl::ErrorKind::io:
      return 3;
    default:
      return 1;
  }
}

/// Calls f(world, input) on every rank of a job and returns the exit code for main().
///
///     int main(int argc, char** argv) { return on_ranks(argc, argv, "kron:8", f); }
///
///     program                          one rank
///     program roads.gr --ranks 3       three ranks, which this process starts and watches; roads.gr instead of kron:8
///     mpiexec -n 3 program roads.gr    the ranks that the launcher has started
///
/// Prints an error once, whether one rank or all have thrown it, and the warnings of every rank, such as that it has
/// waited for long. Any field of Plan may be set in the environment:
/// ATOLL_TRANSPORT=inproc makes the ranks threads of this process, ATOLL_THREADS=2 gives each rank two threads.
inline int on_ranks(int argc, char** argv, std::string input,
                    const std::function<void(atl::World&, const std::string&)>& f) {
  const std::vector<std::string> command(argv, argv + argc);
  std::optional<atl::Job> job;
  try {
    atl::Rank ranks = 0;  // as many as the launcher says, else one
    for (std::size_t k = 1; k < command.size(); ++k) {
      if (command[k] == "--ranks") {
        ranks = ++k < command.size() ? std::atoi(command[k].c_str()) : 0;
        if (ranks < 1) throw atl::UsageError("--ranks needs a number from 1 on.");
      } else {
        input = command[k];
      }
    }
    job.emplace(ranks, atl::Plan::from_environment({}), command);
    if (job->part() == atl::Job::Part::parent) return job->run_children();
    atl::World::Options options;  // without a log the library is silent
    options.log = atl::Log([](atl::LogLevel, std::string_view text) { std::cerr << fmt::format("{}\n", text); },
                           atl::LogLevel::warn);
    options.alarm = options.log;
    job->run([&](atl::World& world) { f(world, input); }, options);
    return job->finish(0);
  } catch (const std::exception& error) {
    if (!job || job->reports_errors()) std::fprintf(stderr, "%s: %s\n", argv[0], error.what());
    const int code = exit_code_of(error);
    return job ? job->finish(code, error.what()) : code;
  }
}
