// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  // Real graphs; a test that needs them skips without.
  setenv("ATOLL_DATA", ATOLL_DATA_DEFAULT, /*overwrite=*/0);
  return doctest::Context(argc, argv).run();
}
