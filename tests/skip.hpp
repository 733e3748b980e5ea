// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// For a case that cannot run here, before it returns: says why, and keeps it from counting as passed. A run whose cases
/// all skip leaves with CTest's word for that.
///
///     if (path.empty()) return skip("no roads.gr (ATOLL_DATA names its folder)");
void skip(const std::string& why);
