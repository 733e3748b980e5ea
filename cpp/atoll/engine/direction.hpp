// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace atl {

/// Which end of an edge looks at it in a round: the source gives (push), or the target asks (pull).
enum class Direction { automatic, push, pull };

}  // namespace atl
