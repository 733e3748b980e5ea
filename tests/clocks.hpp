// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/flows_plugin.hpp>
#include <string>
#include <vector>

/// The virtual clocks that are built: flows is a plug-in, which an Atoll without SimGrid lacks.
inline std::vector<std::string> clocks() {
  if (atl::flows_plugin_status().loads) return {"levels", "flows"};
  return {"levels"};
}
