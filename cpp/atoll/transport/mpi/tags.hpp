// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace atl::mpi {

/// Tags on the layers' communicator; puts use those from kFirstPutTag on.
inline constexpr int kBulkTag = 0, kMessageTag = 1, kControlTag = 2, kNoticeTag = 3, kFirstPutTag = 16;

}  // namespace atl::mpi
