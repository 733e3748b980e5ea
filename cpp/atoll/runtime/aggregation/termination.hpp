// SPDX-License-Identifier: Apache-2.0
#pragma once

/// SIGTERM as a question: while one of these lives, the signal does not end the process, it is noted.
///
///     TerminationNotice notice;
///     while (work()) if (world.any(notice.given())) break;    // ranks that are processes do not all get it at once
///
/// The handler from before is put back when the last one is destroyed. Any rank of a process may have its own.
namespace atl {

class TerminationNotice {
 public:
  TerminationNotice();
  ~TerminationNotice();
  TerminationNotice(const TerminationNotice&) = delete;
  TerminationNotice& operator=(const TerminationNotice&) = delete;

  /// Whether the signal has come since the first of them was made.
  bool given() const;
};

}  // namespace atl
