// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "cola_part.hpp"

namespace atl::cuda {

template <class T>
const T* ColaPart::keep(const T* from, std::size_t count) {
  arrays_.push_back(uploaded(compute, std::as_bytes(std::span(from, count))));
  return reinterpret_cast<const T*>(arrays_.back().data());
}

ColaPart::ColaPart(Device& device, const ColaPlan& plan)
    : groups(plan.groups),
      pe(plan.pe),
      own_rows(plan.own_rows),
      result_rows(plan.phases[0].local.rows),
      compute(device),
      transfers(device),
      computed(device),
      transferred(device) {
  check(groups.size <= kMostPeers, "CoLa: workgroups of {} PEs (kernels address up to {}). Take smaller ones.",
        groups.size, kMostPeers);
  const auto keep_all = [&](const auto& array) { return keep(array.data(), array.size()); };
  for (const ColaPhase& from : plan.phases) {
    Phase& phase =
        phases.emplace_back(from.buffer_rows, DeviceSpmm<float>(compute, from.local.view()), SparseColumns{});
    phase.remote = {.columns = static_cast<std::int64_t>(from.remote.count()),
                    .peers = keep_all(from.remote.peers),
                    .positions = keep_all(from.remote.positions),
                    .offsets = keep_all(from.remote.offsets),
                    .rows = keep_all(from.remote.rows),
                    .values = keep_all(from.remote.values)};
  }
  for (const ColaPut& put : plan.puts)
    puts.push_back({put.to, put.first, put.count, put.all ? nullptr : keep_all(put.rows)});
  compute.wait();
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

Local ColaPart::fetched_rows() const {
  std::int64_t most = 0;
  for (const Phase& phase : phases) most = std::max(most, phase.remote.columns);
  return static_cast<Local>(most);
}

}  // namespace atl::cuda
