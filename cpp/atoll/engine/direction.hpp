// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace atl {

/// Direction of a round: the source of an edge writes to the target (push), or the target reads the source (pull).
enum class Direction { automatic, push, pull };

}  // namespace atl
