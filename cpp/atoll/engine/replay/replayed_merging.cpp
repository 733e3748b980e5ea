// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/replay/replayed_records.hpp>

namespace atl {
namespace {

struct KeyInRecord {
  template <std::size_t Bytes>
  std::uint64_t operator()(const ReplayedRecord<Bytes>& record) const {
    return value_in<std::uint64_t>(record);
  }
};

// Which of two records is left does not matter: both have the key and nothing else.
struct KeepFirstRecord {
  template <std::size_t Bytes>
  void operator()(ReplayedRecord<Bytes>& /*into*/, const ReplayedRecord<Bytes>& /*from*/) const {}
};

}  // namespace

std::unique_ptr<ReplayedMailbox> open_merging(World& world, const KeptMailbox& mailbox) {
  using Merging = Merge<KeyInRecord, KeepFirstRecord>;
  std::unique_ptr<ReplayedMailbox> box;
  with_size(MergingSizes(), mailbox.record_bytes, [&](auto size) {
    box = std::make_unique<ReplayedBox<size(), IgnoreRecords, Merging>>(world, mailbox, Merging{{}, {}});
  });
  return box;
}

}  // namespace atl
