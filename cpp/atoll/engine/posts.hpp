// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/runtime/world.hpp>
#include <deque>
#include <memory>
#include <span>
#include <vector>

/// One message of any length on each of fixed streams between ranks, round after round; who gets one knows from whom, so
/// nobody counts or votes.
///
///     Posts posts(world, streams_from_here, streams_to_here);    // collective
///     posts.send(stream, bytes);                                 // once a round for each, from any thread
///     posts.receive([&](Posts::Stream from, std::span<const std::byte> message) { ... });   // all of the round
///
/// A message costs 24 bytes for each slot it fills. An empty one is sent too: it says that there is nothing.
namespace atl {

class Posts {
 public:
  /// One of several to the same rank: long messages are written and read by several threads.
  struct Stream {
    Rank peer;
    std::uint32_t number;
  };
  /// Streams of one peer are numbered 0, 1, ... on both sides.
  Posts(World& world, std::vector<Stream> to, std::vector<Stream> from);
  ~Posts();
  Posts(const Posts&) = delete;
  Posts& operator=(const Posts&) = delete;

  const std::vector<Stream>& to() const { return to_; }
  /// Waits while the fabric is busy, and takes what comes meanwhile.
  void send(Stream to, std::span<const std::byte> bytes);
  /// Ends the round; outside team regions. f(stream, bytes) runs on the team's threads, once for each message.
  template <class F>
  void receive(F&& f);

  /// Of messages that are coming, waiting or read; counted as the World's communication memory too.
  std::size_t memory_bytes() const { return held_bytes_; }

 private:
  struct Part {
    std::uint64_t bytes;   // of the message
    std::uint64_t offset;  // of this part
    std::uint64_t stream;
  };
  struct Message {
    std::vector<std::byte> bytes;
    std::uint64_t missing = 0;
    std::uint32_t round = 0;
  };
  struct alignas(128) Source {
    Stream stream;
    SpinLock lock;
    std::deque<Message> messages;  // a peer may be rounds ahead
  };
  static void deliver(void* self, Rank from, std::uint32_t round, const std::byte* data, std::size_t bytes);
  /// Those of `waiting` whose message of the round is whole go to `arrived`.
  void collect(std::vector<Source*>& waiting, std::vector<Source*>& arrived);
  Message take(Source& source);
  std::vector<std::byte> buffer_of(std::size_t bytes);
  void give_back(std::vector<std::byte> buffer);

  World& world_;
  const std::vector<Stream> to_;
  std::vector<std::unique_ptr<Source>> sources_;  // by peer, then number
  std::vector<std::size_t> first_;                // [rank] its first source
  // Buffers that have been read; whichever message begins next fills the one that was read last.
  SpinLock spare_lock_;
  std::vector<std::vector<std::byte>> spare_;
  std::size_t held_bytes_ = 0;  // by all buffers, under spare_lock_
  std::uint32_t channel_ = 0;
  std::uint32_t round_ = 0;
};

template <class F>
void Posts::receive(F&& f) {
  std::vector<Source*> waiting, arrived;
  for (const auto& source : sources_) waiting.push_back(source.get());
  while (!waiting.empty()) {
    arrived.clear();
    world_.wait_until("values of vertices from a peer", [&] {
      collect(waiting, arrived);
      return !arrived.empty();
    });
    world_.team().for_range(arrived.size(), 1, [&](int, std::size_t a, std::size_t b) {
      for (std::size_t i = a; i < b; ++i) {
        Message message = take(*arrived[i]);
        f(arrived[i]->stream, std::span<const std::byte>(message.bytes));
        give_back(std::move(message.bytes));
      }
    });
  }
  ++round_;
}

}  // namespace atl
