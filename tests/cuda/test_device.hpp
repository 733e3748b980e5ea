// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device_plugin.hpp>
#include <cstdlib>
#include <string>
#include <vector>

/// The device that these tests run on: of the emulation, which CTest names in ATOLL_PLUGINS; with ATOLL_TEST_GPU=1 a real
/// one (scripts/check_gpu).
///
///     for (const int architecture : architectures()) {
///       const TestDevice tested(architecture);
///       Stream stream(tested.device());
class TestDevice {
 public:
  explicit TestDevice(int architecture = 90) {
    if (!is_real()) setenv("ATOLL_EMULATION_ARCHITECTURE", std::to_string(architecture).c_str(), 1);
    device_ = atl::open_device("cuda", 0);
    atl::check(
        device_->facts().emulated != is_real(),
        "the device is {} (ATOLL_PLUGINS and ATOLL_TEST_GPU say another). Run these tests by ctest or check_gpu.",
        device_->facts().name);
  }
  atl::Device& device() const { return *device_; }
  static bool is_real() { return std::getenv("ATOLL_TEST_GPU") != nullptr; }

 private:
  std::shared_ptr<atl::Device> device_;
};

/// Architectures whose kernels differ; of a real device, its own.
inline std::vector<int> architectures() { return TestDevice::is_real() ? std::vector{0} : std::vector{80, 90}; }
