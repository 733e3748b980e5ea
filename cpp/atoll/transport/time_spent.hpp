// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace atl {

/// Where a rank's time went; the four add up to its clock.
///
/// In virtual time waiting for a message counts as communication from the moment on that it was sent, before that as a
/// stall. On a real machine nobody knows when it was sent: there a wait counts as communication over the level of the
/// packet that ends it, and as a stall where it is for room to send, or no packet ends it.
struct TimeSpent {
  double compute = 0;
  double intra = 0;  ///< communication inside a leaf domain
  double inter = 0;  ///< across walls
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
