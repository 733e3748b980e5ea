// SPDX-License-Identifier: Apache-2.0
// PEs of one process on one device: peers' buffers are addresses, puts are copies, and events make the barrier.
#include <algorithm>
#include <array>

#include "linked_pipeline.hpp"
#include "one_process.hpp"

namespace atl::cuda {
namespace {

class OneProcessLinks final : public ColaLinks {
 public:
  OneProcessLinks(Device& device, std::vector<ColaPart> parts)
      : ColaLinks(std::move(parts)), device_(device), all_came_(device) {
    for (const ColaPart& part : this->parts())
      buffers_.push_back({{RowBuffer(device, part.slot_rows(0)), RowBuffer(device, part.slot_rows(1))},
                          RowBuffer(device, part.send_rows())});
  }

  void begin(std::int64_t columns, std::span<const DeviceView<const float>> b) override {
    for (std::size_t i = 1; i < b.size(); ++i)
      check(
          b[i].stride == b[0].stride,
          "CoLa on one device: B has a stride of {} on PE {} and of {} on PE 0 (kernels read all parts with one). Give "
          "them the same.",
          b[i].stride, i, b[0].stride);
    b_.assign(b.begin(), b.end());
    columns_ = columns;
    if (columns > most_columns_) grow(columns);
    for (ColaPart& part : parts())
      for (std::size_t phase = 0; phase < std::min<std::size_t>(part.phases.size(), 3); ++phase) {
        std::vector<const void*> addresses;
        for (Rank i = 0; i < part.peers(); ++i)
          addresses.push_back(own_buffer(static_cast<std::size_t>(part.first_peer() + i), phase).data);
        addresses.push_back(nullptr);  // nothing is fetched
        part.tables(phase).set(part.compute, addresses, phase == 0 ? b[0].stride : columns);
      }
  }

  DeviceView<const float> own_buffer(std::size_t part, std::size_t phase) override {
    return phase == 0 ? b_[part] : slot(part, phase);
  }
  DeviceView<float> send_buffer(std::size_t part) override {
    return buffers_[part].send.view(parts()[part].send_rows(), columns_);
  }

  void put(std::size_t part, std::size_t phase, DeviceView<const float> rows) override {
    const ColaPart::Put& put = parts()[part].puts[phase - 1];
    const DeviceView<float> to = slot(static_cast<std::size_t>(put.to), phase).part(put.first, 0, put.count, columns_);
    const std::size_t bytes = static_cast<std::size_t>(put.count * columns_) * sizeof(float);
    device_.copy(to.data, bytes, rows.data, bytes, bytes, 1, parts()[part].transfers);
  }

  void fetch(std::size_t, std::size_t) override {}

  void barrier() override {
    // One PE waits for all of them, and all for that one.
    const StreamHandle first = parts().front().compute;
    for (ColaPart& part : parts()) {
      part.computed.record(part.compute);
      part.computed.hold(first);
    }
    all_came_.record(first);
    for (ColaPart& part : parts()) all_came_.hold(part.compute);
  }

  void close() override {}

 private:
  void grow(std::int64_t columns) {
    for (ColaPart& part : parts()) part.compute.wait();  // which ends after the transfers
    for (Buffers& buffers : buffers_) {
      for (RowBuffer& slot : buffers.slots) slot.grow(columns);
      buffers.send.grow(columns);
    }
    most_columns_ = columns;
  }

  struct Buffers {
    std::array<RowBuffer, 2> slots;
    RowBuffer send;
  };
  DeviceView<float> slot(std::size_t part, std::size_t phase) {
    return buffers_[part].slots[phase % 2].view(parts()[part].phases[phase].buffer_rows, columns_);
  }

  Device& device_;
  std::vector<Buffers> buffers_;
  std::vector<DeviceView<const float>> b_;
  std::int64_t columns_ = 0, most_columns_ = 0;
  Event all_came_;
};

}  // namespace

std::unique_ptr<ColaPipeline> cola_in_one_process(Device& device, std::span<const ColaPlan> plans) {
  std::vector<ColaPart> parts;
  for (const ColaPlan& plan : plans) {
    const Rank group = plan.groups.of(plan.pe), peers = plan.groups.end(group) - plan.groups.begin(group);
    parts.emplace_back(device, plan, std::vector<bool>(static_cast<std::size_t>(peers), true));
  }
  return std::make_unique<LinkedPipeline>(std::make_unique<OneProcessLinks>(device, std::move(parts)));
}

}  // namespace atl::cuda
