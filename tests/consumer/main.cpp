// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/version.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <cstdio>

int main() {
  atl::Hierarchy machine = atl::Hierarchy::parse("2x4");
  std::printf("atoll %s: %d ranks on 2 nodes\n", atl::kVersion.data(), machine.size());
  return machine.size() == 8 && machine.level_between(0, 4) == 1 ? 0 : 1;
}
