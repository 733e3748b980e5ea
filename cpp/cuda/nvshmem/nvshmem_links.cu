// SPDX-License-Identifier: Apache-2.0
// CoLa's pipeline with a PE in each process, over NVSHMEM: all buffers lie in its symmetric heap, kernels get rows from
// peers one at a time, and puts are its copies.
//
// Only calls that work with several PEs on one GPU: allocation, puts, gets and the barrier of all; no teams and no
// other collectives. So each PE tells its sizes to the others by puts.
#include <nvshmem.h>
#include <nvshmemx.h>

#include <algorithm>
#include <array>
#include <atoll/base/plugin_file.hpp>
#include <cstring>

#include "../cola/column_kernel.cuh"
#include "../cola/linked_pipeline.hpp"

namespace atl::cuda {
namespace {

void check_nvshmem(int status, const char* what) {
  if (status != 0)
    throw DeviceError(
        fmt::format("NVSHMEM, {}: status {} (it refused). Set NVSHMEM_DEBUG=INFO to see why.", what, status));
}

/// Values in the symmetric heap, at the same place of it on all PEs. Made and freed by all PEs together, so not by its
/// destructor.
template <class T>
class SymmetricArray {
 public:
  void make(std::size_t size) {
    free();
    if (size == 0) return;
    data_ = static_cast<T*>(nvshmem_malloc(size * sizeof(T)));
    if (!data_)
      throw DeviceError(
          fmt::format("{} bytes of NVSHMEM's symmetric heap cannot be had (the largest part decides for all "
                      "PEs). Set NVSHMEM_SYMMETRIC_SIZE higher, or take more PEs.",
                      size * sizeof(T)));
  }
  void free() {
    if (data_) nvshmem_free(data_);
    data_ = nullptr;
  }
  T* data() const { return data_; }

 private:
  T* data_ = nullptr;
};

/// Rows of peers: read where they lie if the peer's memory is mapped here, else got by the warp. The network writes
/// only to the symmetric heap, so a row that is got lands there and not in shared memory as in the paper.
struct SymmetricRows {
  PeerBuffers mapped;  // null: not mapped
  const float* buffer;
  Rank first_peer;
  float* landing;  // a row for each column
  __device__ const float* row(std::int64_t column, Rank peer, Local position, int width) const {
    const std::int64_t at = static_cast<std::int64_t>(position) * width;
    if (mapped.data[peer]) return mapped.data[peer] + at;
    float* const to = landing + column * width;
    nvshmemx_float_get_warp(to, buffer + at, static_cast<std::size_t>(width), first_peer + peer);
    __syncwarp();
    return to;
  }
};

class NvshmemLinks final : public ColaLinks {
 public:
  /// ends: NVSHMEM was started for these links, and ends with them.
  NvshmemLinks(Device& device, std::vector<ColaPart> parts, bool ends)
      : ColaLinks(std::move(parts)), device_(device), ends_(ends) {
    agree_on_sizes();
  }

  void begin(std::int64_t columns, std::span<const DeviceView<const float>> b) override {
    ColaPart& own = part();
    if (columns > most_columns_) {
      own.compute.wait();  // which ends after the transfers
      const auto values = [&](Local rows) { return static_cast<std::size_t>(rows * columns); };
      b_.make(values(sizes_.b));
      slots_[0].make(values(sizes_.slots[0]));
      slots_[1].make(values(sizes_.slots[1]));
      send_.make(values(sizes_.send));
      landing_.make(values(sizes_.landing));
      most_columns_ = columns;
    }
    columns_ = columns;
    const std::size_t row_bytes = static_cast<std::size_t>(columns) * sizeof(float);
    device_.copy(b_.data(), row_bytes, b[0].data, static_cast<std::size_t>(b[0].stride) * sizeof(float), row_bytes,
                 static_cast<std::size_t>(b[0].rows), own.compute);
  }

  DeviceView<const float> own_buffer(std::size_t, std::size_t phase) override {
    return {buffer_of(phase), phase == 0 ? part().own_rows : part().phases[phase].buffer_rows, columns_, columns_};
  }
  DeviceView<float> send_buffer(std::size_t) override { return {send_.data(), part().send_rows(), columns_, columns_}; }

  void put(std::size_t, std::size_t phase, DeviceView<const float> rows) override {
    const ColaPart::Put& put = part().puts[phase - 1];
    if (put.count == 0) return;
    nvshmemx_putmem_on_stream(buffer_of(phase) + put.first * columns_, rows.data,
                              static_cast<std::size_t>(put.count * columns_) * sizeof(float), put.to,
                              stream_of(part().transfers));
  }

  void fetch(std::size_t, std::size_t) override {}

  void multiply_remote(std::size_t, std::size_t phase, DeviceView<float> c) override {
    ColaPart& own = part();
    SymmetricRows rows{{}, buffer_of(phase), own.first_peer(), landing_.data()};
    bool all_mapped = true;
    for (Rank i = 0; i < own.peers(); ++i) {
      // Without an allocation no PE has rows to read.
      const void* const mapped = rows.buffer ? nvshmem_ptr(rows.buffer, own.first_peer() + i) : nullptr;
      rows.mapped.data[i] = static_cast<const float*>(mapped);
      rows.mapped.stride[i] = columns_;
      all_mapped = all_mapped && mapped;
    }
    if (all_mapped) {
      multiply_columns(own.phases[phase].remote, rows.mapped, c, own.compute);
    } else {
      launch_columns(own.phases[phase].remote, rows, c, own.compute);
    }
  }

  void barrier() override { nvshmemx_barrier_all_on_stream(stream_of(part().compute)); }

  void close() override {
    b_.free();
    slots_[0].free();
    slots_[1].free();
    send_.free();
    landing_.free();
    if (ends_) nvshmem_finalize();
  }

 private:
  /// Rows, the most of any PE.
  struct Sizes {
    Local b, slots[2], send;
    Local landing;  // none where all PEs read their peers' memory
  };

  ColaPart& part() { return parts().front(); }
  float* buffer_of(std::size_t phase) const { return phase == 0 ? b_.data() : slots_[phase % 2].data(); }

  void agree_on_sizes() {
    ColaPart& own = part();
    const auto pes = static_cast<std::size_t>(own.groups.pes);
    SymmetricArray<Sizes> table;  // [PE], and last what this one tells
    table.make(pes + 1);
    bool all_mapped = true;
    for (Rank i = 0; i < own.peers(); ++i) all_mapped = all_mapped && nvshmem_ptr(table.data(), own.first_peer() + i);
    const Sizes mine{
        own.own_rows, {own.slot_rows(0), own.slot_rows(1)}, own.send_rows(), all_mapped ? 0 : own.fetched_rows()};
    Sizes* const told = table.data() + pes;
    device_.copy(told, sizeof(Sizes), &mine, sizeof(Sizes), sizeof(Sizes), 1, own.compute);
    for (Rank pe = 0; pe < own.groups.pes; ++pe)
      nvshmemx_putmem_on_stream(table.data() + own.pe, told, sizeof(Sizes), pe, stream_of(own.compute));
    barrier();
    std::vector<Sizes> all(pes);
    device_.copy(all.data(), pes * sizeof(Sizes), table.data(), pes * sizeof(Sizes), pes * sizeof(Sizes), 1,
                 own.compute);
    own.compute.wait();
    table.free();
    sizes_ = mine;
    for (const Sizes& s : all) {
      sizes_.b = std::max(sizes_.b, s.b);
      for (std::size_t i = 0; i < 2; ++i) sizes_.slots[i] = std::max(sizes_.slots[i], s.slots[i]);
      sizes_.send = std::max(sizes_.send, s.send);
      sizes_.landing = std::max(sizes_.landing, s.landing);
    }
  }

  Device& device_;
  const bool ends_;
  Sizes sizes_{};
  std::int64_t columns_ = 0, most_columns_ = 0;
  SymmetricArray<float> b_, send_, landing_;
  std::array<SymmetricArray<float>, 2> slots_;
};

std::vector<std::byte> new_id() {
  nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
  check_nvshmem(nvshmemx_get_uniqueid(&id), "making an id");
  std::vector<std::byte> out(sizeof(id));
  std::memcpy(out.data(), &id, sizeof(id));
  return out;
}

/// Whether this call has started NVSHMEM; further pipelines of a process share it.
bool start(const ColaPlan& plan, std::span<const std::byte> bytes) {
  nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
  check(bytes.size() == sizeof(id), "CoLa over NVSHMEM: an id of {} bytes (it has {}). Give what new_cola_id made.",
        bytes.size(), sizeof(id));
  const bool starts = nvshmemx_init_status() < NVSHMEM_STATUS_IS_INITIALIZED;
  if (starts) {
    std::memcpy(&id, bytes.data(), sizeof(id));
    nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
    check_nvshmem(nvshmemx_set_attr_uniqueid_args(plan.pe, plan.groups.pes, &id, &attributes), "reading an id");
    check_nvshmem(nvshmemx_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes), "starting");
  }
  check(nvshmem_my_pe() == plan.pe && nvshmem_n_pes() == plan.groups.pes,
        "CoLa over NVSHMEM: a plan of PE {} of {} (NVSHMEM runs here as PE {} of {}). Give the plan of this process.",
        plan.pe, plan.groups.pes, nvshmem_my_pe(), nvshmem_n_pes());
  return starts;
}

std::unique_ptr<ColaPipeline> open(Device& device, const ColaPlan& plan, std::span<const std::byte> id) {
  check_cuda(cudaSetDevice(device.facts().number), "choosing a device");
  const bool starts = start(plan, id);
  std::vector<ColaPart> parts;
  parts.emplace_back(device, plan);
  return std::make_unique<LinkedPipeline>(std::make_unique<NvshmemLinks>(device, std::move(parts), starts));
}

}  // namespace
}  // namespace atl::cuda

extern "C" const atl::ColaPlugin* atoll_nvshmem_plugin() {
  static constexpr atl::ColaPlugin kPlugin{atl::kPluginAbi, &atl::cuda::new_id, &atl::cuda::open};
  return &kPlugin;
}
