// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/cola/cola_plan.hpp>
#include <atoll/device/device.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

/// Products C <- A B of a distributed sparse matrix on devices, by CoLa's pipeline (algorithm 3): while a phase
/// multiplies, the rows of B of the next one come.
///
///     const auto pipeline = cola_on_one_device(*gpu, std::move(plans));   // the PEs are streams of one device
///     pipeline->multiply(32, b, c);                                       // b[i], c[i]: rows of the PE of plans[i]
///     gpu->wait(pipeline->stream(i));                                     // c[i] is there
///
/// Or with a PE in each process, over NVSHMEM or NCCL:
///
///     const auto id = pe == 0 ? new_cola_id("nvshmem") : ...;             // one process makes it, the others get it
///     const auto pipeline = open_cola("nvshmem", *gpu, plan, id, on_all); // collective over the PEs
///     pipeline->multiply(32, {&b, 1}, {&c, 1});
///     ended.record(pipeline->stream(0));
///     wait_with_peers(world, *gpu, ended, "a product");                   // throws if a peer is lost
///     pipeline->close();
namespace atl {

/// Bytes of rows of B that the PEs of a pipeline have asked for, in all products so far; a row of a column that is cut
/// into pieces counts once.
struct ColaBytes {
  std::uint64_t inside = 0;  ///< fetched from peers of a workgroup
  std::uint64_t across = 0;  ///< put from workgroup to workgroup
};

class ColaPipeline {
 public:
  virtual ~ColaPipeline();

  /// Enqueues C <- A B with `columns` columns, for all PEs of the pipeline. b[i] and c[i] are the rows of the i-th one,
  /// of any stride, apart from each other. On the thread that opened the pipeline. Collective where PEs are processes:
  /// with the same `columns` on all of them. Values are summed in an order that may differ from product to product.
  /// Allocates where `columns` is more than ever before, and then waits. Throws InputError where the sizes do not fit
  /// the plans.
  virtual void multiply(std::int64_t columns, std::span<const DeviceView<const float>> b,
                        std::span<const DeviceView<float>> c) = 0;

  /// A product begins after what this stream has been given (the copies that make b[i]). What it is given afterwards
  /// sees c[i], and may change b[i]: no PE reads it any more.
  virtual StreamHandle stream(std::size_t part) const = 0;

  virtual const ColaBytes& bytes() const = 0;

  /// Waits, and gives back what the PEs share. Collective where PEs are processes; nothing may follow. A pipeline that
  /// ends without it leaves that to the end of the process.
  virtual void close() = 0;
};

/// All PEs in this process on one device; the rows of B of all of them have one stride. Throws InputError unless there is a plan for each PE, in their order, and
/// DeviceError if memory is short.
std::unique_ptr<ColaPipeline> cola_on_one_device(Device& device, std::span<const ColaPlan> plans);

/// Runs a step that may fail on a single rank, such as an allocation, and throws on all ranks if it threw on any, so that
/// no rank waits in the next collective call for one that has failed (World::collective_try).
using RunOnAll = std::function<void(const std::function<void()>& own)>;

/// The exports of a plug-in for CoLa over other links; `abi` is checked before anything else is used.
struct ColaPlugin {
  std::uint32_t abi;
  std::vector<std::byte> (*new_id)();
  std::unique_ptr<ColaPipeline> (*open)(Device& device, const ColaPlan& plan, std::span<const std::byte> id,
                                        const RunOnAll& on_all);
};

/// links: "nvshmem" or "nccl". An id by which the PEs of a pipeline find each other: one process makes it and gives it
/// to the others. Throws DeviceError that says what is missing.
std::vector<std::byte> new_cola_id(const std::string& links);
/// One PE for this process, on its device. Collective over all PEs of the plan. If a PE dies meanwhile, the others wait
/// in the links' library, which has no limit of time.
std::unique_ptr<ColaPipeline> open_cola(const std::string& links, Device& device, const ColaPlan& plan,
                                        std::span<const std::byte> id, const RunOnAll& on_all);

}  // namespace atl
