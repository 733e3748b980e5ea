// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

/// NCCL on the host, as much of it as cpp/cuda uses, between ranks that are threads of one process: a message is kept
/// until the stream of its receiver comes to it, which waits there until it has been sent.
#define NCCL_MAJOR 2
#define NCCL_MINOR 0
#define NCCL_PATCH 0

enum ncclResult_t { ncclSuccess = 0 };
enum ncclDataType_t { ncclChar = 0, ncclFloat32 = 7 };
struct ncclUniqueId {
  char internal[128];
};
using ncclComm_t = struct EmulatedCommunicator*;

const char* ncclGetErrorString(ncclResult_t result);
ncclResult_t ncclGetUniqueId(ncclUniqueId* id);
ncclResult_t ncclCommInitRank(ncclComm_t* out, int members, ncclUniqueId id, int member);
ncclResult_t ncclCommDestroy(ncclComm_t communicator);
ncclResult_t ncclCommAbort(ncclComm_t communicator);
ncclResult_t ncclCommGetAsyncError(ncclComm_t communicator, ncclResult_t* result);
ncclResult_t ncclBroadcast(const void* from, void* to, std::size_t count, ncclDataType_t type, int root,
                           ncclComm_t communicator, cudaStream_t stream);
ncclResult_t ncclSend(const void* from, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream);
ncclResult_t ncclRecv(void* to, std::size_t count, ncclDataType_t type, int peer, ncclComm_t communicator,
                      cudaStream_t stream);
ncclResult_t ncclGroupStart();
ncclResult_t ncclGroupEnd();
