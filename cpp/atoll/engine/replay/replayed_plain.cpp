// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/replay/replayed_records.hpp>

namespace atl {

std::unique_ptr<ReplayedMailbox> open_plain(World& world, const KeptMailbox& mailbox) {
  std::unique_ptr<ReplayedMailbox> box;
  with_size(PlainSizes(), mailbox.record_bytes, [&](auto size) {
    if (mailbox.joins == KeptMailbox::Joins::asking) {
      box = std::make_unique<ReplayedBox<size(), IgnoreRecordsOfSender>>(world, mailbox);
    } else {
      box = std::make_unique<ReplayedBox<size(), IgnoreRecords>>(world, mailbox);
    }
  });
  return box;
}

}  // namespace atl
