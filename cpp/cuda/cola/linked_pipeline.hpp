// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/cola/cola_pipeline.hpp>
#include <memory>

#include "cola_links.hpp"

namespace atl::cuda {

/// The pipeline (algorithm 3) of the PEs of this process, over any links.
class LinkedPipeline final : public ColaPipeline {
 public:
  explicit LinkedPipeline(std::unique_ptr<ColaLinks> links) : links_(std::move(links)) {}
  ~LinkedPipeline() override;

  void multiply(std::int64_t columns, std::span<const DeviceView<const float>> b,
                std::span<const DeviceView<float>> c) override;
  StreamHandle stream(std::size_t part) const override { return links_->parts()[part].compute; }
  const ColaBytes& bytes() const override { return bytes_; }
  void close() override;

 private:
  void check_views(std::int64_t columns, std::span<const DeviceView<const float>> b,
                   std::span<const DeviceView<float>> c) const;
  void meet();
  void transfer(std::size_t part, std::size_t phase, std::int64_t columns);
  void multiply_phase(std::size_t part, std::size_t phase, DeviceView<float> c);

  const std::unique_ptr<ColaLinks> links_;
  ColaBytes bytes_;
};

}  // namespace atl::cuda
