// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atoll/base/error.hpp>
#include <atoll/base/log.hpp>
#include <atoll/device/device_kernels.hpp>
#include <atoll/matrix/matrix.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>

/// A GPU as the engine sees it: memory of its own, streams of work, and kernels. What implements it is the plug-in of
/// cpp/cuda, opened where `--device cuda` asks for it.
///
///     const std::shared_ptr<Device> gpu = open_device("cuda", 0);
///     Stream stream(*gpu);
///     DeviceMatrix<float> d(*gpu, n, n);
///     upload(stream, host.view(), d.view());
///     ...                                                // kernels on the stream
///     download(stream, d.view(), host.view());
///     stream.wait();                                     // throws DeviceError of any of these
///
/// Memory of a device is of types of its own, which cannot be read here, so that no host code takes it for its own.
namespace atl {

/// A device refused: no memory, a kernel that failed, a driver that is too old. Exit code 1.
class DeviceError : public Error {
 public:
  using Error::Error;
};

struct DeviceFacts {
  std::string name;                      ///< "NVIDIA H200"
  std::string driver;                    ///< "driver 13.0, runtime 13.0"
  int number = 0;                        ///< among those that this process sees
  std::array<unsigned char, 16> uuid{};  ///< the same for every process that has the device
  int architecture = 0;                  ///< 80, 90, 100: ten times the compute capability
  int processors = 0;                    ///< streaming multiprocessors
  double clock_hz = 0;                   ///< the highest of the processors
  double memory_clock_hz = 0;
  int memory_bus_bits = 0;
  std::size_t memory_bytes = 0;
  std::size_t cache_bytes = 0;   ///< second-level cache
  std::size_t shared_bytes = 0;  ///< shared memory that one block may ask for
  bool emulated = false;         ///< kernels run on the host: for tests
};

enum class MemoryKind : std::uint8_t {
  device,  ///< read and written by kernels only
  pinned,  ///< of the host, page-locked: copies run beside kernels
};

class Device {
 public:
  virtual ~Device();
  virtual const DeviceFacts& facts() const = 0;
  virtual std::size_t free_bytes() const = 0;
  virtual const DeviceKernels& kernels() const = 0;

  /// Aligned to 256 bytes; not initialised. Throws DeviceError that says how much is free.
  virtual void* allocate(std::size_t bytes, MemoryKind kind) = 0;
  virtual void release(void* memory, MemoryKind kind) noexcept = 0;

  /// The part of free_bytes() that this rank may use.
  std::size_t claimable_bytes() const { return std::min(free_bytes(), share_bytes_); }
  /// The device is that of so many ranks, none of which has allocated yet: each may have its part of what is free now.
  void share_among(int ranks) { share_bytes_ = free_bytes() / static_cast<std::size_t>(ranks); }

  /// Where it says what is not as it should be; silent by default.
  void log_to(Log log) { log_ = std::move(log); }

  /// Locks pages of the host's own memory, so that copies of it run beside kernels; false where the system refuses, of
  /// which the first time is logged.
  virtual bool pin(void* memory, std::size_t bytes) = 0;
  virtual void unpin(void* memory) noexcept = 0;

  virtual StreamHandle make_stream() = 0;
  virtual void free_stream(StreamHandle stream) noexcept = 0;
  /// Declares that the device's work will not end, since it waits for a peer that is lost: waits and allocations are
  /// errors from now on, and memory, streams and events are left to the end of the process, as freeing them would wait.
  virtual void abandon() noexcept = 0;
  /// Waits until all that the stream was given is done, and throws DeviceError if any of it failed.
  virtual void wait(StreamHandle stream) = 0;
  virtual EventHandle make_event() = 0;
  virtual void free_event(EventHandle event) noexcept = 0;
  /// The event happens when all that the stream has been given so far is done.
  virtual void record(EventHandle event, StreamHandle stream) = 0;
  /// Makes the work enqueued from now on begin after the event.
  virtual void wait_for(StreamHandle stream, EventHandle event) = 0;
  virtual void wait_event(EventHandle event) = 0;
  virtual bool happened(EventHandle event) = 0;
  /// Seconds between two events that have happened.
  virtual double seconds_between(EventHandle first, EventHandle last) = 0;

  /// Copies `rows` rows of row_bytes; addresses of any memory, strides in bytes.
  virtual void copy(void* to, std::size_t to_stride, const void* from, std::size_t from_stride, std::size_t row_bytes,
                    std::size_t rows, StreamHandle stream) = 0;
  /// Sets each byte.
  virtual void fill(void* memory, int byte, std::size_t bytes, StreamHandle stream) = 0;

 protected:
  const Log& log() const { return log_; }

 private:
  Log log_;
  std::size_t share_bytes_ = std::numeric_limits<std::size_t>::max();
};

/// Opens device `number` of a kind ("cuda"), modulo those that this machine has, so that ranks of a node share them
/// evenly. Throws DeviceError that says what is missing.
std::shared_ptr<Device> open_device(const std::string& kind, int number);

/// Memory of the host that is pinned for as long as this lives, where the system allows it.
class Pinned {
 public:
  Pinned(Device& device, void* memory, std::size_t bytes)
      : device_(device), memory_(bytes > 0 && device.pin(memory, bytes) ? memory : nullptr) {}
  Pinned(const Pinned&) = delete;
  Pinned& operator=(const Pinned&) = delete;
  ~Pinned() {
    if (memory_) device_.unpin(memory_);
  }

 private:
  Device& device_;
  void* memory_;
};

/// A stream that ends with its scope; or one of somebody else's, as PyTorch's current one.
class Stream {
 public:
  explicit Stream(Device& device) : device_(&device), handle_(device.make_stream()), own_(true) {}
  static Stream borrowed(Device& device, StreamHandle handle) { return Stream(device, handle); }
  Stream(Stream&& other) noexcept
      : device_(other.device_), handle_(other.handle_), own_(std::exchange(other.own_, false)) {}
  Stream(const Stream&) = delete;
  Stream& operator=(const Stream&) = delete;
  ~Stream() {
    if (own_) device_->free_stream(handle_);
  }
  Device& device() const { return *device_; }
  operator StreamHandle() const { return handle_; }
  void wait() const { device_->wait(handle_); }

 private:
  Stream(Device& device, StreamHandle handle) : device_(&device), handle_(handle), own_(false) {}

  Device* device_;
  StreamHandle handle_;
  bool own_;
};

class Event {
 public:
  explicit Event(Device& device) : device_(&device), handle_(device.make_event()) {}
  Event(Event&& other) noexcept : device_(other.device_), handle_(std::exchange(other.handle_, nullptr)) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() {
    if (handle_) device_->free_event(handle_);
  }
  void record(StreamHandle stream) { device_->record(handle_, stream); }
  void hold(StreamHandle stream) const { device_->wait_for(stream, handle_); }  ///< until this happens
  void wait() const { device_->wait_event(handle_); }
  operator EventHandle() const { return handle_; }

 private:
  Device* device_;
  EventHandle handle_;
};

/// Memory of a device, or pinned memory of the host for it.
template <class T, MemoryKind Kind = MemoryKind::device>
class DeviceArray {
 public:
  DeviceArray() = default;
  DeviceArray(Device& device, std::size_t size)
      : device_(&device),
        data_(size > 0 ? static_cast<T*>(device.allocate(size * sizeof(T), Kind)) : nullptr),
        size_(size) {}
  DeviceArray(DeviceArray&& other) noexcept { swap(other); }
  DeviceArray& operator=(DeviceArray&& other) noexcept {
    DeviceArray(std::move(other)).swap(*this);
    return *this;
  }
  DeviceArray(const DeviceArray&) = delete;
  DeviceArray& operator=(const DeviceArray&) = delete;
  ~DeviceArray() {
    if (data_) device_->release(data_, Kind);
  }
  /// An address for kernels and copies; of pinned memory, for the host too.
  T* data() const { return data_; }
  std::size_t size() const { return size_; }
  std::size_t memory_bytes() const { return size_ * sizeof(T); }
  T& operator[](std::size_t i) const
    requires(Kind == MemoryKind::pinned)
  {
    return data_[i];
  }
  T* begin() const
    requires(Kind == MemoryKind::pinned)
  {
    return data_;
  }
  T* end() const
    requires(Kind == MemoryKind::pinned)
  {
    return data_ + size_;
  }
  void swap(DeviceArray& other) noexcept {
    std::swap(device_, other.device_);
    std::swap(data_, other.data_);
    std::swap(size_, other.size_);
  }

 private:
  Device* device_ = nullptr;
  T* data_ = nullptr;
  std::size_t size_ = 0;
};
template <class T>
using PinnedArray = DeviceArray<T, MemoryKind::pinned>;

/// A dense row-major matrix in a device's memory; rows begin at multiples of 64 bytes.
template <class T>
class DeviceMatrix {
 public:
  DeviceMatrix() = default;
  DeviceMatrix(Device& device, std::int64_t rows, std::int64_t cols)
      : rows_(rows),
        cols_(cols),
        stride_((cols + kLine - 1) / kLine * kLine),
        values_(device, static_cast<std::size_t>(rows * stride_)) {}
  std::int64_t rows() const { return rows_; }
  std::int64_t cols() const { return cols_; }
  DeviceView<T> view() const { return {values_.data(), rows_, cols_, stride_}; }
  std::size_t memory_bytes() const { return values_.memory_bytes(); }

 private:
  static constexpr auto kLine = static_cast<std::int64_t>(64 / sizeof(T));
  std::int64_t rows_ = 0, cols_ = 0, stride_ = 0;
  DeviceArray<T> values_;
};

/// Copies between this host and the device, in order with what the stream has. Memory of the host that is not pinned
/// must stay until the stream has been waited for.
template <class T>
void upload(const Stream& stream, MatrixView<const std::type_identity_t<T>> from, DeviceView<T> to) {
  stream.device().copy(to.data, static_cast<std::size_t>(to.stride) * sizeof(T), from.data,
                       static_cast<std::size_t>(from.stride) * sizeof(T),
                       static_cast<std::size_t>(from.cols) * sizeof(T), static_cast<std::size_t>(from.rows), stream);
}
template <class T>
void download(const Stream& stream, DeviceView<T> from, MatrixView<std::remove_const_t<T>> to) {
  stream.device().copy(to.data, static_cast<std::size_t>(to.stride) * sizeof(T), from.data,
                       static_cast<std::size_t>(from.stride) * sizeof(T),
                       static_cast<std::size_t>(from.cols) * sizeof(T), static_cast<std::size_t>(from.rows), stream);
}
template <class T>
DeviceArray<std::remove_const_t<T>> uploaded(const Stream& stream, std::span<T> from) {
  DeviceArray<std::remove_const_t<T>> out(stream.device(), from.size());
  if (!from.empty())
    stream.device().copy(out.data(), from.size_bytes(), from.data(), from.size_bytes(), from.size_bytes(), 1, stream);
  return out;
}
template <class T>
void download(const Stream& stream, const DeviceArray<T>& from, std::span<T> to) {
  if (!to.empty())
    stream.device().copy(to.data(), to.size_bytes(), from.data(), to.size_bytes(), to.size_bytes(), 1, stream);
}

}  // namespace atl
