// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/flows_plugin.hpp>
#include <string>
#include <vector>

/// The available virtual clocks: flows is a plug-in that is missing in builds without SimGrid.
inline std::vector<std::string> clocks() {
  if (atl::flows_plugin_status().loads) return {"levels", "flows"};
  return {"levels"};
}
