// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/traffic/kept_step.hpp>

/// The numbers of kept steps, for who writes and who reads them.
namespace atl {

inline constexpr std::size_t kStepKinds = static_cast<std::size_t>(StepKind::alltoallv) + 1;
inline constexpr std::size_t kMostStepNumbers = 5;

/// How many numbers stand behind a kind.
constexpr std::size_t numbers_of(StepKind kind) {
  switch (kind) {
    case StepKind::end_trial:
    case StepKind::exchange_bytes:
    case StepKind::exchange_lengths:
      return 0;
    case StepKind::begin_trial:
    case StepKind::close_mailbox:
    case StepKind::close_alltoallv:
    case StepKind::note_outcome:
    case StepKind::fold:
    case StepKind::all_gather:
    case StepKind::all_gather_varying:
      return 1;
    case StepKind::open_alltoallv:
    case StepKind::broadcast:
    case StepKind::alltoallv:
      return 2;
    case StepKind::drain:
    case StepKind::send:
    case StepKind::receive:
      return 3;
    case StepKind::open_mailbox:
    case StepKind::expect:
      return 4;
    case StepKind::expect_between:
      return 5;
  }
  return 0;
}

}  // namespace atl
