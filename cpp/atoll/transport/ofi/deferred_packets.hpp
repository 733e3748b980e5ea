// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <array>
#include <atoll/transport/fabric.hpp>
#include <deque>

namespace atl::ofi {

/// Packets that were received but not yet asked for: a completion queue returns the next packet, not one of a wanted
/// kind.
class DeferredPackets {
 public:
  static bool wants(TrafficSet wanted, const Packet& packet) {
    switch (packet.what) {
      case Packet::What::bulk:
        return contains(wanted, Traffic::bulk);
      case Packet::What::message:
        return contains(wanted, Traffic::message);
      case Packet::What::control:
        return contains(wanted, Traffic::control);
      default:
        return true;
    }
  }

  bool empty() const { return count_ == 0; }
  bool has(TrafficSet wanted) const {
    return std::any_of(packets_.begin(), packets_.end(),
                       [&](const auto& q) { return !q.empty() && wants(wanted, q.front()); });
  }
  void keep(const Packet& packet) {
    packets_[static_cast<std::size_t>(packet.what)].push_back(packet);
    ++count_;
  }
  void keep_end_of_put(Packet::What what, Rank other, std::uint64_t token) {
    Packet packet;
    packet.what = what;
    packet.from = other;
    packet.token = token;
    keep(packet);
  }
  /// Fills `packets` from the front; returns their number.
  std::size_t take(std::span<Packet> packets, TrafficSet wanted) {
    std::size_t n = 0;
    // From the back: packets that free memory go first.
    for (auto q = packets_.rbegin(); q != packets_.rend(); ++q)
      while (n < packets.size() && !q->empty() && wants(wanted, q->front())) {
        packets[n++] = q->front();
        q->pop_front();
        --count_;
      }
    return n;
  }

 private:
  std::array<std::deque<Packet>, 5> packets_;  // [what]
  std::size_t count_ = 0;
};

}  // namespace atl::ofi
