// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/formats/formats.hpp>
#include <pugixml.hpp>
#include <string>

/// XML parsing for the readers that need it.
///
///     const pugi::xml_document document = parse_xml(file);
///     check(cluster.attribute("radical"), "{}: a cluster without hosts ..", line_of(file, cluster));
///
namespace atl {

pugi::xml_document parse_xml(const TopologyFile& file);

/// "path:line" of an element.
std::string line_of(const TopologyFile& file, pugi::xml_node node);

}  // namespace atl
