// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <cstddef>

namespace atl {

/// Advances a virtual clock by what this rank does with records, at the rates of its machine (RecordCosts). Mailboxes
/// charge for whole packets and send buffers; on a real machine each charge is one branch.
///
///     charges.append(n, n * sizeof(R));          // before the packet leaves, so that it leaves later
class RecordCharges {
 public:
  explicit RecordCharges(World& world)
      : fabric_(world.fabric()),
        costs_(world.machine().records),
        is_on_(world.fabric().is_virtual() && !costs_.is_none()) {}

  bool is_on() const { return is_on_; }
  void copy(std::size_t bytes) const { charge(bytes, costs_.copied_byte_s, &TimeSpent::copying); }
  /// Records put into send buffers, and their bytes there.
  void append(std::size_t records, std::size_t bytes) const {
    charge(records, costs_.appended_record_s, &TimeSpent::appending);
    copy(bytes);
  }
  void merge(std::size_t records) const { charge(records, costs_.merged_record_s, &TimeSpent::merging); }
  void handle(std::size_t records) const { charge(records, costs_.handled_record_s, &TimeSpent::handling); }

 private:
  void charge(std::size_t times, double seconds, double TimeSpent::*part) const {
    if (is_on_) [[unlikely]]
      fabric_.spend(static_cast<double>(times) * seconds, part);
  }

  Fabric& fabric_;
  const RecordCosts costs_;
  const bool is_on_;
};

}  // namespace atl
