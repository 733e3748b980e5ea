// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/plugin_file.hpp>
#include <atoll/device/cola/cola_pipeline.hpp>

namespace atl {
namespace {

const ColaPlugin& plugin_of(const std::string& links) {
  PluginName name;
  if (links == "nvshmem") {
    name = {"nvshmem", "atoll_nvshmem_plugin", "NVSHMEM", "nvidia-nvshmem-cu13 (pip)", "nvidia-nvshmem-cu13 (pip)"};
  } else if (links == "nccl") {
    name = {"nccl", "atoll_nccl_plugin", "NCCL", "nvidia-nccl-cu13 (pip)", "nvidia-nccl-cu13 (pip)"};
  } else {
    throw UsageError(fmt::format("there are no links '{}' (nvshmem and nccl are known). Choose one of them.", links));
  }
  const PluginFile file = open_plugin_file(name);
  if (!file.plugin) throw DeviceError(file.why);
  return *static_cast<const ColaPlugin*>(file.plugin);
}

}  // namespace

ColaPipeline::~ColaPipeline() = default;

std::unique_ptr<ColaPipeline> cola_on_one_device(Device& device, std::span<const ColaPlan> plans) {
  check(!plans.empty() && plans.size() == static_cast<std::size_t>(plans[0].groups.pes),
        "CoLa on one device: {} plans (there are {} PEs). Give the plan of each PE.", plans.size(),
        plans.empty() ? 0 : plans[0].groups.pes);
  for (std::size_t i = 0; i < plans.size(); ++i)
    check(plans[i].pe == static_cast<Rank>(i), "CoLa on one device: plan {} is of PE {}. Give them in the PEs' order.",
          i, plans[i].pe);
  return device.kernels().cola(device, plans);
}

std::vector<std::byte> new_cola_id(const std::string& links) { return plugin_of(links).new_id(); }

std::unique_ptr<ColaPipeline> open_cola(const std::string& links, Device& device, const ColaPlan& plan,
                                        std::span<const std::byte> id, const RunOnAll& on_all) {
  return plugin_of(links).open(device, plan, id, on_all);
}

}  // namespace atl
