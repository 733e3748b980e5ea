// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>

namespace atl {

/// Told how far a long computation has come, by the main thread of each rank: what is done, and how much there is; 0 if
/// that is not known. It must not throw past a collective, nor take long. Empty: nobody listens.
using Progress = std::function<void(std::int64_t done, std::int64_t all)>;

inline void report_progress(const Progress& progress, std::int64_t done, std::int64_t all) {
  if (progress) progress(done, all);
}

}  // namespace atl
