// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/base/parallel.hpp>
#include <atoll/transport/mpi/items.hpp>
#include <atoll/transport/mpi/outbox.hpp>
#include <atomic>
#include <deque>
#include <map>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

namespace atl::mpi {

/// A received message, and how many of its items are not yet released.
struct Arrival {
  std::byte* data = nullptr;
  std::size_t bytes = 0;
  std::size_t items = 0;
};

/// Splits messages into items, in the order in which each peer sent them. Several threads may finish a peer's messages
/// in any order: messages are numbered and wait until their predecessors are finished. Any thread.
class Arrivals {
 public:
  /// The kind of an item that carries credits: how many of its receiver's packets the peer has released.
  static constexpr int kCredit = 3;

  /// `releases`: by kind of traffic, as Packet::What counts.
  Arrivals(Rank ranks, std::array<Releases, 3> releases)
      : releases_(std::move(releases)), streams_(static_cast<std::size_t>(ranks)) {}

  /// Memory to receive a message into.
  Arrival make(std::size_t bytes) {
    bytes_.fetch_add(bytes, std::memory_order_relaxed);
    return {static_cast<std::byte*>(::operator new(bytes, std::align_val_t{64})), bytes, 0};
  }
  /// A message is complete: delivers its items, and those of later messages that waited for it. Calls credited(kind,
  /// packets) for each credit among them.
  template <class Credited>
  void arrive(Rank from, Arrival arrival, Credited&& credited) {
    std::lock_guard hold(lock_);
    ItemHead first;
    std::memcpy(&first, arrival.data, sizeof first);
    ++messages_;
    Stream& stream = streams_[from];
    if (first.number != stream.next) {
      stream.out_of_order.emplace(first.number, arrival);
      return;
    }
    open(from, arrival, credited);
    ++stream.next;
    for (auto it = stream.out_of_order.find(stream.next); it != stream.out_of_order.end();
         it = stream.out_of_order.find(stream.next)) {
      open(from, it->second, credited);
      stream.out_of_order.erase(it);
      ++stream.next;
    }
  }

  int take(std::span<Packet> packets, TrafficSet wanted) {
    if (!lock_.try_lock()) return 0;
    std::lock_guard hold(lock_, std::adopt_lock);
    std::size_t n = 0;
    for (std::size_t kind = packets_.size(); kind-- > 0;) {
      if ((wanted & (1 << kind)) == 0) continue;
      for (auto& arrived = packets_[kind]; n < packets.size() && !arrived.empty(); arrived.pop_front())
        packets[n++] = arrived.front();
    }
    return static_cast<int>(n);
  }
  bool has(TrafficSet wanted) {
    std::lock_guard hold(lock_);
    for (std::size_t kind = 0; kind < packets_.size(); ++kind)
      if ((wanted & (1 << kind)) != 0 && !packets_[kind].empty()) return true;
    return false;
  }
  /// Returns the credit that is due to the sender now, or 0.
  std::int32_t release(const Packet& packet) {
    std::lock_guard hold(lock_);
    if (--arrivals_[packet.ticket].items == 0) drop(packet.ticket);
    return releases_[static_cast<std::size_t>(packet.what)].note(packet.from);
  }

  /// The number of messages received.
  std::uint64_t messages() const { return messages_; }
  std::size_t bytes() const { return bytes_.load(std::memory_order_relaxed); }
  /// Leaks the memory of incomplete messages: MPI may still write into it.
  void leak() { new std::deque<Arrival>(std::move(arrivals_)); }

 private:
  // The messages of one peer in their order.
  struct Stream {
    std::uint32_t next = 0;
    std::map<std::uint32_t, Arrival> out_of_order;
  };

  void drop(std::uint32_t ticket) {
    Arrival& a = arrivals_[ticket];
    bytes_.fetch_sub(a.bytes, std::memory_order_relaxed);
    ::operator delete(a.data, std::align_val_t{64});
    a = {};
    free_.push_back(ticket);
  }

  template <class Credited>
  void open(Rank from, Arrival arrival, Credited&& credited) {
    if (free_.empty()) {
      free_.push_back(static_cast<std::uint32_t>(arrivals_.size()));
      arrivals_.emplace_back();
    }
    const std::uint32_t ticket = free_.back();
    free_.pop_back();
    for_each_item(arrival.data, arrival.bytes, [&](const ItemHead& head, const std::byte* data) {
      if (head.kind == kCredit) return credited(head.type, head.tag);
      Packet packet;
      packet.data = data;
      packet.bytes = head.bytes;
      packet.from = from;
      packet.ticket = ticket;
      packet.what = static_cast<Packet::What>(head.kind);
      packet.note = {head.tag, head.type};
      packets_[head.kind].push_back(packet);
      ++arrival.items;
    });
    arrivals_[ticket] = arrival;
    if (arrival.items == 0) drop(ticket);
  }

  SpinLock lock_;
  std::array<std::deque<Packet>, 3> packets_;  // [what]
  std::deque<Arrival> arrivals_;               // [ticket]
  std::vector<std::uint32_t> free_;
  std::array<Releases, 3> releases_;
  std::vector<Stream> streams_;  // [rank]
  std::uint64_t messages_ = 0;
  std::atomic<std::size_t> bytes_{0};
};

}  // namespace atl::mpi
