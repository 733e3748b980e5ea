// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/error.hpp>

/// Turns SIGTERM into a flag: while a TerminationNotice lives, the signal sets the flag and does not end the process.
///
///     TerminationNotice notice;
///     while (work()) if (world.any(notice.given())) break;    // the ranks' processes receive it at different times
///
/// Destroying the last one restores the previous handler. Each rank of a process may have its own.
namespace atl {

/// SIGTERM arrived: the state is saved, and the message says how to resume. The command's exit code is 1.
class RunStopped : public Error {
 public:
  using Error::Error;
};

class World;
/// Throws RunStopped on every rank, as an error of all of them that is reported once. Collective.
[[noreturn]] void stop_run(World& world, const std::string& text);

class TerminationNotice {
 public:
  TerminationNotice();
  ~TerminationNotice();
  TerminationNotice(const TerminationNotice&) = delete;
  TerminationNotice& operator=(const TerminationNotice&) = delete;

  /// Whether the signal has arrived since the first one was made.
  bool given() const;
};

}  // namespace atl
