// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

#include <cstddef>
#include <cstdint>
#include <type_traits>

/// Primitives of kernels beside plain CUDA C++: instructions that have no function of their own, each with a form for
/// the host.
namespace atl::cuda {

#if defined(ATOLL_EMULATED)
#define ATOLL_SHARED_MEMORY(name) unsigned char* const name = emulation::shared_memory()
#else
#define ATOLL_SHARED_MEMORY(name) extern __shared__ __align__(128) unsigned char name[]
#endif

/// N values that are moved together.
template <class T, int N>
struct alignas(sizeof(T) * N > 16 ? 16 : sizeof(T) * N) Pack {
  T values[N];
  __host__ __device__ T& operator[](int i) { return values[i]; }
  __host__ __device__ const T& operator[](int i) const { return values[i]; }
};

template <class T, int N>
__device__ __forceinline__ Pack<T, N> load_pack(const T* from) {
#if defined(ATOLL_EMULATED)
  emulation::check_aligned(from, alignof(Pack<T, N>));
#endif
  return *reinterpret_cast<const Pack<T, N>*>(from);
}
template <class T, int N>
__device__ __forceinline__ void store_pack(T* to, const Pack<T, N>& pack) {
#if defined(ATOLL_EMULATED)
  emulation::check_aligned(to, alignof(Pack<T, N>));
#endif
  *reinterpret_cast<Pack<T, N>*>(to) = pack;
}

/// The same of memory that no thread writes while the kernel runs, by the path for such loads.
template <class T, int N>
__device__ __forceinline__ Pack<T, N> load_read_only(const T* from) {
#if defined(__CUDA_ARCH__)
  using Word =
      std::conditional_t<sizeof(Pack<T, N>) == 16, uint4,
                         std::conditional_t<sizeof(Pack<T, N>) == 8, uint2,
                                            std::conditional_t<sizeof(Pack<T, N>) == 4, unsigned, unsigned short>>>;
  static_assert(sizeof(Word) == sizeof(Pack<T, N>));
  const Word word = __ldg(reinterpret_cast<const Word*>(from));
  return __builtin_bit_cast(Pack<T, N>, word);
#else
  return load_pack<T, N>(from);
#endif
}

/// Reads, or writes, a value used once: caches give it up first, so that values read again stay.
template <class T>
__device__ __forceinline__ T load_once(const T* from) {
#if defined(__CUDA_ARCH__)
  return __ldcs(from);
#else
  return *from;
#endif
}
template <int N>
__device__ __forceinline__ void store_once(float* to, const Pack<float, N>& pack) {
#if defined(__CUDA_ARCH__)
  if constexpr (N % 4 == 0) {
#pragma unroll
    for (int i = 0; i < N; i += 4)
      __stcs(reinterpret_cast<float4*>(to + i), make_float4(pack[i], pack[i + 1], pack[i + 2], pack[i + 3]));
  } else if constexpr (N == 2) {
    __stcs(reinterpret_cast<float2*>(to), make_float2(pack[0], pack[1]));
  } else {
    static_assert(N == 1);
    __stcs(to, pack[0]);
  }
#else
  store_pack<float, N>(to, pack);
#endif
}

/// to[i] += pack[i], each atomically and in no order; one instruction for up to four values since sm_90. `to` is aligned
/// as the pack is.
template <int N>
__device__ __forceinline__ void add_atomically(float* to, const Pack<float, N>& pack) {
#if defined(ATOLL_EMULATED)
  emulation::check_aligned(to, alignof(Pack<float, N>));
#endif
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  constexpr int kTogether = N % 4 == 0 ? 4 : N;
#else
  constexpr int kTogether = 1;
#endif
#pragma unroll
  for (int i = 0; i < N; i += kTogether) {
    if constexpr (kTogether == 1) {
      atomicAdd(to + i, pack[i]);
    } else if constexpr (kTogether == 2) {
#if defined(__CUDA_ARCH__)
      asm volatile("red.relaxed.gpu.global.add.v2.f32 [%0], {%1, %2};\n" ::"l"(__cvta_generic_to_global(to + i)),
                   "f"(pack[i]), "f"(pack[i + 1])
                   : "memory");
#endif
    } else {
#if defined(__CUDA_ARCH__)
      asm volatile(
          "red.relaxed.gpu.global.add.v4.f32 [%0], {%1, %2, %3, %4};\n" ::"l"(__cvta_generic_to_global(to + i)),
          "f"(pack[i]), "f"(pack[i + 1]), "f"(pack[i + 2]), "f"(pack[i + 3])
          : "memory");
#endif
    }
  }
}

/// The value of a float16's bits, exactly.
__device__ __forceinline__ float float_of(std::uint16_t half) {
#if defined(ATOLL_EMULATED)
  return emulation::float_of_half(half);
#elif defined(__CUDA_ARCH__)
  float out;
  asm("cvt.f32.f16 %0, %1;" : "=f"(out) : "h"(half));
  return out;
#else
  return 0;  // the host's half of nvcc's work: never run
#endif
}
__device__ __forceinline__ float float_of(float value) { return value; }

// --- copies from global to shared memory that run beside the kernel -------------------------------------------------

/// Copies 16 bytes, both ends aligned to 16 (sm_80 on). Complete after wait_copies().
__device__ __forceinline__ void copy_async(void* shared, const void* global) {
#if defined(ATOLL_EMULATED)
  emulation::copy_async(shared, global, 16);
#elif defined(__CUDA_ARCH__)
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared));
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;\n" ::"r"(to), "l"(global) : "memory");
#endif
}
/// Closes a group of this thread's copies.
__device__ __forceinline__ void commit_copies() {
#if defined(ATOLL_EMULATED)
  emulation::commit_copies();
#elif defined(__CUDA_ARCH__)
  asm volatile("cp.async.commit_group;\n" ::: "memory");
#endif
}
/// Waits until at most `Pending` of this thread's groups are under way. Other threads see them after __syncthreads().
template <int Pending>
__device__ __forceinline__ void wait_copies() {
#if defined(ATOLL_EMULATED)
  emulation::wait_copies(Pending);
#elif defined(__CUDA_ARCH__)
  asm volatile("cp.async.wait_group %0;\n" ::"n"(Pending) : "memory");
#endif
}

// --- copies by the bulk copy engine (sm_90 on), counted in bytes by a barrier in shared memory ----------------------

using BulkBarrier = unsigned long long;

#if defined(ATOLL_EMULATED) || !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
#define ATOLL_BULK_COPIES 1
#else
#define ATOLL_BULK_COPIES 0
#endif

/// By one thread, before a __syncthreads(): `arrivals` of start_bulk_phase() end a phase. The second fence is for the copy
/// engine, which counts the barrier down by another path to memory than this thread has (the async proxy).
__device__ __forceinline__ void init_barrier(BulkBarrier* barrier, unsigned arrivals) {
#if defined(ATOLL_EMULATED)
  emulation::init_barrier(barrier, arrivals);
#elif defined(__CUDA_ARCH__) && ATOLL_BULK_COPIES
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
  asm volatile("mbarrier.init.shared::cta.b64 [%0], %1;\n" ::"r"(at), "r"(arrivals) : "memory");
  asm volatile("fence.mbarrier_init.release.cluster;\n" ::: "memory");
  asm volatile("fence.proxy.async.shared::cta;\n" ::: "memory");
#endif
}
/// Arrives, and has the phase wait for so many bytes of copies as well.
__device__ __forceinline__ void start_bulk_phase(BulkBarrier* barrier, unsigned bytes) {
#if defined(ATOLL_EMULATED)
  emulation::start_bulk_phase(barrier, bytes);
#elif defined(__CUDA_ARCH__) && ATOLL_BULK_COPIES
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
  asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], %1;\n" ::"r"(at), "r"(bytes) : "memory");
#endif
}
/// A multiple of 16 bytes, both ends aligned to 16.
__device__ __forceinline__ void copy_bulk(void* shared, const void* global, unsigned bytes, BulkBarrier* barrier) {
#if defined(ATOLL_EMULATED)
  emulation::copy_bulk(shared, global, bytes, barrier);
#elif defined(__CUDA_ARCH__) && ATOLL_BULK_COPIES
  const auto to = static_cast<unsigned>(__cvta_generic_to_shared(shared)),
             at = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
  asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];\n" ::"r"(to),
               "l"(global), "r"(bytes), "r"(at)
               : "memory");
#endif
}
/// Waits until the phase of this parity (0, 1, 0, ...) has ended: its copies are there for this thread.
__device__ __forceinline__ void wait_bulk_phase(BulkBarrier* barrier, unsigned parity) {
#if defined(ATOLL_EMULATED)
  emulation::wait_bulk_phase(barrier, parity);
#elif defined(__CUDA_ARCH__) && ATOLL_BULK_COPIES
  const auto at = static_cast<unsigned>(__cvta_generic_to_shared(barrier));
  unsigned ended = 0;
  do {
    asm volatile(
        "{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}\n"
        : "=r"(ended)
        : "r"(at), "r"(parity)
        : "memory");
  } while (ended == 0);
#endif
}

}  // namespace atl::cuda
