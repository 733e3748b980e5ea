// SPDX-License-Identifier: Apache-2.0
#include <atoll/engine/replay/replayed_records.hpp>

namespace atl {

std::unique_ptr<ReplayedMailbox> open_replayed(World& world, const KeptMailbox& mailbox, const DomainMirrors* domains) {
  switch (mailbox.joins) {
    case KeptMailbox::Joins::merging:
      return open_merging(world, mailbox);
    case KeptMailbox::Joins::multicasting:
      return open_multicasting(world, mailbox, domains);
    default:
      return open_plain(world, mailbox);
  }
}

void check_replayable(const KeptMailbox& mailbox, const std::string& path) {
  const auto nothing = [](auto) {};
  const bool known = mailbox.joins == KeptMailbox::Joins::merging
                         ? with_size(MergingSizes(), mailbox.record_bytes, nothing)
                     : mailbox.joins == KeptMailbox::Joins::multicasting
                         ? with_size(MulticastingSizes(), mailbox.record_bytes, nothing)
                         : with_size(PlainSizes(), mailbox.record_bytes, nothing);
  check(
      known,
      "{}: has records of {} bytes (a replay has those of 8 or 12 bytes, and of 16, 20 and 24 where they do not go to "
      "many ranks). Keep another algorithm's traffic.",
      path, mailbox.record_bytes);
}

}  // namespace atl
