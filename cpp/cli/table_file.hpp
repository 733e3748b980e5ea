// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <functional>
#include <string>

/// Results as tables of Parquet and Arrow. Libraries of Python write those (atoll-table), from a table as text that is
/// written beside it first.
namespace atl::cli {

/// Whether a path has one of their endings: .parquet, .feather, .arrow.
bool is_table_path(const std::string& path);

/// Before a long computation: UsageError, the same on all ranks, where it could not be written. Collective.
void check_table_path(World& world, const std::string& path);

/// write(path of a .csv beside it) writes the text; then rank 0 makes the table of it, whose columns have these names, and removes it.
/// IoError, the same on all ranks, if that fails. Collective.
void write_as_table(World& world, const std::string& path, const std::string& columns,
                    const std::function<void(const std::string&)>& write);

}  // namespace atl::cli
