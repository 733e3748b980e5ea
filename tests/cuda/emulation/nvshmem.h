// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cuda_runtime.h>

/// NVSHMEM between threads of a test, each of which has an emulated device, as much of it as cpp/cuda uses.
///
/// Puts arrive at once or only at the next barrier of their PE; new memory is NaN; gets may only land in the symmetric
/// heap, as over a network. With ATOLL_EMULATION_MAPPED=0 no PE reads another one's memory by addresses, with =even
/// only that of PEs of even numbers.
struct nvshmemx_uniqueid_t {
  int version;
  char internal[124];
};
struct nvshmemx_init_attr_t {
  int pe, pes;
  nvshmemx_uniqueid_t id;
};
#define NVSHMEMX_UNIQUEID_INITIALIZER \
  {                                   \
    1, { 0 }                          \
  }
#define NVSHMEMX_INIT_ATTR_INITIALIZER {0, 0, NVSHMEMX_UNIQUEID_INITIALIZER}
enum { NVSHMEMX_INIT_WITH_UNIQUEID = 8 };
enum { NVSHMEM_STATUS_NOT_INITIALIZED = 0, NVSHMEM_STATUS_IS_INITIALIZED = 2 };

int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t* id);
int nvshmemx_set_attr_uniqueid_args(int pe, int pes, const nvshmemx_uniqueid_t* id, nvshmemx_init_attr_t* attributes);
int nvshmemx_init_attr(unsigned flags, nvshmemx_init_attr_t* attributes);
int nvshmemx_init_status();
void nvshmem_finalize();
int nvshmem_my_pe();
int nvshmem_n_pes();

void* nvshmem_malloc(std::size_t bytes);
void nvshmem_free(void* memory);
void* nvshmem_ptr(const void* memory, int pe);

void nvshmemx_putmem_on_stream(void* to, const void* from, std::size_t bytes, int pe, cudaStream_t stream);
void nvshmemx_barrier_all_on_stream(cudaStream_t stream);
void nvshmemx_float_get_warp(float* to, const float* from, std::size_t count, int pe);
