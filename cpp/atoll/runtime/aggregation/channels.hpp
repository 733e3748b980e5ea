// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <cstdint>
#include <vector>

namespace atl {

/// Maps the channel number in a bulk packet to its receiver. Numbers only count up and are never reused, so a packet of
/// a closed channel differs from one of a channel that is not open yet.
class Channels {
 public:
  using Deliver = World::Deliver;
  using Runs = World::Runs;
  struct Channel {
    Deliver deliver = nullptr;
    void* context = nullptr;
    std::uint32_t number = 0;
    bool open = false;
    Runs runs = Runs::on_the_team;
  };
  /// The first bytes of a slot. The payload follows, 16-byte aligned.
  struct Header {
    std::uint32_t channel;
    std::uint32_t stamp;
  };

  Channels() : channels_(kChannels) {}

  std::uint32_t open(Deliver deliver, void* context, Runs runs);
  void close(std::uint32_t number);
  /// The open channel of that number, or null.
  const Channel* find(std::uint32_t number) const {
    // The first probe hits unless a channel stays open while hundreds of others are opened and closed.
    for (std::size_t step = 0; step <= reach_; ++step) {
      const Channel& c = channels_[(number + step) % channels_.size()];
      if (c.open && c.number == number) return &c;
    }
    return nullptr;
  }
  /// Whether this number was ever given to a channel.
  bool has_been(std::uint32_t number) const { return number < next_; }

 private:
  // A hash table by number modulo its size, with linear probing. It doubles when half of it is in use.
  static constexpr std::size_t kChannels = 256;

  void place(const Channel& channel);

  std::vector<Channel> channels_;  // [number % size, or up to reach_ places further]
  std::size_t open_ = 0, reach_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace atl
