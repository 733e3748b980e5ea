// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device_gemm.hpp>

namespace atl {

/// Distances in the form of the host and of a device, which for 16 bits has another "no path".
template <class T>
class DeviceRange {
 public:
  DeviceRange(const DeviceGemm& gemm, const Stream& stream)
      : gemm_(gemm), none_(static_cast<T>(gemm.no_path())), above_(gemm.device(), 1) {
    gemm.device().fill(above_.data(), 0, sizeof(std::int64_t), stream);
  }
  void to_device(const Stream& stream, DeviceView<T> d) const {
    if constexpr (kConverts) gemm_.kernels().replace(d, kNoPath<T>, none_, none_ - 1, above_.data(), stream);
  }
  void to_host(const Stream& stream, DeviceView<T> d) const {
    if constexpr (kConverts) gemm_.kernels().replace(d, none_, kNoPath<T>, kNoPath<T>, above_.data(), stream);
  }
  /// Waits; throws InputError if a value was greater than a device holds.
  void check_seen(const Stream& stream) const {
    if constexpr (kConverts) {
      std::int64_t above = 0;
      download(stream, above_, std::span(&above, 1));
      stream.wait();
      check(above == 0,
            "a weight is over {} (16-bit distances on a device end there). Take --type int32, or --device cpu.",
            none_ - 1);
    }
  }

 private:
  static constexpr bool kConverts = std::is_same_v<T, std::uint16_t>;
  const DeviceGemm& gemm_;
  const T none_;
  DeviceArray<std::int64_t> above_;
};

}  // namespace atl
