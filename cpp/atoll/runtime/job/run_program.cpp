// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/runtime/job/launch.hpp>
#include <atoll/runtime/job/run_program.hpp>
#include <atoll/runtime/plan.hpp>
#include <charconv>
#include <cstdio>
#include <optional>
#include <string_view>

namespace atl {
namespace {

// Takes `--ranks N` and `--ranks=N` out of the arguments; 0 if there is none: as many ranks as the launcher says, else one.
Rank take_ranks(std::vector<std::string>& arguments) {
  constexpr std::string_view kOption = "--ranks";
  Rank ranks = 0;
  std::vector<std::string> others;
  for (std::size_t k = 0; k < arguments.size(); ++k) {
    const std::string_view word = arguments[k];
    if (word != kOption && !(word.starts_with(kOption) && word[kOption.size()] == '=')) {
      others.push_back(arguments[k]);
      continue;
    }
    std::string_view number;
    if (word != kOption) {
      number = word.substr(kOption.size() + 1);
    } else if (++k < arguments.size()) {
      number = arguments[k];
    }
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), ranks);
    if (error != std::errc() || end != number.data() + number.size() || ranks < 1)
      throw UsageError(fmt::format("--ranks is '{}' (a whole number from 1 on). Change it.", number));
  }
  arguments = std::move(others);
  return ranks;
}

}  // namespace

int exit_code_of(const std::exception& error) {
  switch (kind_of(error)) {
    case ErrorKind::usage:
      return 2;
    case ErrorKind::input:
    case ErrorKind::io:
      return 3;
    default:
      return 1;
  }
}

int run_program(int argc, char** argv,
                const std::function<void(World&, const std::vector<std::string>& arguments)>& f) {
  const std::vector<std::string> command(argv, argv + argc);
  const char* const name = argc > 0 ? argv[0] : "atoll";
  std::optional<Job> job;
  try {
    std::vector<std::string> arguments(command.begin() + (argc > 0), command.end());
    job.emplace(take_ranks(arguments), Plan::from_environment({}), command);
    if (job->part() == Job::Part::parent) return job->run_children();
    World::Options options;  // without a log the library is silent
    options.log = Log([](LogLevel, std::string_view text) { fmt::print(stderr, "{}\n", text); }, LogLevel::warn);
    options.alarm = options.log;
    job->run([&](World& world) { f(world, arguments); }, options);
    return job->finish(0);
  } catch (const std::exception& error) {
    if (!job || job->reports_errors()) fmt::print(stderr, "{}: {}\n", name, error.what());
    const int code = exit_code_of(error);
    return job ? job->finish(code, error.what()) : code;
  }
}

}  // namespace atl
