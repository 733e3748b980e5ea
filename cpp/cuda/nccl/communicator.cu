// SPDX-License-Identifier: Apache-2.0
// A plug-in of its own, since machines with a GPU may lack NCCL.
#include <nccl.h>

#include <atoll/device/communicator.hpp>

#include "../simt/launch.hpp"

namespace atl::cuda {
namespace {

void check_nccl(ncclResult_t result, const char* what) {
  if (result == ncclSuccess) return;
  throw DeviceError(fmt::format("{}: {} (NCCL refused). NCCL_DEBUG=INFO in the environment makes it say more.", what,
                                ncclGetErrorString(result)));
}

class NcclCommunicator final : public DeviceCommunicator {
 public:
  NcclCommunicator(const CommunicatorPlugin::Id& id, int member, int members, int device) {
    ncclUniqueId of_nccl;
    static_assert(sizeof of_nccl == sizeof id);
    std::memcpy(&of_nccl, id.data(), sizeof of_nccl);
    check_cuda(cudaSetDevice(device), "choosing a device");
    check_nccl(ncclCommInitRank(&communicator_, members, of_nccl, member), "joining a group of devices");
  }
  /// Ends what is under way, which after an error would never end by itself.
  ~NcclCommunicator() override { static_cast<void>(ncclCommAbort(communicator_)); }

  void broadcast(void* memory, std::size_t bytes, int root, StreamHandle stream) override {
    check_nccl(ncclBroadcast(memory, memory, bytes, ncclChar, root, communicator_, stream_of(stream)), "a broadcast");
  }
  void check() override {
    ncclResult_t result = ncclSuccess;
    check_nccl(ncclCommGetAsyncError(communicator_, &result), "asking after a broadcast");
    check_nccl(result, "a broadcast");
  }

 private:
  ncclComm_t communicator_ = nullptr;
};

CommunicatorPlugin::Id make_id() {
  ncclUniqueId id;
  check_nccl(ncclGetUniqueId(&id), "naming a group of devices");
  CommunicatorPlugin::Id out;
  std::memcpy(out.data(), &id, sizeof id);
  return out;
}

std::unique_ptr<DeviceCommunicator> open(const CommunicatorPlugin::Id& id, int member, int members, int device) {
  return std::make_unique<NcclCommunicator>(id, member, members, device);
}

#define ATOLL_TEXT_OF(x) #x
#define ATOLL_TEXT(x) ATOLL_TEXT_OF(x)
constexpr char kLibrary[] = "NCCL " ATOLL_TEXT(NCCL_MAJOR) "." ATOLL_TEXT(NCCL_MINOR) "." ATOLL_TEXT(NCCL_PATCH);

}  // namespace
}  // namespace atl::cuda

extern "C" const atl::CommunicatorPlugin* atoll_communicator_plugin() {
  static constexpr atl::CommunicatorPlugin kPlugin{atl::kPluginAbi, atl::cuda::kLibrary, &atl::cuda::make_id,
                                                   &atl::cuda::open};
  return &kPlugin;
}
