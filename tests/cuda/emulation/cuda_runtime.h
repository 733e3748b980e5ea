// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <type_traits>

/// CUDA on the host, as much of it as cpp/cuda uses, in place of NVIDIA's header of this name: the same sources become a
/// plug-in whose kernels run here. For tests of their index arithmetic and of who waits for what.
///
/// A block's threads are fibers that run one after the other, in an order that changes from block to block with the seed,
/// from one point where threads meet to the next. What a kernel may not rely on goes wrong here if it can:
///   - shared memory and new device memory are filled with NaN, and what lies behind an allocation is checked
///   - an asynchronous copy happens at once or only when it is waited for
///   - streams do nothing until they are waited for, and then in any order that their events allow
///   - an address that is not aligned to what is moved with one instruction is an error
///   - memory that is allocated or freed while a message of another rank is waited for is an error
///   - threads that wait for each other for ever are an error with their places
#define ATOLL_EMULATED 1
#define __global__
#define __device__
#define __host__
#define __forceinline__ inline
#define __launch_bounds__(...)
#define __align__(n) alignas(n)

struct uint3 {
  unsigned x = 0, y = 0, z = 0;
};
struct dim3 {
  unsigned x = 1, y = 1, z = 1;
  dim3(unsigned a = 1, unsigned b = 1, unsigned c = 1) : x(a), y(b), z(c) {}
};
struct float2 {
  float x, y;
};

enum cudaError_t { cudaSuccess = 0, cudaErrorMemoryAllocation = 2, cudaErrorNotReady = 600, cudaErrorUnknown = 999 };
enum { cudaStreamNonBlocking = 1, cudaEventDefault = 0, cudaHostAllocDefault = 0, cudaHostRegisterDefault = 0 };
enum cudaMemcpyKind { cudaMemcpyDefault = 4 };
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };
enum cudaDeviceAttr { cudaDevAttrClockRate, cudaDevAttrMemoryClockRate, cudaDevAttrGlobalMemoryBusWidth };
using cudaStream_t = struct EmulatedStream*;
using cudaEvent_t = struct EmulatedEvent*;
struct cudaDeviceProp {
  char name[256];
  struct {
    char bytes[16];
  } uuid;
  int major, minor, multiProcessorCount, l2CacheSize;
  std::size_t totalGlobalMem, sharedMemPerBlockOptin;
};

const char* cudaGetErrorString(cudaError_t error);
cudaError_t cudaGetLastError();
cudaError_t cudaGetDeviceCount(int* count);
cudaError_t cudaSetDevice(int number);
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int number);
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number);
cudaError_t cudaDriverGetVersion(int* version);
cudaError_t cudaRuntimeGetVersion(int* version);
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total);
cudaError_t cudaMalloc(void** out, std::size_t bytes);
cudaError_t cudaFree(void* memory);
cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned flags);
cudaError_t cudaFreeHost(void* memory);
cudaError_t cudaHostRegister(void* memory, std::size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void* memory);
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_stride, const void* from, std::size_t from_stride,
                              std::size_t width, std::size_t rows, cudaMemcpyKind kind, cudaStream_t stream);
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream);
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned flags);
cudaError_t cudaStreamDestroy(cudaStream_t stream);
cudaError_t cudaStreamSynchronize(cudaStream_t stream);
cudaError_t cudaStreamQuery(cudaStream_t stream);
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned flags);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t event);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream);
cudaError_t cudaEventSynchronize(cudaEvent_t event);
cudaError_t cudaEventQuery(cudaEvent_t event);
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t first, cudaEvent_t last);
cudaError_t cudaFuncSetAttribute(const void* function, cudaFuncAttribute attribute, int value);

namespace emulation {

/// A thread of a block, as its kernel sees it.
struct Here {
  uint3 thread, block;
  dim3 threads, blocks;
};
const Here& here();

void enqueue(cudaStream_t stream, dim3 blocks, dim3 threads, std::size_t shared_bytes, std::function<void()> kernel);
/// Work of the host in a stream, once it is ready: of messages that other threads send.
void enqueue_host(cudaStream_t stream, std::function<void()> work, std::function<bool()> ready = {});
unsigned char* shared_memory();

void sync_block();
/// Waits for the lanes of the mask in this thread's warp.
void sync_warp(unsigned mask);
/// All of the mask's lanes tell `mine`; returns what lane `from` told. At most 16 bytes.
void exchange(unsigned mask, const void* mine, std::size_t bytes, int from, void* theirs);
unsigned ballot(unsigned mask, bool mine);
int lane();

/// Ends the process, as the device would refuse the address.
void check_aligned(const void* at, std::size_t bytes);
/// Converts the bits of an IEEE 754 binary16.
float float_of_half(std::uint16_t bits);

void copy_async(void* to, const void* from, std::size_t bytes);
void commit_copies();
void wait_copies(int pending);
void init_barrier(unsigned long long* barrier, unsigned arrivals);
void start_bulk_phase(unsigned long long* barrier, unsigned bytes);
void copy_bulk(void* to, const void* from, unsigned bytes, unsigned long long* barrier);
void wait_bulk_phase(unsigned long long* barrier, unsigned parity);

template <class T>
T from_lane(unsigned mask, T mine, int from) {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= 16);
  T theirs;
  exchange(mask, &mine, sizeof(T), from, &theirs);
  return theirs;
}

}  // namespace emulation

#define threadIdx (::emulation::here().thread)
#define blockIdx (::emulation::here().block)
#define blockDim (::emulation::here().threads)
#define gridDim (::emulation::here().blocks)

inline void __syncthreads() { emulation::sync_block(); }
inline void __syncwarp(unsigned mask = ~0u) { emulation::sync_warp(mask); }
template <class T>
T __shfl_sync(unsigned mask, T value, int lane, int width = 32) {
  return emulation::from_lane(mask, value, emulation::lane() / width * width + lane % width);
}
template <class T>
T __shfl_xor_sync(unsigned mask, T value, int bits, int width = 32) {
  const int from = emulation::lane() ^ bits;
  return emulation::from_lane(mask, value, from / width == emulation::lane() / width ? from : emulation::lane());
}
template <class T>
T __shfl_down_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int from = emulation::lane() + static_cast<int>(by);
  return emulation::from_lane(mask, value, from / width == emulation::lane() / width ? from : emulation::lane());
}
template <class T>
T __shfl_up_sync(unsigned mask, T value, unsigned by, int width = 32) {
  const int from = emulation::lane() - static_cast<int>(by);
  const bool inside = from >= emulation::lane() / width * width;
  return emulation::from_lane(mask, value, inside ? from : emulation::lane());
}
inline unsigned __ballot_sync(unsigned mask, bool mine) { return emulation::ballot(mask, mine); }
using std::max;
using std::min;
inline int __popc(unsigned x) { return std::popcount(x); }
inline int __ffs(int x) { return x == 0 ? 0 : std::countr_zero(static_cast<unsigned>(x)) + 1; }

// Threads of a block run one at a time, so plain operations are atomic.
template <class T>
T atomicAdd(T* at, std::type_identity_t<T> value) {
  const T before = *at;
  *at = before + value;
  return before;
}
template <class T>
T atomicOr(T* at, std::type_identity_t<T> value) {
  const T before = *at;
  *at = before | value;
  return before;
}
template <class T>
T atomicMin(T* at, std::type_identity_t<T> value) {
  const T before = *at;
  *at = std::min(before, value);
  return before;
}
template <class T>
T atomicMax(T* at, std::type_identity_t<T> value) {
  const T before = *at;
  *at = std::max(before, value);
  return before;
}
template <class T>
T atomicCAS(T* at, std::type_identity_t<T> expected, std::type_identity_t<T> value) {
  const T before = *at;
  if (before == expected) *at = value;
  return before;
}
inline void __threadfence() {}

inline int __viaddmin_s32(int a, int b, int c) {
  return std::min(static_cast<int>(static_cast<unsigned>(a) + static_cast<unsigned>(b)), c);
}
inline unsigned __viaddmin_u16x2(unsigned a, unsigned b, unsigned c) {
  const auto half = [](unsigned x, unsigned y, unsigned z) {
    return std::min((x + y) & 0xffffu, z);  // wraps
  };
  return half(a & 0xffffu, b & 0xffffu, c & 0xffffu) | half(a >> 16, b >> 16, c >> 16) << 16;
}
template <class T>
T __ldg(const T* at) {
  return *at;
}
inline long long clock64() { return 0; }
