// SPDX-License-Identifier: Apache-2.0
#include <cuda_runtime.h>
#include <unistd.h>

#include <atoll/base/timer.hpp>
#include <cstdlib>
#include <deque>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "block.hpp"

struct EmulatedEvent {
  std::int64_t recorded = 0, happened = 0;  // how often
};

// One host thread at a time uses a device, so all of this is plain. The state is of a thread: each rank of a test that
// runs ranks as threads has a device of its own.
namespace emulation {
namespace {

constexpr std::byte kFence{0xa5};
constexpr std::size_t kFenceBytes = 256;

std::uint64_t seed_of_process() {
  const char* text = std::getenv("ATOLL_EMULATION_SEED");
  return text ? std::strtoull(text, nullptr, 10) : 1;
}

struct Machine {
  Machine() = default;
  Machine(const Machine&) = delete;
  Machine& operator=(const Machine&) = delete;
  ~Machine();  // what an abandoned device has left

  Block block{seed_of_process()};
  std::vector<EmulatedStream*> streams;
  std::set<EmulatedStream*> made_streams;  // of those all but the one that every device has
  std::set<EmulatedEvent*> made_events;
  std::vector<std::unique_ptr<EmulatedEvent>> destroyed;  // that streams may still wait for
  std::map<void*, std::size_t> memory;
  std::size_t used = 0;
  std::string error;  // of the last call that failed
};
/// A thread's machine ends with it. The main thread's stays: while a process ends, fibers cannot be resumed.
class OwnMachine {
 public:
  OwnMachine() : machine_(new Machine) {}
  OwnMachine(const OwnMachine&) = delete;
  OwnMachine& operator=(const OwnMachine&) = delete;
  ~OwnMachine() {
    if (gettid() != getpid()) delete machine_;
  }
  Machine& operator*() const { return *machine_; }

 private:
  Machine* const machine_;
};
Machine& machine() {
  static thread_local OwnMachine m;
  return *m;
}

void check_fence(void* memory, std::size_t bytes) {
  for (std::size_t i = 0; i < kFenceBytes; ++i)
    if (static_cast<std::byte*>(memory)[bytes + i] != kFence) {
      std::fprintf(stderr, "emulation: a kernel wrote %zu bytes behind an allocation of %zu\n", i, bytes);
      std::abort();
    }
}

}  // namespace
}  // namespace emulation

struct EmulatedStream {
  struct Work {
    std::function<void()> run;
    EmulatedEvent* after = nullptr;
    std::int64_t version = 0;
    std::function<bool()> ready = {};
    bool can_run() const { return (!after || after->happened >= version) && (!ready || ready()); }
  };
  std::deque<Work> work;
};

namespace emulation {
namespace {

Machine::~Machine() {
  for (EmulatedStream* stream : made_streams) delete stream;
  for (EmulatedEvent* event : made_events) delete event;
  for (const auto& [memory, bytes] : memory) std::free(memory);
}

// Seconds until a message of another thread is taken for lost.
constexpr double kPatience = 60;

// Does one piece of work of some stream that can go on; false if none can.
bool step() {
  Machine& m = machine();
  std::vector<EmulatedStream*> can;
  for (EmulatedStream* s : m.streams)
    if (!s->work.empty() && s->work.front().can_run()) can.push_back(s);
  if (can.empty()) return false;
  EmulatedStream& s = *can[m.block.draw() % can.size()];
  const EmulatedStream::Work work = std::move(s.work.front());
  s.work.pop_front();
  if (work.run) work.run();
  return true;
}

template <class Done>
cudaError_t run_until(Done&& done) {
  const atl::Timer timer;
  while (!done())
    if (!step()) {
      const bool hears = std::ranges::any_of(
          machine().streams, [](const EmulatedStream* s) { return !s->work.empty() && s->work.front().ready; });
      if (!hears || timer.seconds() > kPatience) {
        machine().error = hears ? "a message never comes" : "a stream waits for an event that never happens";
        return cudaErrorUnknown;
      }
      std::this_thread::yield();  // another thread sends what is waited for
    }
  for (const auto& [memory, bytes] : machine().memory) check_fence(memory, bytes);
  if (std::ranges::all_of(machine().streams, [](const EmulatedStream* s) { return s->work.empty(); }))
    machine().destroyed.clear();
  return cudaSuccess;
}

// Null is the stream that every device has.
EmulatedStream& of(cudaStream_t stream) {
  static thread_local EmulatedStream usual;
  if (stream) return *stream;
  auto& all = machine().streams;
  if (std::ranges::find(all, &usual) == all.end()) all.push_back(&usual);
  return usual;
}

void add(cudaStream_t stream, std::function<void()> run) {
  of(stream).work.push_back({.run = std::move(run), .ready = {}});
}

// A device would wait for it, and the message perhaps for what this host thread does next.
void check_no_message_is_under_way(const char* what) {
  for (const EmulatedStream* s : machine().streams)
    for (const EmulatedStream::Work& work : s->work)
      if (work.ready) {
        std::fprintf(stderr, "emulation: memory is %s while a message is under way\n", what);
        std::abort();
      }
}

cudaError_t allocate(void** out, std::size_t bytes) {
  *out = std::aligned_alloc(256, (bytes + kFenceBytes + 255) / 256 * 256);
  if (!*out) return cudaErrorMemoryAllocation;
  std::memset(*out, static_cast<int>(kPoison), bytes);
  std::memset(static_cast<std::byte*>(*out) + bytes, static_cast<int>(kFence), kFenceBytes);
  machine().memory[*out] = bytes;
  machine().used += bytes;
  return cudaSuccess;
}
cudaError_t release(void* memory) {
  if (!memory) return cudaSuccess;
  check_no_message_is_under_way("freed");
  while (step()) {
  }  // freeing waits for what is under way
  const auto at = machine().memory.find(memory);
  check_fence(memory, at->second);
  machine().used -= at->second;
  machine().memory.erase(at);
  std::free(memory);
  return cudaSuccess;
}

// The memory that an emulated device claims, so that tests can exceed it.
constexpr std::size_t kUsualMemory = std::size_t{1} << 30;
std::size_t memory_bytes() {
  const char* text = std::getenv("ATOLL_EMULATION_BYTES");
  return text ? std::strtoull(text, nullptr, 10) : kUsualMemory;
}

}  // namespace

Block& current_block() { return machine().block; }

void enqueue(cudaStream_t stream, dim3 blocks, dim3 threads, std::size_t shared_bytes, std::function<void()> kernel) {
  add(stream, [=, kernel = std::move(kernel)] {
    Block& block = machine().block;
    // Blocks run in any order: here up or down.
    const bool up = block.draw() % 2 == 0;
    for (unsigned b = 0; b < blocks.x; ++b) block.run(blocks, up ? b : blocks.x - 1 - b, threads, shared_bytes, kernel);
  });
}

void enqueue_host(cudaStream_t stream, std::function<void()> work, std::function<bool()> ready) {
  of(stream).work.push_back({.run = std::move(work), .ready = std::move(ready)});
}

}  // namespace emulation

using emulation::machine;

const char* cudaGetErrorString(cudaError_t error) {
  if (error == cudaErrorMemoryAllocation) return "out of memory";
  return machine().error.c_str();
}
cudaError_t cudaGetLastError() { return cudaSuccess; }
cudaError_t cudaGetDeviceCount(int* count) {
  *count = 2;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int) { return cudaSuccess; }
cudaError_t cudaGetDeviceProperties(cudaDeviceProp* out, int number) {
  *out = {};
  std::strcpy(out->name, "this host");
  const char* text = std::getenv("ATOLL_EMULATION_ARCHITECTURE");
  const int architecture = text ? std::atoi(text) : 90;
  out->major = architecture / 10;
  out->minor = architecture % 10;
  out->multiProcessorCount = 4;
  out->uuid.bytes[0] = static_cast<char>(number);
  out->l2CacheSize = 1 << 20;
  out->totalGlobalMem = emulation::memory_bytes();
  out->sharedMemPerBlockOptin = 227 << 10;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
  *value = 1000000;
  return cudaSuccess;
}
cudaError_t cudaDriverGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaRuntimeGetVersion(int* version) {
  *version = 13000;
  return cudaSuccess;
}
cudaError_t cudaMemGetInfo(std::size_t* free, std::size_t* total) {
  *total = emulation::memory_bytes();
  *free = *total > machine().used ? *total - machine().used : 0;
  return cudaSuccess;
}
cudaError_t cudaMalloc(void** out, std::size_t bytes) {
  emulation::check_no_message_is_under_way("allocated");
  if (machine().used + bytes > emulation::memory_bytes()) return cudaErrorMemoryAllocation;
  return emulation::allocate(out, bytes);
}
cudaError_t cudaFree(void* memory) { return emulation::release(memory); }
cudaError_t cudaHostAlloc(void** out, std::size_t bytes, unsigned) { return emulation::allocate(out, bytes); }
cudaError_t cudaFreeHost(void* memory) { return emulation::release(memory); }
// With ATOLL_EMULATION_PINS=0 the host locks no pages, as with a low `ulimit -l`.
cudaError_t cudaHostRegister(void*, std::size_t, unsigned) {
  const char* const pins = std::getenv("ATOLL_EMULATION_PINS");
  return pins && *pins == '0' ? cudaErrorMemoryAllocation : cudaSuccess;
}
cudaError_t cudaHostUnregister(void*) { return cudaSuccess; }
cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
  emulation::add(stream, [=] { std::memcpy(to, from, bytes); });
  return cudaSuccess;
}
cudaError_t cudaMemcpy2DAsync(void* to, std::size_t to_stride, const void* from, std::size_t from_stride,
                              std::size_t width, std::size_t rows, cudaMemcpyKind, cudaStream_t stream) {
  if (rows > 1 && (width > to_stride || width > from_stride)) {
    machine().error = "rows overlap in a copy";
    return cudaErrorUnknown;
  }
  emulation::add(stream, [=] {
    for (std::size_t i = 0; i < rows; ++i)
      std::memcpy(static_cast<std::byte*>(to) + i * to_stride, static_cast<const std::byte*>(from) + i * from_stride,
                  width);
  });
  return cudaSuccess;
}
cudaError_t cudaMemsetAsync(void* to, int byte, std::size_t bytes, cudaStream_t stream) {
  emulation::add(stream, [=] { std::memset(to, byte, bytes); });
  return cudaSuccess;
}
cudaError_t cudaStreamCreateWithFlags(cudaStream_t* out, unsigned) {
  *out = new EmulatedStream;
  machine().streams.push_back(*out);
  machine().made_streams.insert(*out);
  return cudaSuccess;
}
cudaError_t cudaStreamDestroy(cudaStream_t stream) {
  cudaStreamSynchronize(stream);
  std::erase(machine().streams, stream);
  machine().made_streams.erase(stream);
  delete stream;
  return cudaSuccess;
}
cudaError_t cudaStreamSynchronize(cudaStream_t stream) {
  EmulatedStream* const s = &emulation::of(stream);
  return emulation::run_until([=] { return s->work.empty(); });
}
cudaError_t cudaStreamQuery(cudaStream_t stream) {
  return emulation::of(stream).work.empty() ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, unsigned) {
  emulation::of(stream).work.push_back({.run = {}, .after = event, .version = event->recorded, .ready = {}});
  return cudaSuccess;
}
cudaError_t cudaEventCreateWithFlags(cudaEvent_t* out, unsigned) {
  *out = new EmulatedEvent;
  machine().made_events.insert(*out);
  return cudaSuccess;
}
cudaError_t cudaEventDestroy(cudaEvent_t event) {
  machine().made_events.erase(event);
  machine().destroyed.emplace_back(event);
  return cudaSuccess;
}
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
  const std::int64_t version = ++event->recorded;
  emulation::add(stream, [=] { event->happened = std::max(event->happened, version); });
  return cudaSuccess;
}
cudaError_t cudaEventSynchronize(cudaEvent_t event) {
  return emulation::run_until([=] { return event->happened >= event->recorded; });
}
// Something is done each time, or who asks until it has happened would ask for ever.
cudaError_t cudaEventQuery(cudaEvent_t event) {
  if (event->happened < event->recorded) emulation::step();
  return event->happened >= event->recorded ? cudaSuccess : cudaErrorNotReady;
}
cudaError_t cudaEventElapsedTime(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 1;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void*, cudaFuncAttribute, int) { return cudaSuccess; }
