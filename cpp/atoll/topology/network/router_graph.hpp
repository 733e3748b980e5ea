// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/network/network.hpp>
#include <span>
#include <vector>

namespace atl {

/// The routers of a network and the links between them: router r is the network's vertex hosts() + r.
///
///     const RouterGraph routers(network);
///     for (const RouterGraph::End& end : routers.ends_of(r)) visit(end.router, end.link);
///
class RouterGraph {
 public:
  struct End {
    int router, link;  ///< the other router; parallel cables are several ends
  };
  explicit RouterGraph(const Network& network);

  int routers() const { return static_cast<int>(first_.size()) - 1; }
  std::span<const End> ends_of(int router) const {
    const auto r = static_cast<std::size_t>(router);
    return {ends_.data() + first_[r], ends_.data() + first_[r + 1]};
  }
  /// The routers of a host, ascending, each once.
  std::span<const int> routers_of(int host) const {
    const auto h = static_cast<std::size_t>(host);
    return {host_router_.data() + host_first_[h], host_router_.data() + host_first_[h + 1]};
  }

 private:
  std::vector<int> first_;  // [router] into ends_
  std::vector<End> ends_;   // sorted by router, then link
  std::vector<int> host_first_, host_router_;
};

}  // namespace atl
