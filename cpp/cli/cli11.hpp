// SPDX-License-Identifier: Apache-2.0
// CLI11, for the sources that declare options: headers name CLI::App by a declaration.
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
// In a unit of several sources GCC 12 takes "x" + std::string(...) of its own library for copies that overlap (GCC bug
// 105651); CLI11's headers are full of them.
#pragma GCC diagnostic ignored "-Wrestrict"
#endif

#include <CLI/CLI.hpp>
