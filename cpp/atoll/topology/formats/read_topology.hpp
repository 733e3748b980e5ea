// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/log.hpp>
#include <atoll/topology/hierarchy.hpp>
#include <atoll/topology/network/network.hpp>
#include <string>

/// Reads other programs' descriptions of a machine as a Hierarchy or a Network.
///
///     Hierarchy h = read_hierarchy("/etc/slurm/topology.conf");       // a rank for each host
///     Hierarchy h = read_hierarchy("fabric.ibnet.zst", 4);            // 4 ranks for each
///     Network n = read_network("platform.xml"), m = read_network("torus:4x4x4");
///
/// The format is recognised by the file's name and first bytes; zstd is decompressed.
///
///     Slurm topology.conf       SwitchName= and BlockName= lines (topology/tree, topology/block)
///     Slurm topology.yaml       tree, block or flat; also topograph's models (switches and blocks)
///     ibnetdiscover             its output, or ibsim's net files: adapters of one host are joined by their description
///     SimGrid platform XML      zones, cabinets and clusters with their hosts; torus, fat tree and dragonfly clusters
///     hwloc XML                 the packages, caches and cores of another machine: a core takes the place of a host
///     list of links             "0 17" a line: two routers, each with a host of its number (link_list.hpp)
///     JSON                      as `atoll info --json` prints it; its ranks are taken as they are
///
/// Ranks are numbered in tree order. Where leaves are not equally deep, domains with one child are inserted. A switch
/// or host named by several switches belongs to the first of them; switches without hosts are left out. Both are logged
/// (hosts as warnings, switches as info).
namespace atl {

/// Throws InputError.
Hierarchy read_hierarchy(const std::string& path, int ranks_per_host = 1, const Log& log = {});

/// One of Network::parse's names, or a file: ibnetdiscover's links and lists of links as they are, a platform with one
/// torus, fat tree or dragonfly cluster as that family, and any other as the tree it describes, with one cable to each
/// domain. Latency and bandwidth are the file's where it gives them for the whole cluster or for each link
/// (ibnetdiscover's widths), else those of generated networks.
/// Throws InputError.
Network read_network(const std::string& name_or_path);

}  // namespace atl
