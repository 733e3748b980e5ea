// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/device_plugin.hpp>
#include <cstdlib>
#include <string>

/// A device of the emulation, which CTest names in ATOLL_PLUGINS, of an architecture.
class Emulated {
 public:
  explicit Emulated(int architecture = 90) {
    setenv("ATOLL_EMULATION_ARCHITECTURE", std::to_string(architecture).c_str(), 1);
    device_ = atl::open_device("cuda", 0);
    atl::check(device_->facts().emulated, "a real device is opened (ATOLL_PLUGINS is not set). Run these by ctest.");
  }
  atl::Device& device() const { return *device_; }

 private:
  std::shared_ptr<atl::Device> device_;
};
