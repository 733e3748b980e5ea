// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>

#include <atoll/base/error.hpp>
#include <atoll/base/files/file_handle.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

/// A failure detector: finds out which rank of a job of processes has stopped answering, even while ranks compute.
///
///     Heartbeat heartbeat(*bootstrap, {.timeout_s = 60, .warn_s = 30, .alarm = log});   // collective
///     heartbeat.note("barrier");                                                    // what this rank waits for now
///     heartbeat.check();                                                            // throws SilentRank
///
/// The ranks form a ring. Every second a thread of each process sends its successor a UDP datagram (a beat) with the
/// operation it waited for last, so each rank monitors one other. A rank whose predecessor is silent for timeout_s
/// tells all ranks. If the monitoring rank stood still itself (the whole job was suspended), the time counts as two
/// beats only. A rank that was never heard is never declared silent. On one machine only the loopback device is used.
namespace atl {

/// A rank has not answered for Plan::timeout_seconds. Every rank that waits throws it, with the same text.
class SilentRank : public TransportError {
 public:
  SilentRank(Rank rank, const std::string& text) : TransportError(text), rank(rank) {}
  Rank rank;
};

class Heartbeat {
 public:
  struct Options {
    double timeout_s;  ///< seconds of silence that end the job; 0: never
    double warn_s;     ///< seconds of silence before a warning
    Log alarm;         ///< called on the monitoring rank, by the Heartbeat's thread
  };

  /// Collective over the bootstrap, whatever the options.
  Heartbeat(Bootstrap& job, Options options);
  ~Heartbeat();
  Heartbeat(const Heartbeat&) = delete;
  Heartbeat& operator=(const Heartbeat&) = delete;

  /// Any thread.
  void note(std::string_view operation) noexcept;
  void check() const;

 private:
  struct Peer {
    int pid = 0;
    std::string host;
    std::vector<sockaddr_in> addresses;
  };
  struct Datagram;

  void run();
  void beat();
  void receive();
  void judge();
  void conclude(Rank rank, double seconds, const char* operation);
  std::string describe(Rank rank, double seconds, const char* operation) const;
  void send(const Peer& peer, const Datagram& datagram) const;

  static constexpr std::size_t kTextBytes = 64;

  const Options options_;
  const Rank rank_, size_;
  const double beat_s_;
  std::uint64_t secret_ = 0;  // of the job: datagrams without it come from strangers
  std::vector<Peer> peers_;   // [rank]
  FileHandle socket_, stop_;

  mutable SpinLock lock_;
  char operation_[kTextBytes] = "";   // under lock_
  std::optional<SilentRank> silent_;  // under lock_
  std::atomic<bool> concluded_{false};

  // Used by the thread only.
  double silence_s_ = 0;
  bool heard_ = false, warned_ = false, detected_here_ = false;
  char last_heard_[kTextBytes] = "";
  std::thread thread_;
};

}  // namespace atl
