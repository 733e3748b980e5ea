// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/parallel.hpp>
#include <atoll/base/types.hpp>
#include <atoll/runtime/traffic/kept_step.hpp>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <vector>

/// The traffic of one rank where it arises: the records that it sends, before any route carries them, and the
/// collectives between. A replay resends them over another route or machine (engine/replay).
///
///     world.keep_traffic(most_bytes);                     // before mailboxes are made
///     world.traffic()->begin_trial(); ... world.traffic()->end_trial();
///     world.traffic()->bytes();                           // the steps; read_steps() reads them
///
/// A mailbox has a MailboxLog, a NeighborAlltoallv an AlltoallvLog, and collectives have KeptSteps. Steps are in the
/// order in which the rank took them; those of all ranks are alike but for what each rank sends.
namespace atl {

struct Exchange;

/// The most records that a kept run holds, so that a reader knows how much memory a run may take.
inline constexpr std::uint64_t kLongestKeptRun = 4096;

/// A mailbox, as one that resends its records has to be.
struct KeptMailbox {
  /// plain: records stay apart; merging: those of one target and key become one; multicasting: one record tells all
  /// ranks of a domain, by a key that names the value; asking: the handler asks who sent a record, so it takes one hop.
  enum class Joins : std::uint8_t { plain, merging, multicasting, asking };
  std::size_t record_bytes = 0;
  Joins joins = Joins::plain;
  bool handler_sends = false, handler_is_slow = false;

  bool has_keys() const { return joins == Joins::merging || joins == Joins::multicasting; }
  bool operator==(const KeptMailbox&) const = default;
};

class TrafficLog {
 public:
  /// computed(): the seconds that the rank has computed so far. The log holds up to `most_bytes` and drops what is more.
  TrafficLog(std::function<double()> computed, std::size_t most_bytes);
  TrafficLog(const TrafficLog&) = delete;
  TrafficLog& operator=(const TrafficLog&) = delete;

  /// The log keeps what is sent between the two. A run that warms up does so in a trial that is not timed: later ones
  /// find its routes and buffers.
  enum class Trial : bool { warms_up, is_timed };
  void begin_trial(Trial trial = Trial::is_timed);
  void end_trial();
  bool in_trial() const { return in_trial_; }
  int trials() const { return trials_; }  ///< timed ones

  const std::vector<std::byte>& bytes() const { return bytes_; }
  std::size_t most_bytes() const { return most_bytes_; }
  /// The kinds of mailboxes that were drained in trials.
  const std::vector<KeptMailbox>& drained() const { return drained_; }
  /// Whether something was dropped.
  bool is_full() const { return full_; }

 private:
  friend class KeptStep;
  friend class MailboxLog;
  friend class AlltoallvLog;

  // Writes one step; of steps that are taken inside another, and outside trials, only those that open or close.
  void put(StepKind kind, std::span<const std::uint64_t> numbers, std::span<const std::byte> list = {});
  void enter() { ++depth_; }
  void leave() { --depth_; }
  bool keeps_steps() const { return in_trial_ && depth_ == 0; }
  bool has_room(std::size_t bytes);

  const std::function<double()> computed_;
  const std::size_t most_bytes_;
  std::vector<std::byte> bytes_;
  std::vector<KeptMailbox> drained_;
  double noted_computed_ = 0;  // at the last step
  int depth_ = 0;              // steps on the stack
  int trials_ = 0;
  std::uint64_t next_number_ = 0;  // of a mailbox or NeighborAlltoallv
  bool in_trial_ = false, full_ = false;
};

/// Keeps what one mailbox sends. add() may be called by any thread for its own number, the rest by the main thread.
class MailboxLog {
 public:
  MailboxLog(TrafficLog& log, std::size_t threads, const KeptMailbox& mailbox);
  ~MailboxLog();
  MailboxLog(const MailboxLog&) = delete;
  MailboxLog& operator=(const MailboxLog&) = delete;

  /// Whether records that are sent now are kept.
  bool is_open() const { return log_.in_trial(); }
  void add(std::size_t thread, Rank to, std::uint64_t key = 0);
  void expect(const Exchange& exchange);
  void expect_between(const Exchange& least, const Exchange& most);
  void note_outcome();

  /// Keeps no steps while it lives: those that a mailbox takes to open and to find its route.
  class Inside {
   public:
    explicit Inside(MailboxLog* mailbox) : mailbox_(mailbox) {
      if (mailbox_) [[unlikely]]
        mailbox_->log_.enter();
    }
    ~Inside() {
      if (mailbox_) [[unlikely]]
        mailbox_->log_.leave();
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;

   private:
    MailboxLog* const mailbox_;
  };

  /// One drain: at its end all that was added belongs to it, also what handlers sent meanwhile.
  class Drain {
   public:
    Drain(MailboxLog* mailbox, bool with_sums) : mailbox_(mailbox), with_sums_(with_sums) {
      if (mailbox_) [[unlikely]]
        mailbox_->log_.enter();
    }
    ~Drain() {
      if (mailbox_) [[unlikely]]
        mailbox_->end_drain(with_sums_);
    }
    Drain(const Drain&) = delete;
    Drain& operator=(const Drain&) = delete;

   private:
    MailboxLog* const mailbox_;
    const bool with_sums_;
  };

 private:
  // Records of one thread: runs of (target, number, keys).
  struct alignas(128) Thread {
    std::vector<std::byte> runs;
    std::vector<std::uint64_t> keys;  // of the run that is not in `runs` yet
    std::uint64_t length = 0;         // of that run
    Rank to = -1;
    std::uint64_t records = 0;
    bool full = false;
  };
  void end_run(Thread& thread) const;
  void end_drain(bool with_sums);

  TrafficLog& log_;
  const KeptMailbox mailbox_;
  const std::uint64_t number_;
  std::vector<Thread> threads_;
};

/// Keeps the parts that one NeighborAlltoallv sends. add() may be called by any thread.
class AlltoallvLog {
 public:
  AlltoallvLog(TrafficLog& log, std::size_t capacity, std::span<const std::size_t> items_to,
               std::span<const std::size_t> items_from);
  ~AlltoallvLog();
  AlltoallvLog(const AlltoallvLog&) = delete;
  AlltoallvLog& operator=(const AlltoallvLog&) = delete;

  void add(Rank to, std::size_t bytes);

  class Round {
   public:
    explicit Round(AlltoallvLog* alltoallv) : alltoallv_(alltoallv) {
      if (alltoallv_) [[unlikely]]
        alltoallv_->log_.enter();
    }
    ~Round() {
      if (alltoallv_) [[unlikely]]
        alltoallv_->end_round();
    }
    Round(const Round&) = delete;
    Round& operator=(const Round&) = delete;

   private:
    AlltoallvLog* const alltoallv_;
  };

 private:
  void end_round();

  TrafficLog& log_;
  const std::uint64_t number_;
  SpinLock lock_;
  std::vector<std::byte> parts_;  // to, bytes
  std::uint64_t part_count_ = 0;
};

}  // namespace atl
