// SPDX-License-Identifier: Apache-2.0
#include <hwloc.h>

#include <atoll/base/error.hpp>
#include <atoll/topology/read_formats.hpp>
#include <memory>

namespace atl {
namespace {

struct Destroy {
  void operator()(hwloc_topology_t t) const { hwloc_topology_destroy(t); }
};

const char* kind_of(hwloc_obj_t object) {
  switch (object->type) {
    case HWLOC_OBJ_MACHINE:
      return "node";
    case HWLOC_OBJ_PACKAGE:
      return "package";
    case HWLOC_OBJ_DIE:
      return "die";
    case HWLOC_OBJ_L3CACHE:
      return "l3";
    case HWLOC_OBJ_L2CACHE:
      return "l2";
    default:
      return object->memory_arity > 0 ? "numa" : "group";  // hwloc puts a group where NUMA domains need one
  }
}

// What holds one thing only is no wall; the outermost of such objects gives the domain its kind.
Domain grow(hwloc_obj_t object) {
  if (object->type == HWLOC_OBJ_CORE || object->type == HWLOC_OBJ_PU)
    return {.kind = "core", .name = {}, .children = {}, .ranks = {}};
  Domain d{.kind = kind_of(object), .name = {}, .children = {}, .ranks = {}};
  for (hwloc_obj_t child = object->first_child; child; child = child->next_sibling) d.children.push_back(grow(child));
  if (d.children.size() != 1) return d;
  Domain only = std::move(d.children.front());
  if (!only.children.empty()) only.kind = d.kind;
  return only;
}

// Packages without cores (memory or devices only) are in some files.
void drop_empty(Domain& d) {
  std::erase_if(d.children, [](Domain& c) {
    drop_empty(c);
    return c.children.empty() && c.kind != "core";
  });
}

}  // namespace

Domain read_hwloc_xml(const TopologyFile& file) {
  hwloc_topology_t raw = nullptr;
  check(hwloc_topology_init(&raw) == 0, "{}: hwloc does not start (out of memory?). Try again.", file.path);
  const std::unique_ptr<hwloc_topology, Destroy> topology(raw);
  hwloc_topology_set_flags(raw, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
  const auto length = static_cast<int>(file.text.size()) + 1;  // with the zero at the end
  check(hwloc_topology_set_xmlbuffer(raw, file.text.c_str(), length) == 0 && hwloc_topology_load(raw) == 0,
        "{}: hwloc {} does not take it as XML of a machine (damaged, or of a later hwloc). Write it again with lstopo.",
        file.path, HWLOC_API_VERSION >> 16);
  const hwloc_obj_t root = hwloc_get_root_obj(raw);
  Domain tree = grow(root);
  drop_empty(tree);
  if (tree.children.empty() && tree.kind == "core") return tree;
  tree.kind = "node";
  if (const char* name = hwloc_obj_get_info_by_name(root, "HostName")) tree.name = name;
  return tree;
}

}  // namespace atl
