// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace atl {

/// Where a rank's time went; the four parts add up to its clock.
///
/// In virtual time, waiting for a message counts as communication from the moment when it was sent, and before that as
/// a stall. On a real machine the moment of sending is unknown: a wait counts as communication over the level of the
/// packet that ends it, and as a stall if it waits for a slot to send, or if no packet ends it.
struct TimeSpent {
  double compute = 0;
  double intra = 0;  ///< communication inside a leaf domain
  double inter = 0;  ///< communication between leaf domains
  double stall = 0;
  double seconds() const { return compute + intra + inter + stall; }
  TimeSpent& operator+=(const TimeSpent& other) {
    compute += other.compute;
    intra += other.intra;
    inter += other.inter;
    stall += other.stall;
    return *this;
  }
  TimeSpent operator-(const TimeSpent& other) const {
    return {compute - other.compute, intra - other.intra, inter - other.inter, stall - other.stall};
  }
};

}  // namespace atl
