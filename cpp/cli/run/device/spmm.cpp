// SPDX-License-Identifier: Apache-2.0
#include "spmm.hpp"

#include <algorithm>
#include <atoll/device/rank_device.hpp>

namespace atl::cli {
namespace {

// Ranks of a leaf domain are a workgroup; all of them, where there are no domains.
Rank workgroup_size(const World& world) {
  const Hierarchy& ranks = world.hierarchy();
  Rank size = 1;
  while (size < world.size() && ranks.leaf_of(size) == ranks.leaf_of(0)) ++size;
  return size;
}

ColaPlan plan_of(World& world, const MatrixRows<float>& rows) {
  const ColaRows mine{{rows.offsets.data(), rows.offsets.size()},
                      {rows.columns.data(), rows.columns.size()},
                      {rows.values.data(), rows.values.size()}};
  const std::vector<Vertex> own = needed_columns(mine, rows.column_blocks, world.rank());
  const auto counts = world.all_gather(own.size());
  const auto all = world.all_gather_varying(std::span<const Vertex>(own));
  std::vector<std::vector<Vertex>> needed;
  auto at = all.begin();
  for (const std::size_t count : counts) {
    needed.emplace_back(at, at + static_cast<std::ptrdiff_t>(count));
    at += static_cast<std::ptrdiff_t>(count);
  }
  return ColaPlan({.pes = world.size(), .size = workgroup_size(world)}, world.rank(), rows.column_blocks, mine, needed);
}

}  // namespace

ProductOnDevices::ProductOnDevices(World& world, Device& device, MatrixRows<float>&& rows, const Options& options)
    : world_(world), stream_(device), ended_(device), options_(options) {
  const auto own = static_cast<std::int64_t>(rows.rows());
  const std::int64_t owned = rows.column_blocks.size(world.rank());
  if (world.size() > 1 && options.reduce != Reduce::sum)
    throw UsageError("--reduce on several devices (CoLa's pipeline adds up). Leave it out, or run one rank.");
  if (world.size() > 1 && options.links == "nvshmem" && world.fabric().name() == "inproc" && !device.facts().emulated)
    throw UsageError(fmt::format(
        "--links nvshmem between ranks that are threads of one process (NVSHMEM has one PE in each process). "
        "Add --transport shm, or start the ranks by a launcher."));
  world.collective_try([&] {
    b_ = DeviceMatrix<float>(device, owned, options.columns);
    c_ = DeviceMatrix<float>(device, own, options.columns);
  });
  if (world.size() == 1) {
    const SparseMatrix<float> a = matrix_of(std::move(rows));
    by_rows_.emplace(stream_, a.view(), options.reduce);
    by_rows_->reserve(stream_, options.columns);
    about_ = fmt::format("by rows on {}", device.facts().name);
    return;
  }
  const ColaPlan plan = world.collective_try([&] { return plan_of(world, rows); });
  const std::vector<std::byte> id =
      world.collective_try([&] { return world.rank() == 0 ? new_cola_id(options.links) : std::vector<std::byte>(); });
  const auto ids = world.all_gather_varying(std::span<const std::byte>(id));
  const std::vector<std::byte> shared(ids.begin(), ids.end());
  pipeline_ = world.collective_try([&] {
    return open_cola(options.links, device, plan, shared,
                     [&](const std::function<void()>& own) { world.collective_try(own); });
  });
  about_ = fmt::format("CoLa's pipeline over {}, {} workgroups of {}, on {}", options.links, plan.groups.count(),
                       plan.groups.size, device.facts().name);
}

void ProductOnDevices::set(MatrixView<const float> b) {
  upload(stream_, b, b_.view());
  stream_.wait();
}

void ProductOnDevices::multiply() {
  ++products_;
  if (by_rows_) {
    (*by_rows_)(stream_, b_.view(), c_.view());
    return stream_.wait();
  }
  const DeviceView<const float> b = b_.view();
  const DeviceView<float> c = c_.view();
  pipeline_->multiply(options_.columns, {&b, 1}, {&c, 1});
  ended_.record(pipeline_->stream(0));
  wait_with_peers(world_, stream_.device(), ended_, "a product on devices");
}

void ProductOnDevices::get(MatrixView<float> c) const {
  download(stream_, c_.view(), c);
  stream_.wait();
}

void ProductOnDevices::close() {
  if (!pipeline_) return;
  world_.barrier();  // a peer that is lost is noticed here, and not in calls of a library that would wait for it
  world_.collective_try([&] { pipeline_->close(); });
}

ColaBytes ProductOnDevices::bytes() const {
  if (!pipeline_ || products_ == 0) return {};
  return {.inside = world_.sum(pipeline_->bytes().inside) / products_,
          .across = world_.sum(pipeline_->bytes().across) / products_};
}

std::size_t ProductOnDevices::memory_bytes() const {
  return b_.memory_bytes() + c_.memory_bytes() + (by_rows_ ? by_rows_->memory_bytes() : 0);
}

}  // namespace atl::cli
