// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>

#include <atoll/base/error.hpp>
#include <atoll/device/device_plugin.hpp>

namespace atl {
namespace {

PluginName gpu_plugin() {
  return {.name = "cuda",
          .entry = kDevicePluginEntry,
          .library = "CUDA",
          .package = "libstdc++6",
          .build_package = "NVIDIA's CUDA toolkit (nvcc)"};
}

std::string text_of(const DeviceFacts& d) {
  return fmt::format("{}{} (sm_{}, {} multiprocessors, {:.0f} GB)", d.emulated ? "emulated: " : "", d.name,
                     d.architecture, d.processors, static_cast<double>(d.memory_bytes) / 1e9);
}

}  // namespace

Device::~Device() = default;

PluginStatus device_plugin_status() {
  PluginStatus out{.name = "cuda", .path = {}, .loads = false, .detail = {}};
  const PluginFile file = open_plugin_file(gpu_plugin());
  out.path = file.path;
  if (!file.plugin) {
    out.detail = file.why;
    return out;
  }
  try {
    const auto devices = static_cast<const DevicePlugin*>(file.plugin)->devices();
    out.loads = true;
    std::vector<std::string> texts;
    for (const DeviceFacts& d : devices) texts.push_back(text_of(d));
    out.detail = fmt::format("{}; {}", fmt::join(texts, ", "), devices.front().driver);
  } catch (const DeviceError& e) {
    out.detail = e.what();
  }
  return out;
}

std::shared_ptr<Device> open_device(const std::string& kind, int number) {
  if (kind != "cuda")
    throw UsageError(fmt::format("there is no device '{}' (cpu and cuda are known). Choose one of them.", kind));
  const PluginFile file = open_plugin_file(gpu_plugin());
  if (!file.plugin) throw DeviceError(file.why);
  const auto& plugin = *static_cast<const DevicePlugin*>(file.plugin);
  const auto count = static_cast<int>(plugin.devices().size());
  return plugin.open(number % count);
}

}  // namespace atl
