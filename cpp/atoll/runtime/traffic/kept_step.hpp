// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

/// The steps of a rank that its TrafficLog keeps, marked where they are taken.
///
///     const KeptStep step(log, StepKind::fold, sizeof(T));   // log may be null: then it costs one comparison
namespace atl {

class TrafficLog;

/// The numbers of a kind stand behind it, and after a bar the list that follows them.
enum class StepKind : std::uint8_t {
  open_mailbox,     ///< number, bytes of a record, KeptMailbox::Joins, flags of KeptMailbox
  close_mailbox,    ///< number
  open_alltoallv,   ///< number, capacity | [rank] items to, then [rank] items from
  close_alltoallv,  ///< number
  begin_trial,      ///< whether the run times it
  end_trial,
  expect,              ///< mailbox, records, keys, whether the ranks agree apart (doubles by their bits)
  expect_between,      ///< mailbox, least records, most records, keys, whether the ranks agree apart
  note_outcome,        ///< mailbox
  drain,               ///< mailbox, whether sums are added up, records | runs of records: to, length, keys if any
  fold,                ///< bytes of a value
  all_gather,          ///< bytes of a value
  all_gather_varying,  ///< bytes of this rank's list
  broadcast,           ///< bytes, root
  exchange_bytes,      ///< | [rank] bytes to it
  exchange_lengths,
  send,       ///< to, tag, bytes
  receive,    ///< from, tag, bytes
  alltoallv,  ///< number, parts | for each part in the order of their sending: to, bytes
};

/// Keeps a step from its construction on, and nothing of what the step does in turn: how a sum is made is for the
/// machine that resends it. The rank's main thread.
class KeptStep {
 public:
  KeptStep(TrafficLog* log, StepKind kind, std::uint64_t a = 0, std::uint64_t b = 0, std::uint64_t c = 0) : log_(log) {
    if (log_) [[unlikely]]
      begin(kind, a, b, c);
  }
  /// An exchange of bytes, by target.
  KeptStep(TrafficLog* log, const std::vector<std::span<const std::byte>>& outgoing) : log_(log) {
    if (log_) [[unlikely]]
      begin(outgoing);
  }
  ~KeptStep() {
    if (log_) [[unlikely]]
      end();
  }
  KeptStep(const KeptStep&) = delete;
  KeptStep& operator=(const KeptStep&) = delete;

 private:
  void begin(StepKind kind, std::uint64_t a, std::uint64_t b, std::uint64_t c);
  void begin(const std::vector<std::span<const std::byte>>& outgoing);
  void end();

  TrafficLog* const log_;
};

}  // namespace atl
