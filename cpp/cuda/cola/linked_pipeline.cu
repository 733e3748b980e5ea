// SPDX-License-Identifier: Apache-2.0
#include "linked_pipeline.hpp"

// CoLa's pipeline [1], algorithm 3, with what the paper leaves out.
//
// In the paper              here
// GlobalSync()              meet(): no PE goes on before all have ended the phase before and its transfers
// DistSpMM(A_L, A_R, buf)   multiply_phase()
// Async. CoalComm()         transfer(): the rows of the next phase, on a stream of its own
// recvBuf[i][0] <- B_i      own_buffer(part, 0) is B: with three workgroups or more, rows of phase 2 are put into
//                           recvBuf[i][0] while peers may want B_i for later products
//
// Buffers j % 2: rows of phase j + 1 are put after the meeting of phase j, when all PEs have ended phase j - 1, which
// read the same buffer. The meeting of phase 0 does this for the last phase of the product before, so that products may
// follow each other at once. B is read by peers in phase 0 only, and by the PE's own puts until its last meeting, so
// after the product it may change; with one workgroup there is no later meeting, and one more is held.
//
// [1] L. Zhang, Y. Shao, S. Li. "CoLa: Towards communication-efficient distributed sparse matrix-matrix multiplication
// on GPUs." ICS 2025.
namespace atl::cuda {

LinkedPipeline::~LinkedPipeline() {
  // Buffers must outlive what the streams still have. Errors of it are for those who wait for a product.
  try {
    for (ColaPart& part : links_->parts()) {
      part.transfers.wait();
      part.compute.wait();
    }
  } catch (const DeviceError&) {
  }
}

void LinkedPipeline::close() {
  for (ColaPart& part : links_->parts()) {
    part.transfers.wait();
    part.compute.wait();
  }
  links_->close();
}

void LinkedPipeline::check_views(std::int64_t columns, std::span<const DeviceView<const float>> b,
                                 std::span<const DeviceView<float>> c) const {
  const std::span<ColaPart> parts = links_->parts();
  check(columns >= 1 && columns <= INT32_MAX, "CoLa: B has {} columns (1 to 2^31 - 1 can be). Give it some.", columns);
  check(b.size() == parts.size() && c.size() == parts.size(),
        "CoLa: {} parts of B and {} of C (there are {} PEs in this process). Give one for each.", b.size(), c.size(),
        parts.size());
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const ColaPart& part = parts[i];
    check(b[i].rows == part.own_rows && c[i].rows == part.result_rows && b[i].cols == columns && c[i].cols == columns &&
              b[i].stride >= columns && c[i].stride >= columns,
          "CoLa: PE {} has {} x {} of B and {} x {} of C (its plan has {} and {} rows, and there are {} columns). "
          "Correct "
          "them.",
          part.pe, b[i].rows, b[i].cols, c[i].rows, c[i].cols, part.own_rows, part.result_rows, columns);
  }
}

void LinkedPipeline::meet() {
  for (ColaPart& part : links_->parts()) {
    part.transferred.record(part.transfers);
    part.transferred.hold(part.compute);
  }
  links_->barrier();
  for (ColaPart& part : links_->parts()) {
    part.computed.record(part.compute);
    part.computed.hold(part.transfers);
  }
}

namespace {

void copy_rows(const Stream& stream, DeviceView<const float> from, DeviceView<float> to) {
  constexpr std::size_t kValue = sizeof(float);
  stream.device().copy(to.data, static_cast<std::size_t>(to.stride) * kValue, from.data,
                       static_cast<std::size_t>(from.stride) * kValue, static_cast<std::size_t>(to.cols) * kValue,
                       static_cast<std::size_t>(to.rows), stream);
}

}  // namespace

void LinkedPipeline::transfer(std::size_t i, std::size_t phase, std::int64_t columns) {
  const ColaPart& part = links_->parts()[i];
  const ColaPart::Put& put = part.puts[phase - 1];
  DeviceView<const float> rows = links_->own_buffer(i, 0);
  if (put.rows || rows.stride != columns) {
    const DeviceView<float> sent = links_->send_buffer(i).part(0, 0, put.count, columns);
    if (put.rows) {
      gather_rows(part.transfers, rows, put.rows, sent);
    } else {
      copy_rows(part.transfers, rows, sent);
    }
    rows = sent;
  }
  links_->put(i, phase, rows);
  bytes_.across += static_cast<std::uint64_t>(put.count * columns) * sizeof(float);
}

void LinkedPipeline::multiply_phase(std::size_t i, std::size_t phase, DeviceView<float> c) {
  ColaPart& part = links_->parts()[i];
  DeviceSpmm<float>& local = part.phases[phase].local;
  const DeviceView<const float> own = links_->own_buffer(i, phase);
  phase > 0 ? local.add(part.compute, own, c) : local(part.compute, own, c);
  part.transferred.hold(part.compute);
  part.add_remote(phase, c);
  bytes_.inside += static_cast<std::uint64_t>(part.phases[phase].remote.columns() * c.cols) * sizeof(float);
}

void LinkedPipeline::multiply(std::int64_t columns, std::span<const DeviceView<const float>> b,
                              std::span<const DeviceView<float>> c) {
  check_views(columns, b, c);
  links_->begin(columns, b);
  const std::span<ColaPart> parts = links_->parts();
  for (ColaPart& part : parts) part.reserve(columns);
  const std::size_t phases = parts.front().phases.size();
  for (std::size_t phase = 0; phase < phases; ++phase) {
    meet();
    for (std::size_t i = 0; i < parts.size(); ++i) {
      links_->fetch(i, phase);
      parts[i].transferred.record(parts[i].transfers);
      if (phase + 1 < phases) transfer(i, phase + 1, columns);
    }
    for (std::size_t i = 0; i < parts.size(); ++i) multiply_phase(i, phase, c[i]);
  }
  if (phases == 1) meet();
}

}  // namespace atl::cuda
