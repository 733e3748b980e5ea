// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/error.hpp>
#include <atoll/topology/formats/xml_yaml/xml.hpp>

namespace atl {
namespace {

std::string at_offset(const TopologyFile& file, std::ptrdiff_t offset) {
  const auto end = file.text.begin() + std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(file.text));
  return file.at(static_cast<std::size_t>(std::count(file.text.begin(), end, '\n')) + 1);
}

}  // namespace

pugi::xml_document parse_xml(const TopologyFile& file) {
  pugi::xml_document document;
  const pugi::xml_parse_result result = document.load_buffer(file.text.data(), file.text.size());
  check(result, "{}: {} (not XML). Correct it.", at_offset(file, result.offset), result.description());
  return document;
}

std::string line_of(const TopologyFile& file, pugi::xml_node node) { return at_offset(file, node.offset_debug()); }

}  // namespace atl
