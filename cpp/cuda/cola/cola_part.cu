// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "cola_part.hpp"

namespace atl::cuda {

void PeerTables::set(const Stream& stream, const std::vector<const void*>& addresses, std::int64_t stride) {
  std::uintptr_t bits = 16;
  for (const void* address : addresses) bits |= reinterpret_cast<std::uintptr_t>(address);
  view_ = {.tables = on_device_.data(), .stride = stride, .alignment = std::size_t{1} << std::countr_zero(bits)};
  if (addresses == addresses_) return;
  stream.wait();
  addresses_ = addresses;
  const std::size_t bytes = on_device_.memory_bytes();
  stream.device().copy(on_device_.data(), bytes, addresses_.data(), bytes, bytes, 1, stream);
}

namespace {

bool is_received(const std::vector<bool>& readable, Rank peer) { return !readable[static_cast<std::size_t>(peer)]; }

}  // namespace

ColaPart::ColaPart(Device& device, const ColaPlan& plan, const std::vector<bool>& readable)
    : groups(plan.groups),
      pe(plan.pe),
      own_rows(plan.own_rows),
      result_rows(plan.phases[0].local.rows),
      compute(device),
      transfers(device),
      computed(device),
      transferred(device),
      tables_{PeerTables(device, readable.size() + 1), PeerTables(device, readable.size() + 1),
              PeerTables(device, readable.size() + 1)} {
  for (const ColaPhase& from : plan.phases)
    phases.push_back({from.buffer_rows, DeviceSpmm<float>(compute, from.local.view()), columns_of(from, readable),
                      static_cast<Local>(std::ranges::count_if(
                          from.remote.peers, [&](Rank peer) { return is_received(readable, peer); }))});
  for (const ColaPut& put : plan.puts) {
    put_rows_.push_back(uploaded(compute, std::span(put.rows)));
    puts.push_back({put.to, put.first, put.count, put.all ? nullptr : put_rows_.back().data()});
  }
  compute.wait();
}

DeviceColumns<float> ColaPart::columns_of(const ColaPhase& phase, const std::vector<bool>& readable) const {
  const ColaColumns& remote = phase.remote;
  std::vector<Rank> owners = remote.peers;
  std::vector<Local> positions = remote.positions;
  Local received = 0;
  for (std::size_t c = 0; c < owners.size(); ++c)
    if (is_received(readable, owners[c])) {
      owners[c] = static_cast<Rank>(readable.size());
      positions[c] = received++;
    }
  const SparsePattern transposed{static_cast<std::int64_t>(remote.count()), phase.local.rows, remote.offsets,
                                 remote.rows};
  return DeviceColumns<float>(compute, SparseView<float>{transposed, remote.values.data()}, owners, positions);
}

void ColaPart::reserve(std::int64_t columns) {
  for (Phase& phase : phases) phase.local.reserve(compute, columns);
}

Local ColaPart::slot_rows(int slot) const {
  Local most = 0;
  for (std::size_t j = 1; j < phases.size(); ++j)
    if (static_cast<int>(j % 2) == slot) most = std::max(most, phases[j].buffer_rows);
  return most;
}

Local ColaPart::send_rows() const {
  Local most = 0;
  for (const Put& put : puts) most = std::max(most, put.count);
  return most;
}

Local ColaPart::received_rows() const {
  Local most = 0;
  for (const Phase& phase : phases) most = std::max(most, phase.received_rows);
  return most;
}

}  // namespace atl::cuda
