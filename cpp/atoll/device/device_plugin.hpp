// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/plugin_file.hpp>
#include <atoll/device/device.hpp>
#include <vector>

/// The plug-in that opens devices, built where a CUDA compiler is.
namespace atl {

/// The exports of a plug-in; `abi` is checked before anything else is used.
struct DevicePlugin {
  std::uint32_t abi;
  /// Facts of the devices of this machine. Throws DeviceError that says what is missing.
  std::vector<DeviceFacts> (*devices)();
  std::unique_ptr<Device> (*open)(int number);
};
inline constexpr const char* kDevicePluginEntry = "atoll_device_plugin";

/// Whether the plug-in loads, and which devices it finds or what it lacks.
PluginStatus device_plugin_status();

}  // namespace atl
