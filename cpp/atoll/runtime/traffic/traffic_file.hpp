// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/base/types.hpp>
#include <atoll/runtime/traffic/step_numbers.hpp>
#include <atoll/runtime/traffic/traffic_log.hpp>
#include <string>
#include <vector>

/// A file with the traffic of all ranks of a run, and its steps.
///
///     write_traffic("bfs.traffic", {.route = "domain", .about = "bfs kron:12", .trials = 1, .parts = parts});
///     const TrafficFile file = read_traffic("bfs.traffic");
///     for (const TrafficStep& step : read_steps(file.parts[2], 4, "bfs.traffic")) ...
///
/// The file: a line of JSON (atoll_traffic, the version of the format, 1; route, about, trials; bytes, the length of each
/// rank's part; checksum, of all parts), and the parts one after the other. A part is what TrafficLog::bytes() gave.
namespace atl {

struct TrafficFile {
  std::string route;  ///< of the run, as Plan::route has it
  std::string about;  ///< the run in a few words
  int trials = 0;
  std::vector<std::vector<std::byte>> parts;  ///< [rank]
};

/// Throws IoError where the path cannot be written.
void write_traffic(const std::string& path, const TrafficFile& file);
/// Throws IoError where the file cannot be read, InputError where it is no such file or is damaged.
TrafficFile read_traffic(const std::string& path);

struct TrafficStep {
  StepKind kind = StepKind::begin_trial;
  double seconds = 0;  ///< that the rank computed since the step before
  std::array<std::uint64_t, kMostStepNumbers> numbers{};
  std::vector<std::uint64_t> list;  ///< as StepKind has it, but for a drain
  std::vector<Rank> to;             ///< of a drain, for each record
  std::vector<std::uint64_t> keys;  ///< of a drain whose records have keys
};

/// The steps of one rank's part. Throws InputError, with `path`, where they cannot be those of a rank among `ranks`.
std::vector<TrafficStep> read_steps(std::span<const std::byte> part, Rank ranks, const std::string& path);

/// The mailbox of an open_mailbox step; read_steps() has checked it.
KeptMailbox mailbox_of(const TrafficStep& step);

}  // namespace atl
