// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace atl::cli {

/// Says on stderr what a command is at, if that takes long: on a terminal a line that moves, after a second; elsewhere,
/// as in ranks whose output their parent passes on, a line every ten seconds.
///
///     PhaseLine line(quiet);
///     line.begin("reading web.el");      // any thread
///     line.begin("bfs");
///     line.advance(2, 64);
///
/// The first begin() starts a thread; so a process that is to fork does so before.
class PhaseLine {
 public:
  explicit PhaseLine(bool quiet);
  ~PhaseLine();
  PhaseLine(const PhaseLine&) = delete;
  PhaseLine& operator=(const PhaseLine&) = delete;

  void begin(std::string what);
  /// How much of it is done; `all` is 0 where that is not known.
  void advance(std::int64_t done, std::int64_t all);
  /// Nothing more is said.
  void end();
  /// Takes the moving line away, so that another can be written in its place; it comes again.
  void wipe();

 private:
  using Clock = std::chrono::steady_clock;
  void speak();
  void wipe_locked();
  std::string line_locked() const;

  const bool quiet_, moves_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;  // empty: nothing
  Clock::time_point since_;
  std::int64_t done_ = 0, all_ = 0;  // 0: not known
  bool shown_ = false, over_ = false;
  std::thread speaker_;
};

}  // namespace atl::cli
