// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

/// Reading and writing JSON text, compiled once: each source that calls the library's own parse() and dump() compiles
/// two seconds of them again.
namespace atl {

/// Parses the text. Throws nlohmann::json::parse_error where it is no JSON.
nlohmann::json parse_json(std::string_view text);
/// The same; where it is no JSON, the value is_discarded().
nlohmann::json try_parse_json(std::string_view text);
nlohmann::ordered_json parse_ordered_json(std::string_view text);

/// Returns the value as text: on one line, or with `indent` spaces a level.
std::string dump_json(const nlohmann::json& value, int indent = -1);
std::string dump_json(const nlohmann::ordered_json& value, int indent = -1);
/// The same; what is no UTF-8 becomes U+FFFD rather than an exception.
std::string dump_json_replacing(const nlohmann::json& value, int indent = -1);

}  // namespace atl
