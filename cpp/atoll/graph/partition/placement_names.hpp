// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/graph/partition/partition.hpp>

namespace atl {

/// The values of --partition, in the command and in Python: partitions, then cuts over balanced owners, then "auto", the
/// cut that moves least.
std::vector<std::string> every_placement();
/// UsageError that lists the partitions.
PartitionOptions placement_named(std::string_view name);
/// "edge", or as every_placement() names it.
std::string name_of(Cut cut);

}  // namespace atl
