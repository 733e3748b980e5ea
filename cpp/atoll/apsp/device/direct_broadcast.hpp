// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/device/communicator.hpp>
#include <atoll/device/rank_device.hpp>
#include <atoll/runtime/broadcast/panel_broadcast.hpp>
#include <memory>
#include <optional>
#include <vector>

namespace atl {

/// The broadcasts of GridSteps between devices, with the calls of PanelBroadcast: the paper's GMPI variants, over NCCL. A
/// panel's memory is a device's; messages of a group go in the order in which they are started, which GridSteps keeps the
/// same on all members, on a stream of the group's own beside the products. NCCL chooses the shape.
///
/// A rank is in two groups, its grid row and its grid column, whose messages may be under way together. That ends even on a
/// device that ran one of them at a time, in the order in which they were started, and even if it had to wait for all of
/// them to start a kernel: of a step, the rank with the diagonal block only sends; those beside it in its grid row and
/// column receive all that they need from it before they send; the others only receive; and a rank starts what it receives
/// of a step after it has all of the step before.
class DirectBroadcast {
 public:
  class Request {
   public:
    bool arrived() const { return !end_ || !under_way_ || device_->happened(*end_); }
    bool done() const { return arrived(); }

   private:
    friend class DirectBroadcast;
    Device* device_ = nullptr;
    std::optional<Event> end_;
    bool under_way_ = false;
  };

  /// Orders a broadcast after the work that the stream was given before start(). The work that it is given after
  /// wait_arrived() finds the panel there, and after finish() may overwrite it. Collective.
  DirectBroadcast(World& world, const std::vector<std::vector<Rank>>& groups, const Stream& work)
      : world_(world), device_(work.device()), work_(work), ready_(work.device()) {
    for (const auto& members : groups) {
      links_.push_back(device_communicator(world, device_, members));
      streams_.emplace_back(device_);
      sizes_.push_back(static_cast<int>(members.size()));
    }
  }

  void start(Request& request, std::uint32_t group, std::uint32_t, int root, PanelMemory panel, BroadcastShape,
             Urgency = Urgency::normal) {
    const Stream& stream = streams_[group];
    request.device_ = &device_;
    if (!request.end_) request.end_.emplace(device_);
    ready_.record(work_);
    ready_.hold(stream);
    if (sizes_[group] > 1) links_[group]->broadcast(panel.data, panel.bytes, root, stream);
    request.end_->record(stream);
    request.under_way_ = true;
    ++counters_.started;
  }
  bool progress() const { return false; }
  /// A peer that is lost is noticed by the World or by the links, whoever is first.
  void wait_arrived(const Request& request) const {
    if (request.arrived()) return;
    wait_with_peers(world_, device_, *request.end_, "a panel from device to device", [&] {
      for (const auto& link : links_) link->check();
    });
  }
  void finish(const Request& request) const { wait_arrived(request); }
  /// Only how many were started.
  const BroadcastCounters& counters() const { return counters_; }

 private:
  World& world_;
  Device& device_;
  const Stream& work_;
  Event ready_;
  std::vector<std::unique_ptr<DeviceCommunicator>> links_;
  std::vector<Stream> streams_;
  std::vector<int> sizes_;
  BroadcastCounters counters_;
};

}  // namespace atl
