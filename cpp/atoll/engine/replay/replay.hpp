// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/neighbor_alltoallv.hpp>
#include <atoll/engine/replay/replayed_mailbox.hpp>
#include <map>
#include <set>
#include <string>
#include <vector>

/// Traffic that a run kept, and a program that sends it again, without the graph: over another route, machine, order of
/// ranks or number of monitors.
///
///     keep_traffic(world);                            // before the algorithm's classes are made
///     trials.time([&] { bfs.run(source, found); });   // between TrafficLog::begin_trial() and end_trial()
///     save_traffic(world, "bfs.traffic", "bfs kron:12");
///
///     Replay replay(world, "bfs.traffic");            // in another job with as many ranks
///     while (replay.next()) trials.time([&] { replay.run(); });
///
/// Each rank sends, step by step, what its counterpart sent: the records of each drain to the same ranks with the same
/// keys, its messages, and its part in each collective. How records travel, where they merge, how an exchange and a
/// reduction end is up to the World that resends them. All of a drain's records are sent just before it, those of handlers
/// too. What the algorithm would have decided otherwise is not in it: see docs/routes.md.
namespace atl {

/// All ranks together keep up to so many bytes, each an equal part.
inline constexpr std::size_t kMostKeptBytes = std::size_t{1} << 30;

void keep_traffic(World& world);
/// Collective. Throws InputError where a rank's traffic was more than its part, or cannot be replayed, IoError where the
/// path cannot be written.
void save_traffic(World& world, const std::string& path, const std::string& about);

struct ReplayOptions {
  double computation = 0;  ///< times the kept seconds of computation that pass in virtual time
};

class Replay {
 public:
  /// Collective. Every rank throws InputError if the file is none, is damaged or is that of another number of ranks; or was
  /// kept on direct and the World's route is another one.
  Replay(World& world, const std::string& path, ReplayOptions options = {});
  Replay(const Replay&) = delete;
  Replay& operator=(const Replay&) = delete;

  const std::string& about() const { return about_; }
  const std::string& kept_route() const { return route_; }
  int trials() const { return trials_; }  ///< timed ones
  /// Goes to the begin of the next timed trial, and warms up where the run did; false if there is none left. Collective.
  bool next();
  /// Sends that trial. Collective.
  void run();

 private:
  struct Alltoallv {
    NeighborAlltoallv exchange;
    std::size_t capacity;
    std::vector<std::size_t> items_to;
  };

  void load(const std::string& path);
  void check_steps(const std::string& path) const;
  void check_alike(const std::string& path);
  void check_messages(const std::string& path);
  void plan_lengths();
  void make_domains();
  void take(std::size_t number);
  void open(const TrafficStep& step);
  void exchange_bytes(std::size_t number);
  void exchange_parts(const TrafficStep& step);

  World& world_;
  const ReplayOptions options_;
  std::string about_, route_;
  int trials_ = 0;
  std::vector<TrafficStep> steps_;
  std::size_t at_ = 0;                                 // the next step
  std::set<std::uint64_t> used_;                       // mailboxes that trials use
  std::map<std::size_t, std::vector<Edge>> incoming_;  // [number of the step][rank] bytes from it
  std::map<std::uint64_t, std::unique_ptr<DomainMirrors>>
      domains_;  // of multicasting mailboxes, where one record tells all
  std::map<std::uint64_t, std::unique_ptr<ReplayedMailbox>> mailboxes_;
  std::map<std::uint64_t, std::unique_ptr<Alltoallv>> alltoallvs_;
  std::vector<std::byte> outgoing_bytes_, incoming_bytes_;  // that no one reads
};

}  // namespace atl
