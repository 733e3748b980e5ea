// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

namespace atl {

/// The time that a rank's processor takes for records between a program and the network, in seconds. All are 0 unless a
/// platform says otherwise: then records cost only what their messages cost.
///
///     Machine machine = Cost::paper(3);
///     machine.records = {.copied_byte_s = 1e-10, .appended_record_s = 3e-9};
struct RecordCosts {
  double copied_byte_s = 0;  ///< of a byte that is copied into a send buffer or a slot, or is kept for later
  /// A record put into the send buffer of its next hop, by its sender or by a rank that forwards it; its bytes count
  /// beside.
  double appended_record_s = 0;
  double merged_record_s = 0;   ///< of a record looked up among those of its send buffer, whether it merges or not
  double handled_record_s = 0;  ///< of a record that its handler gets

  bool is_none() const {
    return copied_byte_s == 0 && appended_record_s == 0 && merged_record_s == 0 && handled_record_s == 0;
  }
  nlohmann::json to_json() const;
  /// Throws InputError for a field that is unknown or no time.
  static RecordCosts from_json(const nlohmann::json& j);
};

}  // namespace atl
