// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/topology/network/network.hpp>
#include <string>

namespace atl {

/// A network as a list of links: "0 17" a line, two routers, each of which has one host of the same number. Links of
/// other latency or bandwidth than generated networks have say it: "0 17 25e9 2e-7", bytes per second and seconds.
/// read_network() reads it back.
///
///     write_file("best.links", link_list(optimized.network));
///
/// Throws InputError unless host h is the only one of router h, for all of them.
std::string link_list(const Network& network);

}  // namespace atl
