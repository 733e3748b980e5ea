// SPDX-License-Identifier: Apache-2.0
#include "placement_names.hpp"

namespace atl {
namespace {

struct NamedCut {
  const char* name;
  Cut cut;
};
constexpr NamedCut kCuts[] = {{"cartesian", Cut::cartesian}, {"hybrid", Cut::hybrid}, {"auto", Cut::chosen}};

}  // namespace

std::vector<std::string> every_placement() {
  std::vector<std::string> names = partition_names();
  for (const NamedCut& one : kCuts) names.emplace_back(one.name);
  return names;
}

PartitionOptions placement_named(std::string_view name) {
  for (const NamedCut& one : kCuts)
    if (name == one.name) return {.partition = Partition::balanced, .cut = one.cut};
  return {.partition = partition_named(name)};
}

std::string name_of(Cut cut) {
  for (const NamedCut& one : kCuts)
    if (one.cut == cut) return one.name;
  return "edge";
}

}  // namespace atl
