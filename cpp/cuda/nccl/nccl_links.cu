// SPDX-License-Identifier: Apache-2.0
// CoLa's pipeline with a PE in each process, over NCCL, which has only sends and receives: rows go in compacted
// messages inside workgroups too, at the request that both sides know from their plans.
//
// All PEs enqueue the same steps in the same order, on a stream for transfers: the requested rows of phase 0, the puts
// of phase 1, the requested rows of phase 1, and so on. What a PE receives into is free by the order of its own
// streams, so there is no barrier.
#include <nccl.h>

#include <algorithm>
#include <array>
#include <atoll/base/plugin_file.hpp>
#include <cstring>

#include "../cola/linked_pipeline.hpp"
#include "../simt/launch.hpp"

namespace atl::cuda {
namespace {

void check_nccl(ncclResult_t result, const char* what) {
  if (result != ncclSuccess)
    throw DeviceError(
        fmt::format("NCCL, {}: {} (it refused). Give each process a GPU of its own; NCCL_DEBUG=INFO says more.", what,
                    ncclGetErrorString(result)));
}

/// Rows in a row of a buffer that come from one PE or go to it.
struct RowRange {
  Rank pe = 0;
  std::int64_t first = 0, count = 0;
};

/// Rows that a PE sends to its peers in a phase, and gets from them.
struct Exchange {
  DeviceArray<Local> positions;    ///< in its own buffer, of all rows that it sends
  std::vector<RowRange> sent;      ///< in the order of positions
  std::vector<RowRange> received;  ///< in the order of the columns
  std::vector<RowRange> put;       ///< received from other workgroups, in its buffer
};

Exchange exchange_of(const ColaPhase& phase, Rank first_peer, const Stream& stream) {
  Exchange out;
  std::vector<Local> positions;
  for (const ColaRequest& request : phase.requests) {
    out.sent.push_back(
        {request.by, static_cast<std::int64_t>(positions.size()), static_cast<std::int64_t>(request.positions.size())});
    positions.insert(positions.end(), request.positions.begin(), request.positions.end());
  }
  out.positions = uploaded(stream, std::span(positions));
  stream.wait();
  for (std::size_t c = 0; c < phase.remote.count(); ++c) {
    const Rank pe = first_peer + phase.remote.peers[c];
    if (out.received.empty() || out.received.back().pe != pe)
      out.received.push_back({pe, static_cast<std::int64_t>(c), 0});
    ++out.received.back().count;
  }
  for (const ColaReceipt& receipt : phase.receipts) out.put.push_back({receipt.from, receipt.first, receipt.count});
  return out;
}

/// Sends and receives that NCCL is to do together.
class Group {
 public:
  Group(ncclComm_t all, std::int64_t columns, StreamHandle stream)
      : all_(all), columns_(columns), stream_(stream_of(stream)) {
    check_nccl(ncclGroupStart(), "beginning a group");
  }
  Group(const Group&) = delete;
  Group& operator=(const Group&) = delete;
  ~Group() {
    if (open_) static_cast<void>(ncclGroupEnd());  // an error of one of them is on its way
  }
  void send(const float* rows, const RowRange& to) {
    check_nccl(ncclSend(rows + to.first * columns_, values(to), ncclFloat32, to.pe, all_, stream_), "sending rows");
  }
  void receive(float* rows, const RowRange& from) {
    check_nccl(ncclRecv(rows + from.first * columns_, values(from), ncclFloat32, from.pe, all_, stream_),
               "receiving rows");
  }
  void end() {
    open_ = false;
    check_nccl(ncclGroupEnd(), "a group of sends and receives");
  }

 private:
  std::size_t values(const RowRange& s) const { return static_cast<std::size_t>(s.count * columns_); }

  ncclComm_t all_;
  std::int64_t columns_;
  cudaStream_t stream_;
  bool open_ = true;
};

class NcclLinks final : public ColaLinks {
 public:
  NcclLinks(Device& device, std::vector<ColaPart> parts, const ColaPlan& plan, ncclComm_t all)
      : ColaLinks(std::move(parts)), all_(all) {
    ColaPart& own = part();
    Local sent = own.send_rows();
    for (const ColaPhase& phase : plan.phases) {
      exchanges_.push_back(exchange_of(phase, own.first_peer(), own.compute));
      sent = std::max(sent, static_cast<Local>(exchanges_.back().positions.size()));
    }
    slots_ = {RowBuffer(device, own.slot_rows(0)), RowBuffer(device, own.slot_rows(1))};
    send_ = RowBuffer(device, sent);
    received_rows_ = RowBuffer(device, own.received_rows());
  }

  void begin(std::int64_t columns, std::span<const DeviceView<const float>> b) override {
    b_ = b[0];
    columns_ = columns;
    if (columns > most_columns_) {
      part().compute.wait();  // which ends after the transfers
      for (RowBuffer* buffer : {&slots_[0], &slots_[1], &send_, &received_rows_}) buffer->grow(columns);
      most_columns_ = columns;
    }
    // All rows of peers are fetched.
    std::vector<const void*> addresses(static_cast<std::size_t>(part().peers()) + 1);
    addresses.back() = received_rows_.view(0, columns).data;
    for (std::size_t phase = 0; phase < std::min<std::size_t>(part().phases.size(), 3); ++phase)
      part().tables(phase).set(part().compute, addresses, columns);
  }

  DeviceView<const float> own_buffer(std::size_t, std::size_t phase) override {
    return phase == 0 ? b_ : slots_[phase % 2].view(part().phases[phase].buffer_rows, columns_);
  }
  DeviceView<float> send_buffer(std::size_t) override { return send_.view(part().send_rows(), columns_); }

  void put(std::size_t, std::size_t phase, DeviceView<const float> rows) override {
    const ColaPart::Put& put = part().puts[phase - 1];
    const std::vector<RowRange>& from = exchanges_[phase].put;
    if (put.count == 0 && from.empty()) return;
    Group group(all_, columns_, part().transfers);
    if (put.count > 0) group.send(rows.data, {put.to, 0, put.count});
    for (const RowRange& s : from) group.receive(slots_[phase % 2].view(0, columns_).data, s);
    group.end();
  }

  void fetch(std::size_t, std::size_t phase) override {
    const Exchange& exchange = exchanges_[phase];
    if (exchange.sent.empty() && exchange.received.empty()) return;
    const auto sent = static_cast<std::int64_t>(exchange.positions.size());
    const DeviceView<float> send = send_.view(sent, columns_);
    if (sent > 0) gather_rows(part().transfers, own_buffer(0, phase), exchange.positions.data(), send);
    Group group(all_, columns_, part().transfers);
    for (const RowRange& s : exchange.sent) group.send(send.data, s);
    for (const RowRange& s : exchange.received) group.receive(received_rows_.view(0, columns_).data, s);
    group.end();
  }

  void barrier() override {}

  void close() override { check_nccl(ncclCommDestroy(all_), "ending"); }

 private:
  ColaPart& part() { return parts().front(); }

  const ncclComm_t all_;
  std::vector<Exchange> exchanges_;  // [phase]
  std::array<RowBuffer, 2> slots_;
  RowBuffer send_, received_rows_;
  DeviceView<const float> b_;
  std::int64_t columns_ = 0, most_columns_ = 0;
};

std::vector<std::byte> new_id() {
  ncclUniqueId id;
  check_nccl(ncclGetUniqueId(&id), "making an id");
  std::vector<std::byte> out(sizeof(id));
  std::memcpy(out.data(), &id, sizeof(id));
  return out;
}

std::unique_ptr<ColaPipeline> open(Device& device, const ColaPlan& plan, std::span<const std::byte> bytes,
                                   const RunOnAll& on_all) {
  ncclUniqueId id;
  check(bytes.size() == sizeof(id), "CoLa over NCCL: an id of {} bytes (it has {}). Give what new_cola_id made.",
        bytes.size(), sizeof(id));
  std::memcpy(&id, bytes.data(), sizeof(id));
  check_cuda(cudaSetDevice(device.facts().number), "choosing a device");
  std::vector<ColaPart> parts;
  const Rank group = plan.groups.of(plan.pe), peers = plan.groups.end(group) - plan.groups.begin(group);
  on_all([&] { parts.emplace_back(device, plan, std::vector<bool>(static_cast<std::size_t>(peers), false)); });
  ncclComm_t all = nullptr;
  check_nccl(ncclCommInitRank(&all, plan.groups.pes, id, plan.pe), "starting");
  return std::make_unique<LinkedPipeline>(std::make_unique<NcclLinks>(device, std::move(parts), plan, all));
}

}  // namespace
}  // namespace atl::cuda

extern "C" const atl::ColaPlugin* atoll_nccl_plugin() {
  static constexpr atl::ColaPlugin kPlugin{atl::kPluginAbi, &atl::cuda::new_id, &atl::cuda::open};
  return &kPlugin;
}
