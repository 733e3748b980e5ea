// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <doctest/doctest.h>

#include <atoll/base/random.hpp>
#include <atoll/runtime/queue/queue.hpp>
#include <deque>
#include <vector>

/// The guarantees of a Queue over any fabric.
namespace atl {

// Bytes that encode sender, number and position.
inline std::vector<std::byte> text_of(Rank from, std::uint32_t tag, std::size_t bytes) {
  std::vector<std::byte> text(bytes);
  for (std::size_t i = 0; i < bytes; ++i)
    text[i] = static_cast<std::byte>(mix64(static_cast<std::uint64_t>(from) << 40 | tag) + i * 7);
  return text;
}

inline bool is_whole(const Message& m) {
  const auto text = text_of(m.from, m.tag, m.bytes);
  return std::equal(text.begin(), text.end(), m.data);
}

// Sends `count` messages with sizes from `sizes`, cyclically, to every rank (tag = number), and receives all that
// arrive; checks their contents and their order per sender.
inline void exchange(World& world, std::uint32_t count, const std::vector<std::size_t>& sizes, bool to_self = true) {
  Queue queue(world);
  struct Sending {
    std::vector<std::byte> text;
    Request request;
  };
  struct Receiving {
    Message message;
    Request request;
  };
  std::deque<Sending> sending;
  std::deque<Receiving> receiving;
  std::vector<std::uint32_t> next_to(static_cast<std::size_t>(world.size())), next_from = next_to;
  std::uint64_t expected = 0, got = 0, broken = 0, disordered = 0;
  for (Rank r = 0; r < world.size(); ++r) expected += r == world.rank() && !to_self ? 0 : count;
  auto some_to_send = [&] {
    for (Rank r = 0; r < world.size(); ++r)
      if ((r != world.rank() || to_self) && next_to[static_cast<std::size_t>(r)] < count) return true;
    return false;
  };
  auto receive = [&] {
    receiving.emplace_back();
    Receiving& r = receiving.back();
    if (queue.receive(r.message, r.request).retry()) {
      receiving.pop_back();
      return false;
    }
    disordered += r.message.tag != next_from[static_cast<std::size_t>(r.message.from)]++;
    return true;
  };
  auto finish = [&] {
    while (!receiving.empty() && receiving.front().request.done()) {
      broken += !is_whole(receiving.front().message);
      queue.release(receiving.front().message);
      receiving.pop_front();
      ++got;
    }
    while (!sending.empty() && sending.front().request.done()) sending.pop_front();
  };
  Backoff backoff;
  while (some_to_send() || got < expected || !sending.empty()) {
    bool moved = false;
    for (Rank to = 0; to < world.size(); ++to) {
      auto& number = next_to[static_cast<std::size_t>(to)];
      if (number >= count || (to == world.rank() && !to_self)) continue;
      sending.emplace_back();
      Sending& s = sending.back();
      s.text = text_of(world.rank(), number, sizes[number % sizes.size()]);
      if (queue.send(to, number, s.text, s.request)) {
        ++number;
        moved = true;
      } else {
        sending.pop_back();
      }
    }
    moved = receive() || moved;
    moved = queue.progress() || moved;
    finish();
    if (moved)
      backoff.reset();
    else if (!backoff.pause())
      backoff.reset();
  }
  CHECK(broken == 0);
  CHECK(disordered == 0);
  world.barrier();  // the peers' last bytes may still be in flight
}

}  // namespace atl
