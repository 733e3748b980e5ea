// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/queue/queue.hpp>

namespace atl {

// The record of one operation.
struct Queue::Packet {
  enum class State : std::uint8_t { free, message, announced, own_short, own_long, sending, answering, receiving };
  // Stored (release) after the rest is written and before the peer learns of the packet; loaded (acquire) when the peer
  // refers to it. Otherwise only the peer's actions would order the two threads.
  std::atomic<State> state{State::free};
  Rank peer = -1;
  std::uint32_t tag = 0;
  std::uint32_t other = 0;  // the peer's packet
  bool by_put = false;
  Request* request = nullptr;
  std::byte* memory = nullptr;  // target, or (const) source
  std::uint64_t bytes = 0;
  std::uint64_t sent = 0;  // bytes that have left, under active_lock_
  std::atomic<std::uint64_t> missing{0};
  PutTarget target;
  atl::Packet arrived;  // the fabric's packet, until released
};

inline Queue::Packet& Queue::packet(std::uint32_t number) {
  return packets_[number / kAtOnce].load(std::memory_order_acquire)[number % kAtOnce];
}

}  // namespace atl
