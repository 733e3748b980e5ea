// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/types.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace atl {

/// Where a rank's bulk packets go, by the number that they carry. Numbers count up and are never given again, so a
/// packet of a channel that is closed is told from one of a channel that is not open yet.
class Channels {
 public:
  using Deliver = void (*)(void* context, Rank from, std::uint32_t stamp, const std::byte* data, std::size_t bytes);
  enum class Runs : bool { on_the_team, on_any_thread };
  struct Channel {
    Deliver deliver = nullptr;
    void* context = nullptr;
    std::uint32_t number = 0;
    bool open = false;
    Runs runs = Runs::on_the_team;
  };
  /// A slot's first bytes; the payload follows, 16-byte aligned.
  struct Header {
    std::uint32_t channel;
    std::uint32_t stamp;
  };

  Channels() : channels_(kChannels) {}

  std::uint32_t open(Deliver deliver, void* context, Runs runs);
  void close(std::uint32_t number);
  /// Null if there is none of that number now.
  const Channel* find(std::uint32_t number) const {
    // The first look hits unless a channel stays open while hundreds of others come and go.
    for (std::size_t step = 0; step <= reach_; ++step) {
      const Channel& c = channels_[(number + step) % channels_.size()];
      if (c.open && c.number == number) return &c;
    }
    return nullptr;
  }
  /// Whether that number has been given.
  bool has_been(std::uint32_t number) const { return number < next_; }

 private:
  // Channels are found by number modulo the size of their table, which doubles when half of it is open at once.
  static constexpr std::size_t kChannels = 256;

  void place(const Channel& channel);

  std::vector<Channel> channels_;  // [number % size, or a few further]
  std::size_t open_ = 0, reach_ = 0;
  std::uint32_t next_ = 0;
};

}  // namespace atl
