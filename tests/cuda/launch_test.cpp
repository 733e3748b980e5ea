// SPDX-License-Identifier: Apache-2.0
#include <doctest/doctest.h>

#include "test_device.hpp"

using namespace atl;

TEST_CASE("a grid of more blocks than a device starts is an error, not another number of blocks") {
  const TestDevice tested;
  const Stream stream(tested.device());
  const auto transpose = [&](std::int64_t side) {
    const DeviceView<float> nowhere{nullptr, side, side, side};
    tested.device().kernels().min_plus.transpose(sizeof(float), nowhere, nowhere, stream);
  };
  // Tiles of 32 x 32: 2^32 of them, and 2^31, which are 0 and -2^31 of 32 bits.
  CHECK_THROWS_WITH_AS(transpose(std::int64_t{1} << 21), doctest::Contains("a kernel of 4294967296 blocks"),
                       DeviceError);
  const DeviceView<float> wide{nullptr, std::int64_t{32} << 15, std::int64_t{32} << 16, std::int64_t{32} << 16};
  CHECK_THROWS_WITH_AS(tested.device().kernels().min_plus.transpose(sizeof(float), wide, wide, stream),
                       doctest::Contains("a device starts up to 2147483647 at a time"), DeviceError);
  stream.wait();
}
