// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <atoll/runtime/routes/route_model.hpp>
#include <atoll/runtime/traffic/step_numbers.hpp>
#include <atoll/runtime/traffic/traffic_log.hpp>
#include <atoll/runtime/traffic/varint.hpp>
#include <bit>
#include <cmath>
#include <mutex>
#include <utility>

namespace atl {
namespace {

std::uint64_t bits_of(double number) { return std::bit_cast<std::uint64_t>(number); }

}  // namespace

void KeptStep::begin(StepKind kind, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
  if (log_->keeps_steps()) log_->put(kind, std::array{a, b, c});
  log_->enter();
}

void KeptStep::begin(const std::vector<std::span<const std::byte>>& outgoing) {
  if (log_->keeps_steps()) {
    std::vector<std::byte> lengths;
    for (const auto& part : outgoing) put_varint(lengths, part.size());
    log_->put(StepKind::exchange_bytes, {}, lengths);
  }
  log_->enter();
}

void KeptStep::end() { log_->leave(); }

TrafficLog::TrafficLog(std::function<double()> computed, std::size_t most_bytes)
    : computed_(std::move(computed)), most_bytes_(most_bytes) {}

bool TrafficLog::has_room(std::size_t bytes) {
  full_ = full_ || bytes > most_bytes_ - std::min(most_bytes_, bytes_.size());
  return !full_;
}

void TrafficLog::put(StepKind kind, std::span<const std::uint64_t> numbers, std::span<const std::byte> list) {
  constexpr std::size_t kMostOfNumber = 10;
  if (!has_room((numbers.size() + 2) * kMostOfNumber + list.size())) return;
  bytes_.push_back(static_cast<std::byte>(kind));
  const double computed = computed_();
  const double nanoseconds = in_trial_ ? std::max(0.0, (computed - noted_computed_) * 1e9) : 0;
  noted_computed_ = computed;
  put_varint(bytes_, static_cast<std::uint64_t>(std::llround(nanoseconds)));
  const std::size_t count = numbers_of(kind);
  for (std::size_t k = 0; k < count; ++k) put_varint(bytes_, numbers[k]);
  bytes_.insert(bytes_.end(), list.begin(), list.end());
}

void TrafficLog::begin_trial(Trial trial) {
  const bool timed = trial == Trial::is_timed;
  put(StepKind::begin_trial, std::array{std::uint64_t{timed}});
  in_trial_ = true;
  trials_ += timed;
}

void TrafficLog::end_trial() {
  put(StepKind::end_trial, {});
  in_trial_ = false;
}

MailboxLog::MailboxLog(TrafficLog& log, std::size_t threads, const KeptMailbox& mailbox)
    : log_(log), mailbox_(mailbox), number_(log.next_number_++), threads_(threads) {
  const std::uint64_t flags = (mailbox.handler_sends ? 1 : 0) | (mailbox.handler_is_slow ? 2 : 0);
  log_.put(StepKind::open_mailbox, std::array{number_, static_cast<std::uint64_t>(mailbox.record_bytes),
                                              static_cast<std::uint64_t>(mailbox.joins), flags});
}

MailboxLog::~MailboxLog() { log_.put(StepKind::close_mailbox, std::array{number_}); }

void MailboxLog::end_run(Thread& thread) const {
  if (thread.length == 0) return;
  put_varint(thread.runs, static_cast<std::uint64_t>(thread.to));
  put_varint(thread.runs, thread.length);
  for (const std::uint64_t key : thread.keys) put_varint(thread.runs, key);
  thread.keys.clear();
  thread.length = 0;
}

void MailboxLog::add(std::size_t thread, Rank to, std::uint64_t key) {
  Thread& mine = threads_[thread];
  if (mine.to != to || mine.length == kLongestKeptRun) {
    end_run(mine);
    mine.full = mine.full || mine.runs.size() > log_.most_bytes();
    mine.to = to;
  }
  if (mine.full) return;
  ++mine.length;
  ++mine.records;
  if (mailbox_.has_keys()) mine.keys.push_back(key);
}

void MailboxLog::expect(const Exchange& exchange) {
  if (log_.keeps_steps())
    log_.put(StepKind::expect, std::array{number_, bits_of(exchange.records), bits_of(exchange.keys),
                                          static_cast<std::uint64_t>(exchange.agrees_apart)});
}

void MailboxLog::expect_between(const Exchange& least, const Exchange& most) {
  if (log_.keeps_steps())
    log_.put(StepKind::expect_between, std::array{number_, bits_of(least.records), bits_of(most.records),
                                                  bits_of(least.keys), static_cast<std::uint64_t>(least.agrees_apart)});
}

void MailboxLog::note_outcome() {
  if (log_.keeps_steps()) log_.put(StepKind::note_outcome, std::array{number_});
}

void MailboxLog::end_drain(bool with_sums) {
  log_.leave();
  std::uint64_t records = 0;
  std::vector<std::byte> runs;
  for (Thread& thread : threads_) {
    end_run(thread);
    records += thread.records;
    if (thread.full) log_.full_ = true;
    runs.insert(runs.end(), thread.runs.begin(), thread.runs.end());
    thread.runs.clear();
    thread.records = 0;
    thread.to = -1;
    thread.full = false;
  }
  if (!log_.keeps_steps()) return;
  log_.put(StepKind::drain, std::array{number_, static_cast<std::uint64_t>(with_sums), records}, runs);
  if (std::ranges::find(log_.drained_, mailbox_) == log_.drained_.end()) log_.drained_.push_back(mailbox_);
}

AlltoallvLog::AlltoallvLog(TrafficLog& log, std::size_t capacity, std::span<const std::size_t> items_to,
                           std::span<const std::size_t> items_from)
    : log_(log), number_(log.next_number_++) {
  std::vector<std::byte> items;
  for (const std::size_t n : items_to) put_varint(items, n);
  for (const std::size_t n : items_from) put_varint(items, n);
  log_.put(StepKind::open_alltoallv, std::array{number_, static_cast<std::uint64_t>(capacity)}, items);
}

AlltoallvLog::~AlltoallvLog() { log_.put(StepKind::close_alltoallv, std::array{number_}); }

void AlltoallvLog::add(Rank to, std::size_t bytes) {
  std::lock_guard hold(lock_);
  put_varint(parts_, static_cast<std::uint64_t>(to));
  put_varint(parts_, bytes);
  ++part_count_;
}

void AlltoallvLog::end_round() {
  log_.leave();
  std::vector<std::byte> parts;
  std::uint64_t count = 0;
  {
    std::lock_guard hold(lock_);
    parts.swap(parts_);
    count = std::exchange(part_count_, 0);
  }
  if (log_.keeps_steps()) log_.put(StepKind::alltoallv, std::array{number_, count}, parts);
}

}  // namespace atl
