// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/cola/cola_pipeline.hpp>
#include <atoll/device/device_spmm.hpp>
#include <atoll/runtime/world.hpp>
#include <atoll/spmm/matrix_rows.hpp>
#include <memory>
#include <optional>
#include <string>

namespace atl::cli {

/// The product of a distributed matrix on the ranks' devices, for `atoll run spmm --device`: by rows on one rank, by
/// CoLa's pipeline on several.
class ProductOnDevices {
 public:
  struct Options {
    Reduce reduce = Reduce::sum;
    std::string links = "nvshmem";  ///< or nccl: between several ranks
    std::int64_t columns = 32;
  };
  /// Collective. Throws UsageError for a reduction that the pipeline does not have, DeviceError as of open_cola().
  ProductOnDevices(World& world, Device& device, MatrixRows<float>&& rows, const Options& options);

  void set(MatrixView<const float> b);
  /// C <- A B, and waits. Collective.
  void multiply();
  void get(MatrixView<float> c) const;
  /// Collective; nothing may follow.
  void close();

  /// How it is done.
  const std::string& about() const { return about_; }
  /// Counts all ranks' rows of B that travel in one product, inside and across workgroups. Collective.
  ColaBytes bytes() const;
  std::size_t memory_bytes() const;

 private:
  World& world_;
  const Stream stream_;
  Event ended_;
  const Options options_;
  DeviceMatrix<float> b_, c_;
  std::optional<DeviceSpmm<float>> by_rows_;
  std::unique_ptr<ColaPipeline> pipeline_;
  std::string about_;
  std::uint64_t products_ = 0;
};

}  // namespace atl::cli
