// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace atl {

/// Where a rank's time went; the parts add up to its clock.
///
/// In virtual time, waiting for a message counts as communication from the moment when it was sent, and before that as
/// a stall. On a real machine the moment of sending is unknown: a wait counts as communication over the level of the
/// packet that ends it, and as a stall if it waits for a slot to send, or if no packet ends it.
///
/// The time of a rank's records (RecordCosts) is part of what a real machine computes; only a virtual clock knows it
/// apart.
struct TimeSpent {
  double compute = 0;
  double intra = 0;  ///< communication inside a leaf domain
  double inter = 0;  ///< communication between leaf domains
  double stall = 0;
  double copying = 0, appending = 0, merging = 0, handling = 0;  ///< of records, in virtual time
  double of_records() const { return copying + appending + merging + handling; }
  double seconds() const { return compute + intra + inter + stall + of_records(); }
  TimeSpent& operator+=(const TimeSpent& other) {
    compute += other.compute;
    intra += other.intra;
    inter += other.inter;
    stall += other.stall;
    copying += other.copying;
    appending += other.appending;
    merging += other.merging;
    handling += other.handling;
    return *this;
  }
  TimeSpent operator-(const TimeSpent& other) const {
    return {compute - other.compute, intra - other.intra,         inter - other.inter,     stall - other.stall,
            copying - other.copying, appending - other.appending, merging - other.merging, handling - other.handling};
  }
  /// The seconds by part; those of records only if there are any.
  nlohmann::json to_json() const;
};

}  // namespace atl
