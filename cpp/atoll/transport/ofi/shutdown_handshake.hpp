// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/timer.hpp>
#include <atoll/transport/ofi/port.hpp>
#include <functional>

namespace atl::ofi {

/// The shutdown protocol: no rank leaves before all are done. Each rank tells rank 0 when it is done, and rank 0
/// answers when it has heard from all. A rank that has the answer has nothing in flight any more.
class ShutdownHandshake {
 public:
  ShutdownHandshake(Port& port, Rank ranks) : port_(port), ranks_(ranks), said_(static_cast<std::size_t>(ranks)) {}

  /// The done message of a rank has arrived.
  void on_control(Rank from) {
    said_[from] = 1;
    ++heard_;
  }
  void completed_word() { --sending_; }

  /// Collective, once. `progress` polls completions (true if there were some); `done` says that this rank has nothing
  /// in flight. Throws TransportError if a peer does not answer in time.
  void part(const std::function<bool()>& progress, const std::function<bool()>& done);

 private:
  void send_control(Rank to, const std::function<bool()>& progress);
  template <class Done>
  void until(const std::function<bool()>& progress, const Timer& timer, Done&& done, const char* what);

  Port& port_;
  const Rank ranks_;
  std::vector<char> said_;  // [rank]
  Rank heard_ = 0, sending_ = 0;
  std::deque<Operation> operations_;
};

}  // namespace atl::ofi
