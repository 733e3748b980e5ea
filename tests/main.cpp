// SPDX-License-Identifier: Apache-2.0
#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include <cstdlib>

int main(int argc, char** argv) {
  setenv("ATOLL_DATA", ATOLL_DATA_DEFAULT, /*overwrite=*/0);  // real graphs; tests that need them skip without
  return doctest::Context(argc, argv).run();
}
