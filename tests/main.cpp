// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <atoll/base/error.hpp>
#include <atoll/base/isa.hpp>
#include <cstdio>
#include <cstdlib>

int main(int argc, char** argv) {
  try {
    atl::chosen_isa();
  } catch (const atl::UsageError& error) {
    std::puts(error.what());
    return 77;  // CTest's word for skipped
  }
  // Real graphs; a test that needs them skips without.
  setenv("ATOLL_DATA", ATOLL_DATA_DEFAULT, /*overwrite=*/0);
  return doctest::Context(argc, argv).run();
}
