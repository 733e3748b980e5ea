// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

/// For a test case that cannot run here: prints the reason, and keeps the case from counting as passed; the caller then
/// returns. A run whose cases all skip exits with CTest's skip code.
///
///     if (path.empty()) return skip("no roads.gr (ATOLL_DATA names its folder)");
void skip(const std::string& why);
