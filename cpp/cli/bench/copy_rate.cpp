// SPDX-License-Identifier: Apache-2.0
#include "copy_rate.hpp"

#include <algorithm>
#include <vector>

#include "cli/measure.hpp"

namespace atl::cli {

double copied_bytes_per_second(const Stream& stream, int trials) {
  Device& device = stream.device();
  constexpr std::size_t kMost = std::size_t{1} << 30;  // many times the second-level cache
  const std::size_t bytes = std::min(kMost, device.free_bytes() / 4);
  const DeviceArray<std::byte> from(device, bytes), to(device, bytes);
  device.fill(from.data(), 1, bytes, stream);
  std::vector<double> rates;
  for (int t = 0; t <= trials; ++t) {
    Event first(device), last(device);
    first.record(stream);
    device.copy(to.data(), bytes, from.data(), bytes, bytes, 1, stream);
    last.record(stream);
    stream.wait();
    if (t > 0) rates.push_back(2.0 * static_cast<double>(bytes) / device.seconds_between(first, last));
  }
  return median(rates);
}

}  // namespace atl::cli
