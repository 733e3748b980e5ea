// SPDX-License-Identifier: Apache-2.0
// CoLa's pipeline with a PE in each process, over NVSHMEM: all buffers lie in its symmetric heap, kernels read the rows of
// peers whose memory is mapped here and get those of the others, and puts are its copies.
//
// Only calls that work with several PEs on one GPU: allocation, puts, gets and the barrier of all; no teams and no
// other collectives. So each PE tells its sizes to the others by puts.
#include <nvshmem.h>
#include <nvshmemx.h>

#include <algorithm>
#include <array>
#include <atoll/base/plugin_file.hpp>
#include <cstring>

#include "../cola/linked_pipeline.hpp"
#include "../simt/launch.hpp"

namespace atl::cuda {
namespace {

void check_nvshmem(int status, const char* what) {
  if (status != 0)
    throw DeviceError(
        fmt::format("NVSHMEM, {}: status {} (it refused). Set NVSHMEM_DEBUG=INFO to see why.", what, status));
}

/// Calls on a stream return nothing: an error that they or what comes before them left there is found by asking the
/// stream.
void check_stream(cudaStream_t stream, const char* what) {
  const cudaError_t error = cudaStreamQuery(stream);
  if (error != cudaErrorNotReady) check_cuda(error, what);
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

/// Rows of peers whose memory is not mapped here. The network writes only to the symmetric heap, so a row that is got
/// arrives there and not in shared memory as in the paper.
struct GetArguments {
  const Rank* pes;
  const Local* positions;
  std::int64_t rows;
  const float* buffer;
  float* received;
  int width;
};

constexpr int kGetThreads = 128, kGetWarps = kGetThreads / 32;

// A warp for each row.
__global__ void __launch_bounds__(kGetThreads) get_rows(const GetArguments p) {
  const std::int64_t row = static_cast<std::int64_t>(blockIdx.x) * kGetWarps + threadIdx.x / 32;
  if (row >= p.rows) return;
  nvshmemx_float_get_warp(p.received + row * p.width, p.buffer + std::int64_t{p.positions[row]} * p.width,
                          static_cast<std::size_t>(p.width), p.pes[row]);
}

/// The rows that get_rows() gets in a phase.
struct Gets {
  DeviceArray<Rank> pes;
  DeviceArray<Local> positions;
};

Gets gets_of(const ColaPhase& phase, Rank first_peer, const std::vector<bool>& mapped, const Stream& stream) {
  std::vector<Rank> pes;
  std::vector<Local> positions;
  for (std::size_t c = 0; c < phase.remote.count(); ++c) {
    if (mapped[static_cast<std::size_t>(phase.remote.peers[c])]) continue;
    pes.push_back(first_peer + phase.remote.peers[c]);
    positions.push_back(phase.remote.positions[c]);
  }
  Gets out{uploaded(stream, std::span(pes)), uploaded(stream, std::span(positions))};
  stream.wait();
  return out;
}

class NvshmemLinks final : public ColaLinks {
 public:
  /// ends: NVSHMEM was started for these links, and ends with them. Collective.
  NvshmemLinks(Device& device, std::vector<ColaPart> parts, std::vector<Gets> gets, bool ends)
      : ColaLinks(std::move(parts)), device_(device), ends_(ends), gets_(std::move(gets)) {
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
      received_.make(values(sizes_.received));
      most_columns_ = columns;
    }
    columns_ = columns;
    for (std::size_t phase = 0; phase < std::min<std::size_t>(own.phases.size(), 3); ++phase) {
      std::vector<const void*> addresses;
      // Without an allocation no PE has rows to read.
      for (Rank i = 0; i < own.peers(); ++i)
        addresses.push_back(buffer_of(phase) ? nvshmem_ptr(buffer_of(phase), own.first_peer() + i) : nullptr);
      addresses.push_back(received_.data());
      own.tables(phase).set(own.compute, addresses, columns);
    }
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
    check_stream(stream_of(part().transfers), "NVSHMEM, putting rows");
  }

  void fetch(std::size_t, std::size_t phase) override {
    const Gets& gets = gets_[phase];
    const auto rows = static_cast<std::int64_t>(gets.pes.size());
    launch(
        get_rows, {.blocks = blocks_for(rows, kGetWarps), .threads = kGetThreads}, part().transfers,
        {gets.pes.data(), gets.positions.data(), rows, buffer_of(phase), received_.data(), static_cast<int>(columns_)});
  }

  void barrier() override {
    nvshmemx_barrier_all_on_stream(stream_of(part().compute));
    check_stream(stream_of(part().compute), "NVSHMEM, a barrier of all PEs");
  }

  void close() override {
    b_.free();
    slots_[0].free();
    slots_[1].free();
    send_.free();
    received_.free();
    if (ends_) nvshmem_finalize();
  }

 private:
  /// Rows, the most of any PE.
  struct Sizes {
    Local b, slots[2], send;
    Local received;
  };

  ColaPart& part() { return parts().front(); }
  float* buffer_of(std::size_t phase) const { return phase == 0 ? b_.data() : slots_[phase % 2].data(); }

  void agree_on_sizes() {
    ColaPart& own = part();
    const auto pes = static_cast<std::size_t>(own.groups.pes);
    SymmetricArray<Sizes> table;  // [PE], and last what this one tells
    table.make(pes + 1);
    const Sizes mine{own.own_rows, {own.slot_rows(0), own.slot_rows(1)}, own.send_rows(), own.received_rows()};
    Sizes* const own_sizes = table.data() + pes;
    device_.copy(own_sizes, sizeof(Sizes), &mine, sizeof(Sizes), sizeof(Sizes), 1, own.compute);
    for (Rank pe = 0; pe < own.groups.pes; ++pe)
      nvshmemx_putmem_on_stream(table.data() + own.pe, own_sizes, sizeof(Sizes), pe, stream_of(own.compute));
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
      sizes_.received = std::max(sizes_.received, s.received);
    }
  }

  Device& device_;
  const bool ends_;
  const std::vector<Gets> gets_;  // [phase]
  Sizes sizes_{};
  std::int64_t columns_ = 0, most_columns_ = 0;
  SymmetricArray<float> b_, send_, received_;
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

/// [peer of the workgroup] whether this PE's kernels can read its part of the symmetric heap. Collective.
std::vector<bool> mapped_peers(const ColaPlan& plan) {
  SymmetricArray<std::byte> any;
  any.make(1);
  std::vector<bool> out;
  const Rank group = plan.groups.of(plan.pe);
  for (Rank pe = plan.groups.begin(group); pe < plan.groups.end(group); ++pe)
    out.push_back(nvshmem_ptr(any.data(), pe) != nullptr);
  any.free();
  return out;
}

std::unique_ptr<ColaPipeline> open(Device& device, const ColaPlan& plan, std::span<const std::byte> id,
                                   const RunOnAll& on_all) {
  check_cuda(cudaSetDevice(device.facts().number), "choosing a device");
  const bool starts = start(plan, id);
  const std::vector<bool> mapped = mapped_peers(plan);
  std::vector<ColaPart> parts;
  std::vector<Gets> gets;
  on_all([&] {
    const ColaPart& part = parts.emplace_back(device, plan, mapped);
    for (const ColaPhase& phase : plan.phases) gets.push_back(gets_of(phase, part.first_peer(), mapped, part.compute));
  });
  return std::make_unique<LinkedPipeline>(
      std::make_unique<NvshmemLinks>(device, std::move(parts), std::move(gets), starts));
}

}  // namespace
}  // namespace atl::cuda

extern "C" const atl::ColaPlugin* atoll_nvshmem_plugin() {
  static constexpr atl::ColaPlugin kPlugin{atl::kPluginAbi, &atl::cuda::new_id, &atl::cuda::open};
  return &kPlugin;
}
