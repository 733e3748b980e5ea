// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The communication graph C of a program: which ranks send how much to which.
///
///     const TrafficMatrix traffic = read_traffic("app.traffic", 0);      // a line for each pair: source target bytes
///     const TrafficMatrix halo = traffic_pattern("grid2d", 64);          // each rank to its neighbours in 8 x 8
///
namespace atl {

struct RankPair {
  int from = 0, to = 0;  ///< ranks; different ones
  double bytes = 0;      ///< > 0
};

struct TrafficMatrix {
  int ranks = 0;
  std::vector<RankPair> pairs;  ///< ascending by from and to, each pair once
};

/// Reads what a run of Atoll counted, from the JSON object that --json writes, or lines of "source target bytes", ranks
/// from 0 on; '#' begins a comment. Pairs that stand there several times are added up, and bytes from a rank to itself
/// are dropped. `ranks` 0: one more than the highest rank. Throws InputError with file and line.
TrafficMatrix read_traffic(const std::string& path, int ranks);

/// The patterns by which MPI programs talk, a byte for each pair in each direction:
///
///     line      ranks r and r + 1            ring      also the last and the first
///     grid2d    neighbours in a grid of ranks with sides as equal as can be, without wrap-around; grid3d likewise
///     alltoall  every pair
///
/// Throws InputError for another name or ranks < 1.
TrafficMatrix traffic_pattern(std::string_view name, int ranks);
std::vector<std::string> traffic_pattern_names();

/// The pairs of `more` behind those of `traffic`, between ranks of its own: another job at the same time.
void add_job(TrafficMatrix& traffic, const TrafficMatrix& more);

}  // namespace atl
