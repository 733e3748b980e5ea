// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/transport/ofi/libfabric.hpp>
#include <atoll/transport/ofi_fabric.hpp>

namespace atl::ofi {

/// Makes a fabric over the provider `info`, the same on all ranks; `nodes`: the node of each rank. Collective.
std::unique_ptr<OfiFabric> make_rdm_fabric(const OfiOptions& options, std::shared_ptr<Bootstrap> bootstrap, Info info,
                                           std::vector<int> nodes);

}  // namespace atl::ofi
