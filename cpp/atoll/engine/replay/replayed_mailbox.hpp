// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/engine/halo/domain_mirrors.hpp>
#include <atoll/runtime/routes/route_model.hpp>
#include <atoll/runtime/traffic/traffic_file.hpp>
#include <memory>

namespace atl {

/// A mailbox whose records have the sizes and keys of kept ones and nothing else in them. It is an ordinary one inside: it
/// merges, multicasts, chooses routes and ends exchanges as that of the run would on this machine.
///
///     check_replayable(mailbox, path);
///     const auto box = open_replayed(world, mailbox, nullptr);   // collective by order
///     box->expect({.records = 1000});
///     box->drain(step);                                          // sends the step's records first
class ReplayedMailbox {
 public:
  virtual ~ReplayedMailbox() = default;
  virtual void expect(const Exchange& exchange) = 0;
  virtual void expect_between(const Exchange& least, const Exchange& most) = 0;
  virtual void note_outcome() = 0;
  virtual void drain(const TrafficStep& step) = 0;
};

/// `domains`: of a multicasting one, the ranks that its values are for, where the route has one record tell a domain; else
/// null. It outlives the mailbox.
std::unique_ptr<ReplayedMailbox> open_replayed(World& world, const KeptMailbox& mailbox, const DomainMirrors* domains);

/// Throws InputError if there is no replayed mailbox for such records.
void check_replayable(const KeptMailbox& mailbox, const std::string& path);

}  // namespace atl
