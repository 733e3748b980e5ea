// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <netinet/in.h>

#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/base/parallel.hpp>
#include <atoll/transport/bootstrap/bootstrap.hpp>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

/// Which rank of a job of processes has stopped answering, whatever the ranks compute meanwhile.
///
///     Pulse pulse(*bootstrap, {.timeout_s = 60, .warn_s = 30, .alarm = log});   // collective
///     pulse.note("barrier");                                                    // what this rank waits for now
///     pulse.check();                                                            // throws SilentRank
///
/// A thread of each process tells the next rank, every second, that this one lives and what it waited for last, by a
/// datagram of UDP; so a rank has one to listen to. Who hears nothing for timeout_s tells all. A listener that stood
/// still itself (the whole job was suspended) counts the time as two beats, and who was never heard is never judged.
/// On one machine only the loopback device is used.
namespace atl {

/// A rank has not answered for Plan::timeout_seconds: every rank that waits throws it, with the same text.
class SilentRank : public TransportError {
 public:
  SilentRank(Rank rank, const std::string& text) : TransportError(text), rank(rank) {}
  Rank rank;
};

class Pulse {
 public:
  struct Options {
    double timeout_s;  ///< of silence end the job; 0: none do
    double warn_s;     ///< of silence are reported
    Log alarm;         ///< by the one rank that listens; called by a thread of its own
  };

  /// Collective over the bootstrap, whatever the options.
  Pulse(Bootstrap& job, Options options);
  ~Pulse();
  Pulse(const Pulse&) = delete;
  Pulse& operator=(const Pulse&) = delete;

  /// Any thread.
  void note(std::string_view operation) noexcept;
  void check() const;

 private:
  struct Peer {
    int pid = 0;
    std::string host;
    std::vector<sockaddr_in> addresses;
  };
  struct Word;

  void run();
  void beat();
  void hear();
  void judge();
  void conclude(Rank rank, double seconds, const char* operation);
  std::string describe(Rank rank, double seconds, const char* operation) const;
  void tell(const Peer& peer, const Word& word) const;

  static constexpr std::size_t kTextBytes = 64;

  const Options options_;
  const Rank rank_, size_;
  const double beat_s_;
  std::uint64_t secret_ = 0;  // of the job: what comes without it is a stranger's
  std::vector<Peer> peers_;   // [rank]
  int socket_ = -1, stop_ = -1;

  mutable SpinLock lock_;
  char operation_[kTextBytes] = "";   // under lock_
  std::optional<SilentRank> silent_;  // under lock_
  std::atomic<bool> concluded_{false};

  // Of the thread.
  double silence_s_ = 0;
  bool heard_ = false, warned_ = false, told_by_me_ = false;
  char last_heard_[kTextBytes] = "";
  std::thread thread_;
};

}  // namespace atl
