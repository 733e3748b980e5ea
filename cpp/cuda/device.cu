// SPDX-License-Identifier: Apache-2.0
#include <atoll/base/byte_count.hpp>
#include <atoll/device/device_plugin.hpp>
#include <cstring>
#include <utility>

#include "cola/one_process.hpp"
#include "gemm/min_plus.hpp"
#include "graph/graph.hpp"
#include "simt/launch.hpp"
#include "spmm/sparse.hpp"

namespace atl::cuda {

namespace {

#if defined(ATOLL_EMULATED)
constexpr bool kEmulated = true;
#else
constexpr bool kEmulated = false;
#endif

/// An error that a wait finds was begun before: its launch was right, or launch() would have thrown.
constexpr char kEarlierWork[] = "a kernel or a copy that was started earlier (CUDA_LAUNCH_BLOCKING=1 shows which)";

/// The oldest device that there are kernels for.
constexpr int kOldest = 80;

std::string version_text(int version) { return fmt::format("{}.{}", version / 1000, version % 1000 / 10); }

DeviceFacts facts_of(int number) {
  cudaDeviceProp p{};
  check_cuda(cudaGetDeviceProperties(&p, number), "reading a device's properties");
  int driver = 0, runtime = 0, clock = 0, memory_clock = 0, bus = 0;
  check_cuda(cudaDriverGetVersion(&driver), "reading the driver's version");
  check_cuda(cudaRuntimeGetVersion(&runtime), "reading the runtime's version");
  check_cuda(cudaDeviceGetAttribute(&clock, cudaDevAttrClockRate, number), "reading a device's clock");
  check_cuda(cudaDeviceGetAttribute(&memory_clock, cudaDevAttrMemoryClockRate, number), "reading a device's clock");
  check_cuda(cudaDeviceGetAttribute(&bus, cudaDevAttrGlobalMemoryBusWidth, number), "reading a device's memory");
  DeviceFacts out;
  out.name = p.name;
  out.driver = fmt::format("driver for CUDA {}, runtime {}", version_text(driver), version_text(runtime));
  out.number = number;
  static_assert(sizeof p.uuid == sizeof out.uuid);
  std::memcpy(out.uuid.data(), &p.uuid, sizeof p.uuid);
  out.architecture = 10 * p.major + p.minor;
  out.processors = p.multiProcessorCount;
  out.clock_hz = 1e3 * clock;
  out.memory_clock_hz = 1e3 * memory_clock;
  out.memory_bus_bits = bus;
  out.memory_bytes = p.totalGlobalMem;
  out.cache_bytes = static_cast<std::size_t>(p.l2CacheSize);
  out.shared_bytes = p.sharedMemPerBlockOptin;
  out.emulated = kEmulated;
  return out;
}

std::vector<DeviceFacts> devices() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0)
    throw DeviceError(
        fmt::format("there is no GPU to use: {} (a driver of NVIDIA's and a device are needed). Install the driver; "
                    "nvidia-smi then "
                    "lists the devices.",
                    error != cudaSuccess ? cudaGetErrorString(error) : "the driver shows no device"));
  std::vector<DeviceFacts> out;
  for (int i = 0; i < count; ++i) out.push_back(facts_of(i));
  return out;
}

class CudaDevice final : public Device {
 public:
  explicit CudaDevice(int number)
      : facts_(facts_of(number)),
        kernels_{min_plus_kernels(), sparse_kernels(), &cola_in_one_process, graph_kernels()} {
    if (facts_.architecture < kOldest)
      throw DeviceError(fmt::format("{} is sm_{} (kernels begin at sm_{}). Take a newer device, or --device cpu.",
                                    facts_.name, facts_.architecture, kOldest));
    use();
  }
  const DeviceFacts& facts() const override { return facts_; }
  /// Asked for each kernel, so that it is started on this device whatever the thread's current one has become.
  const DeviceKernels& kernels() const override {
    use();
    return kernels_;
  }
  std::size_t free_bytes() const override {
    use();
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "reading how much memory is free");
    return free;
  }

  void* allocate(std::size_t bytes, MemoryKind kind) override {
    check_kept();
    use();
    void* out = nullptr;
    const cudaError_t error =
        kind == MemoryKind::device ? cudaMalloc(&out, bytes) : cudaHostAlloc(&out, bytes, cudaHostAllocDefault);
    if (error == cudaSuccess) return out;
    cudaGetLastError();
    throw DeviceError(
        fmt::format("{} bytes of {} cannot be had: {} ({:.1f} GB of the device are free). Take a smaller "
                    "problem or a narrower type, or more devices.",
                    bytes, kind == MemoryKind::device ? "device memory" : "pinned memory", cudaGetErrorString(error),
                    static_cast<double>(free_bytes()) / 1e9));
  }
  void release(void* memory, MemoryKind kind) noexcept override {
    if (abandoned_) return;
    // An error here is one of a kernel before, which waiting for its stream has thrown.
    static_cast<void>(kind == MemoryKind::device ? cudaFree(memory) : cudaFreeHost(memory));
  }

  bool pin(void* memory, std::size_t bytes) override {
    use();
    const cudaError_t error = cudaHostRegister(memory, bytes, cudaHostRegisterDefault);
    if (error == cudaSuccess) return true;
    cudaGetLastError();
    if (!std::exchange(said_not_pinned_, true))
      log()(LogLevel::warn,
            "{} of the host's memory cannot be pinned for {}: {} (copies of it wait for each other and for kernels). "
            "Raise the limit of locked memory (`ulimit -l`), or leave more memory free.",
            bytes_text(static_cast<double>(bytes)), facts_.name, cudaGetErrorString(error));
    return false;
  }
  void unpin(void* memory) noexcept override {
    if (!abandoned_) static_cast<void>(cudaHostUnregister(memory));
  }

  StreamHandle make_stream() override {
    use();
    cudaStream_t out = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&out, cudaStreamNonBlocking), "making a stream");
    return out;
  }
  void free_stream(StreamHandle stream) noexcept override {
    if (!abandoned_) static_cast<void>(cudaStreamDestroy(stream_of(stream)));
  }
  void abandon() noexcept override { abandoned_ = true; }
  void wait(StreamHandle stream) override {
    check_kept();
    use();
    check_cuda(cudaStreamSynchronize(stream_of(stream)), kEarlierWork);
  }
  EventHandle make_event() override {
    use();
    cudaEvent_t out = nullptr;
    check_cuda(cudaEventCreateWithFlags(&out, cudaEventDefault), "making an event");
    return out;
  }
  void free_event(EventHandle event) noexcept override {
    if (!abandoned_) static_cast<void>(cudaEventDestroy(event_of(event)));
  }
  void record(EventHandle event, StreamHandle stream) override {
    use();
    check_cuda(cudaEventRecord(event_of(event), stream_of(stream)), "recording an event");
  }
  void wait_for(StreamHandle stream, EventHandle event) override {
    check_cuda(cudaStreamWaitEvent(stream_of(stream), event_of(event), 0), "waiting for an event");
  }
  void wait_event(EventHandle event) override {
    check_kept();
    check_cuda(cudaEventSynchronize(event_of(event)), kEarlierWork);
  }
  bool happened(EventHandle event) override {
    const cudaError_t error = cudaEventQuery(event_of(event));
    if (error == cudaErrorNotReady) return false;
    check_cuda(error, kEarlierWork);
    return true;
  }
  double seconds_between(EventHandle first, EventHandle last) override {
    float milliseconds = 0;
    check_cuda(cudaEventElapsedTime(&milliseconds, event_of(first), event_of(last)), "reading the time");
    return 1e-3 * static_cast<double>(milliseconds);
  }

  void copy(void* to, std::size_t to_stride, const void* from, std::size_t from_stride, std::size_t row_bytes,
            std::size_t rows, StreamHandle stream) override {
    if (row_bytes == 0 || rows == 0) return;
    use();
    // Rows that lie together are one piece: strides of the other form end at 2 GiB.
    if (rows == 1 || (to_stride == row_bytes && from_stride == row_bytes)) {
      check_cuda(cudaMemcpyAsync(to, from, row_bytes * rows, cudaMemcpyDefault, stream_of(stream)), "copying");
    } else {
      check_cuda(
          cudaMemcpy2DAsync(to, to_stride, from, from_stride, row_bytes, rows, cudaMemcpyDefault, stream_of(stream)),
          "copying");
    }
  }
  void fill(void* memory, int byte, std::size_t bytes, StreamHandle stream) override {
    if (bytes == 0) return;
    use();
    check_cuda(cudaMemsetAsync(memory, byte, bytes, stream_of(stream)), "filling memory");
  }

 private:
  static cudaEvent_t event_of(EventHandle event) { return static_cast<cudaEvent_t>(event); }
  void check_kept() const {
    if (abandoned_)
      throw DeviceError(
          fmt::format("{} was left as it was (a peer that it waits for is lost). Start the job again.", facts_.name));
  }
  // A host thread's current device is its own.
  void use() const { check_cuda(cudaSetDevice(facts_.number), "choosing a device"); }

  const DeviceFacts facts_;
  const DeviceKernels kernels_;
  bool abandoned_ = false, said_not_pinned_ = false;
};

std::unique_ptr<Device> open(int number) { return std::make_unique<CudaDevice>(number); }

}  // namespace
}  // namespace atl::cuda

extern "C" const atl::DevicePlugin* atoll_device_plugin() {
  static constexpr atl::DevicePlugin kPlugin{atl::kPluginAbi, &atl::cuda::devices, &atl::cuda::open};
  return &kPlugin;
}
