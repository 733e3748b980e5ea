// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

/// stdout is the result alone. Libraries write there too (UCX its warnings), so the command keeps the file that it was
/// given as stdout for itself, and descriptor 1 is stderr for everybody else.
///
///     print_result("4 components\n");    // the only way to stdout
///
namespace atl::cli {

/// Descriptor of the stdout that the process was started with, closed on exec; -1: there was none. Takes descriptor 1
/// away at its first call: main() makes it before any library is loaded.
int result_file();

/// Throws IoError where stdout does not take it all, and std::system_error where it is a pipe that nobody reads any more.
void print_result(std::string_view text);

/// To stderr, as much as that takes: what is lost there changes no result.
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  std::fputs(fmt::format(text, std::forward<Args>(args)...).c_str(), stderr);
}

/// Gives descriptor 1 back, for a program that is about to take this one's place.
void restore_stdout();

/// The words with /dev/stdout, alone or as --option=/dev/stdout, as the path of the result's file.
std::vector<std::string> with_result_path(const std::vector<std::string>& words);
/// What /dev/stdout has become there.
std::string result_path();

}  // namespace atl::cli
