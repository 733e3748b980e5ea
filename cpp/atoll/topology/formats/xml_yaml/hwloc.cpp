// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/error.hpp>
#include <atoll/topology/formats/xml_yaml/readers.hpp>
#include <atoll/topology/formats/xml_yaml/xml.hpp>

// XML written by hwloc's lstopo on another machine: nested objects. It is parsed as XML rather than with hwloc, because
// an installed hwloc refuses files of a later version. The elements used here are the same in versions 1 to 3, except
// for NUMA domains: in version 1 they contain cores, later they are leaves beside the objects close to them.

namespace atl {
namespace {

const char* kind_of(pugi::xml_node object, bool has_memory) {
  const std::string_view type = object.attribute("type").as_string();
  const int depth = object.attribute("depth").as_int();  // of a cache, in version 1
  if (type == "Package" || type == "Socket") return "package";
  if (type == "Die") return "die";
  if (type == "L3Cache" || (type == "Cache" && depth == 3)) return "l3";
  if (type == "L2Cache" || (type == "Cache" && depth == 2)) return "l2";
  return type == "NUMANode" || has_memory ? "numa" : "group";
}

// An object with a single child separates nothing and becomes no domain; the outermost of such a chain gives the domain
// its kind. A domain without children that is not a core has no processors.
Domain grow(pugi::xml_node object) {
  const std::string_view type = object.attribute("type").as_string();
  Domain d{.kind = "core", .name = {}, .children = {}, .ranks = {}};
  if (type == "Core" || type == "PU") return d;
  bool has_memory = false;
  for (const pugi::xml_node child : object.children("object")) {
    Domain c = grow(child);
    const bool is_memory = std::string_view(child.attribute("type").as_string()) == "NUMANode";
    if (!c.children.empty() || c.kind == "core")
      d.children.push_back(std::move(c));
    else
      has_memory = has_memory || is_memory;
  }
  d.kind = kind_of(object, has_memory);
  if (d.children.size() != 1) return d;
  Domain only = std::move(d.children.front());
  if (!only.children.empty()) only.kind = d.kind;
  return only;
}

}  // namespace

Domain read_hwloc_xml(const TopologyFile& file) {
  const pugi::xml_document document = parse_xml(file);
  const pugi::xml_node machine = document.child("topology").child("object");
  check(machine, "{}: a topology without objects (a difference of two machines?). Write it with lstopo FILE.xml",
        file.path);
  Domain tree = grow(machine);
  check(!tree.children.empty() || tree.kind == "core",
        "{}: no core in '{}' (a domain has processors). Write it again "
        "with lstopo.",
        line_of(file, machine), machine.attribute("type").as_string());
  if (!tree.children.empty()) tree.kind = "node";
  for (const pugi::xml_node info : machine.children("info"))
    if (std::string_view(info.attribute("name").as_string()) == "HostName")
      tree.name = info.attribute("value").as_string();
  return tree;
}

}  // namespace atl
