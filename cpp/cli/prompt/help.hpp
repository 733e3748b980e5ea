// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace CLI {
class App;
}

/// The help of a verb's options, and suggestions for misspelt ones.
namespace atl::cli {

/// The groups of options that many verbs share; those of a verb itself stand before them.
inline constexpr const char *kReadingGroup = "Reading the input", *kPlacingGroup = "Placing it on ranks",
                            *kRanksGroup = "Ranks and communication", *kOutputGroup = "Output";

/// Puts the options that f adds into a group.
void in_group(CLI::App& app, const char* group, const std::function<void()>& f);

/// The help of a verb: its own options first, lines of at most 98 characters.
std::string help_of(const CLI::App& app);

/// "; the nearest: 'a', 'b'", or nothing where all of `known` are far from `given`.
std::string nearest_of(std::string_view given, std::vector<std::string> known);

/// Two columns; the second is wrapped.
std::string wrapped_table(const std::vector<std::pair<std::string, std::string>>& rows);

}  // namespace atl::cli
