// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atoll/engine/replay/replayed_mailbox.hpp>
#include <atoll/runtime/aggregation/mailbox.hpp>
#include <cstring>
#include <utility>

/// Mailboxes for records of each size, for the sources that instantiate them: a size costs seconds of compiling.
namespace atl {

template <std::size_t Bytes>
struct ReplayedRecord {
  std::array<std::byte, Bytes> bytes;
};

/// A record that begins with this value, cut where it is longer, and has zeros behind it.
template <std::size_t Bytes, class Value>
ReplayedRecord<Bytes> record_with(Value value) {
  ReplayedRecord<Bytes> record{};
  std::memcpy(record.bytes.data(), &value, std::min(sizeof value, Bytes));
  return record;
}

template <class Value, std::size_t Bytes>
Value value_in(const ReplayedRecord<Bytes>& record) {
  Value value{};
  std::memcpy(&value, record.bytes.data(), std::min(sizeof value, Bytes));
  return value;
}

struct IgnoreRecords {
  template <std::size_t Bytes>
  void operator()(std::span<const ReplayedRecord<Bytes>> /*records*/) const {}
};

/// A handler that asks for the sender, so that its records take one hop.
struct IgnoreRecordsOfSender {
  template <std::size_t Bytes>
  void operator()(Rank /*from*/, std::span<const ReplayedRecord<Bytes>> /*records*/) const {}
};

inline MailboxOptions options_of(const KeptMailbox& mailbox) {
  return {.handling = Handling::parallel,
          .handler_sends = mailbox.handler_sends,
          .handler_is_slow = mailbox.handler_is_slow};
}

/// One whose records stay apart, or merge by their keys.
template <std::size_t Bytes, class Handler, class Merging = NoMerge>
class ReplayedBox : public ReplayedMailbox {
 public:
  using Record = ReplayedRecord<Bytes>;

  ReplayedBox(World& world, const KeptMailbox& mailbox, Merging merging = {})
      : box_(world, of_records<Record>(Handler{}, std::move(merging)), options_of(mailbox)) {}

  void expect(const Exchange& exchange) override { box_.expect(exchange); }
  void expect_between(const Exchange& least, const Exchange& most) override { box_.expect_between(least, most); }
  void note_outcome() override { box_.note_outcome(); }
  void drain(const TrafficStep& step) override {
    auto buffers = box_.send_buffers();
    const bool has_keys = !step.keys.empty();
    for (std::size_t i = 0; i < step.to.size(); ++i)
      buffers.send(step.to[i], record_with<Bytes>(has_keys ? step.keys[i] : std::uint64_t{0}));
    finish(step);
  }

 protected:
  void finish(const TrafficStep& step) {
    if (step.numbers[1] != 0) {
      box_.drain(DrainSums{});
    } else {
      box_.drain();
    }
  }

  Mailbox<Record, Handler, Merging> box_;
};

/// Calls f(std::integral_constant<std::size_t, N>) for the N among Sizes that `bytes` is; false if there is none.
template <std::size_t... Sizes, class F>
bool with_size(std::index_sequence<Sizes...>, std::size_t bytes, F&& f) {
  return ((bytes == Sizes && (f(std::integral_constant<std::size_t, Sizes>{}), true)) || ...);
}

/// The sizes of the records that the library's algorithms send.
using PlainSizes = std::index_sequence<4, 8, 12, 16, 20, 24>;
using MergingSizes = std::index_sequence<8, 12, 16, 20, 24>;
using MulticastingSizes = std::index_sequence<8, 12>;

std::unique_ptr<ReplayedMailbox> open_plain(World& world, const KeptMailbox& mailbox);
std::unique_ptr<ReplayedMailbox> open_merging(World& world, const KeptMailbox& mailbox);
std::unique_ptr<ReplayedMailbox> open_multicasting(World& world, const KeptMailbox& mailbox,
                                                   const DomainMirrors* domains);

}  // namespace atl
