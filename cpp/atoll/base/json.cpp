// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/json.hpp>
#include <nlohmann/json.hpp>

namespace atl {

nlohmann::json parse_json(std::string_view text) { return nlohmann::json::parse(text); }
nlohmann::json try_parse_json(std::string_view text) {
  return nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
}
nlohmann::ordered_json parse_ordered_json(std::string_view text) { return nlohmann::ordered_json::parse(text); }

std::string dump_json(const nlohmann::json& value, int indent) { return value.dump(indent); }
std::string dump_json(const nlohmann::ordered_json& value, int indent) { return value.dump(indent); }
std::string dump_json_replacing(const nlohmann::json& value, int indent) {
  return value.dump(indent, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace atl
