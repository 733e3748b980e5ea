// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/timer.hpp>
#include <atoll/transport/ofi/port.hpp>
#include <functional>

namespace atl::ofi {

/// How ranks part, none before all are done: each tells rank 0, which tells them when it has heard from all. A rank that
/// has heard it has nothing on its way any more.
class ShutdownHandshake {
 public:
  ShutdownHandshake(Port& port, Rank ranks) : port_(port), ranks_(ranks), said_(static_cast<std::size_t>(ranks)) {}

  /// The last word of a rank has come.
  void hear(Rank from) {
    said_[static_cast<std::size_t>(from)] = 1;
    ++heard_;
  }
  void completed_word() { --sending_; }

  /// Collective, once. `progress` looks at the completions, true if there were some; `done` says that this rank has
  /// nothing on its way. Throws TransportError if a peer is awaited in vain.
  void part(const std::function<bool()>& progress, const std::function<bool()>& done);

 private:
  void say(Rank to, const std::function<bool()>& progress);
  template <class Done>
  void until(const std::function<bool()>& progress, const Timer& timer, Done&& done, const char* what);

  Port& port_;
  const Rank ranks_;
  std::vector<char> said_;  // [rank]
  Rank heard_ = 0, sending_ = 0;
  std::deque<Operation> operations_;
};

}  // namespace atl::ofi
