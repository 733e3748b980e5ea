// SPDX-License-Identifier: Apache-2.0
#include <nvshmem.h>

#include <atoll/base/random.hpp>
#include <utility>
#include <vector>

#include "job.hpp"

namespace {

constexpr std::size_t kHeapBytes = 4 << 20;
constexpr int kPoison = 0xff;

struct Job {
  explicit Job(int pes) : meeting(pes), heaps(static_cast<std::size_t>(pes), std::vector<std::byte>(kHeapBytes)) {}
  emulation::Meeting meeting;
  std::vector<std::vector<std::byte>> heaps;  // [PE]
};

emulation::Jobs<Job>& jobs() {
  static emulation::Jobs<Job> all;
  return all;
}

struct LatePut {
  std::byte* to;
  std::vector<std::byte> bytes;
};

struct Pe {
  std::shared_ptr<Job> job;
  int number = 0;
  std::size_t used = 0, allocations = 0;
  std::vector<LatePut> late;
  atl::Random random{1};

  std::vector<std::byte>& heap() { return job->heaps[static_cast<std::size_t>(number)]; }
  std::byte* at(const void* mine, int pe) {
    const auto offset = static_cast<const std::byte*>(mine) - heap().data();
    return job->heaps[static_cast<std::size_t>(pe)].data() + offset;
  }
  void check_in_heap(const void* memory, std::size_t bytes, const char* what) {
    const auto* const first = static_cast<const std::byte*>(memory);
    if (first >= heap().data() && first + bytes <= heap().data() + used) return;
    std::fprintf(stderr, "emulation: %s of %zu bytes is not in the symmetric heap\n", what, bytes);
    std::abort();
  }
};
Pe& here() {
  static thread_local Pe pe;
  return pe;
}

}  // namespace

int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t* id) {
  jobs().make_id(id, sizeof(*id));
  return 0;
}
int nvshmemx_set_attr_uniqueid_args(int pe, int pes, const nvshmemx_uniqueid_t* id, nvshmemx_init_attr_t* attributes) {
  *attributes = {pe, pes, *id};
  return 0;
}
int nvshmemx_init_attr(unsigned, nvshmemx_init_attr_t* attributes) {
  here() = {};
  here().job = jobs().join(&attributes->id, attributes->pes);
  here().number = attributes->pe;
  here().random = atl::Random(static_cast<std::uint64_t>(attributes->pe));
  here().job->meeting.come("the start of NVSHMEM");
  return 0;
}
int nvshmemx_init_status() { return here().job ? NVSHMEM_STATUS_IS_INITIALIZED : NVSHMEM_STATUS_NOT_INITIALIZED; }
void nvshmem_finalize() {
  here().job->meeting.come("the end of NVSHMEM");
  here().job.reset();
}
int nvshmem_my_pe() { return here().number; }
int nvshmem_n_pes() { return static_cast<int>(here().job->heaps.size()); }

// All PEs make the same calls, so places in their heaps agree. Memory is used again when nothing is left of it.
void* nvshmem_malloc(std::size_t bytes) {
  Pe& pe = here();
  if (bytes == 0 || pe.used + bytes > kHeapBytes) return nullptr;
  std::byte* const out = pe.heap().data() + pe.used;
  pe.used += (bytes + 255) / 256 * 256;
  ++pe.allocations;
  std::memset(out, kPoison, bytes);
  pe.job->meeting.come("an allocation");
  return out;
}
void nvshmem_free(void*) {
  Pe& pe = here();
  pe.job->meeting.come("a release of memory");
  if (--pe.allocations == 0) pe.used = 0;
}
void* nvshmem_ptr(const void* memory, int pe) {
  const char* const mapped = std::getenv("ATOLL_EMULATION_MAPPED");
  const bool is_mapped = !mapped || (*mapped != '0' && pe % 2 == 0);
  if (pe != here().number && !is_mapped) return nullptr;
  return here().at(memory, pe);
}

void nvshmemx_putmem_on_stream(void* to, const void* from, std::size_t bytes, int number, cudaStream_t stream) {
  emulation::enqueue_host(stream, [=] {
    Pe& pe = here();
    pe.check_in_heap(to, bytes, "the target of a put");
    pe.check_in_heap(from, bytes, "the source of a put");
    if (pe.random() % 2 == 0) {
      std::memcpy(pe.at(to, number), from, bytes);
    } else {
      const auto* const first = static_cast<const std::byte*>(from);
      pe.late.push_back({pe.at(to, number), {first, first + bytes}});
    }
  });
}
void nvshmemx_barrier_all_on_stream(cudaStream_t stream) {
  const auto number = std::make_shared<long>();
  emulation::enqueue_host(stream, [number] {
    Pe& pe = here();
    for (const LatePut& put : pe.late) std::memcpy(put.to, put.bytes.data(), put.bytes.size());
    pe.late.clear();
    *number = pe.job->meeting.arrive();
  });
  emulation::enqueue_host(stream, [] {}, [number, job = here().job] { return job->meeting.held(*number); });
}
void nvshmemx_float_get_warp(float* to, const float* from, std::size_t count, int number) {
  here().check_in_heap(to, count * sizeof(float), "the target of a get");
  emulation::sync_warp(~0u);
  const auto* const there = reinterpret_cast<const float*>(here().at(from, number));
  for (auto i = static_cast<std::size_t>(emulation::lane()); i < count; i += 32) to[i] = there[i];
  emulation::sync_warp(~0u);
}
