// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <numeric>

#include "bfs.hpp"

namespace reference {

/// [v] -> smallest vertex of v's component; directions do not matter (weak components). Union-find.
inline std::vector<atl::Vertex> components(atl::Vertex n, Pairs edges) {
  std::vector<atl::Vertex> label(static_cast<std::size_t>(n));
  std::iota(label.begin(), label.end(), atl::Vertex{0});
  const auto root = [&](atl::Vertex v) {
    while (label[static_cast<std::size_t>(v)] != v) {
      auto& up = label[static_cast<std::size_t>(v)];
      v = up = label[static_cast<std::size_t>(up)];
    }
    return v;
  };
  for (const auto& [u, v] : edges) {
    const auto a = root(u), b = root(v);
    if (a != b) label[static_cast<std::size_t>(a < b ? b : a)] = a < b ? a : b;
  }
  for (atl::Vertex v = 0; v < n; ++v) label[static_cast<std::size_t>(v)] = root(v);
  return label;
}

}  // namespace reference
