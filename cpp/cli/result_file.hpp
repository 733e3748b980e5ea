// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fmt/core.h>

#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

/// stdout carries only the result. Libraries write there too (UCX its warnings), so the command keeps the original
/// stdout for itself and points descriptor 1 to stderr.
///
///     print_result("4 components\n");    // the only way to stdout
namespace atl::cli {

/// The descriptor of the original stdout, closed on exec; -1: there was none. The first call redirects descriptor 1:
/// main() makes it before any library is loaded.
int result_file();

/// Throws IoError if stdout does not accept everything, and std::system_error if it is a pipe without a reader.
void print_result(std::string_view text);

/// Prints to stderr and ignores errors there: they change no result.
template <class... Args>
void say(fmt::format_string<Args...> text, Args&&... args) {
  std::fputs(fmt::format(text, std::forward<Args>(args)...).c_str(), stderr);
}

/// Restores descriptor 1, for a program that is about to replace this one.
void restore_stdout();

/// Replaces /dev/stdout in the words, by itself or as --option=/dev/stdout, by the path of the result's file.
std::vector<std::string> with_result_path(const std::vector<std::string>& words);
/// That path.
std::string result_path();

}  // namespace atl::cli
