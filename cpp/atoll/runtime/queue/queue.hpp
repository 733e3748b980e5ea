// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <atoll/runtime/queue/mpmc_queue.hpp>
#include <atoll/runtime/queue/packet_pool.hpp>
#include <atoll/runtime/world.hpp>
#include <atoll/transport/shared_memory/node_fabric.hpp>
#include <atoll/transport/shared_memory/shared_segment.hpp>
#include <deque>
#include <functional>

/// The message queue: small irregular messages of unknown size, no matching, nothing ever blocks. After H.-V. Dang et
/// al., "A lightweight communication runtime for distributed graph analytics" (LCI, IPDPS 2018), section III.D.
///
///     Queue queue(world);
///     Request sent;
///     while (queue.send(to, tag, bytes, sent).retry()) queue.progress();     // what refuses says why
///     Message m; Request came;
///     if (queue.receive(m, came)) {           // the next first packet, whoever sent it
///       while (!came.done()) queue.progress();// a flag in memory; at once where the message was short
///       read(m.data, m.bytes, m.from, m.tag);
///       queue.release(m);
///     }
///
/// Up to eager_bytes() a message is copied and sent at once (EGR). A longer one goes by rendezvous: an announcement
/// (RTS), the receiver's answer with the place for it (RTR), then the bytes, put by the fabric where it can, else in
/// pieces through slots. A request is done at the sender when `bytes` may be overwritten, at the receiver when the
/// message is whole.
///
/// Order: receive() gives messages by the arrival of their first packets; those of one rank in the order of their sends.
/// Memory: short messages are read where the fabric received them, until release(). A receiver that keeps them takes that
/// room from their sender, which gets Retry::backlog; control has room of its own and still flows. Announcements, and
/// messages that another call's progress has found, take a packet each: of Plan::packets, or of a reserve of as many
/// that sends cannot use. Packets are made as they are needed, and kept.
///
/// Threads: any thread of the team may call anything. One at a time makes progress, the others go on.
namespace atl {

/// Why nothing was begun. Each is counted.
enum class Retry : std::uint8_t {
  none,       ///< it was begun
  no_packet,  ///< all packets of this rank are in use: finish or release some
  no_memory,  ///< the allocator, or the fabric's budget, gave nothing
  lock,       ///< another thread is in the way
  backlog,    ///< what was sent to this peer before has not left yet
  empty,      ///< receive: no message is here
};
inline constexpr int kRetryReasons = 6;
std::string_view name_of(Retry reason);

/// The state of one send or receive, in the caller's memory; it stays where it is while pending.
class Request {
 public:
  bool done() const { return state_.load(std::memory_order_acquire) != kPending; }

 private:
  friend class Queue;
  static constexpr std::uint32_t kPending = 1;
  void begin() { state_.store(kPending, std::memory_order_relaxed); }
  void finish() { state_.store(0, std::memory_order_release); }
  std::atomic<std::uint32_t> state_{0};
};

/// What send() and receive() answer.
struct Outcome {
  enum class State : std::uint8_t { done, posted, retry };
  State state = State::done;
  Retry reason = Retry::none;

  bool done() const { return state == State::done; }
  bool posted() const { return state == State::posted; }
  bool retry() const { return state == State::retry; }
  explicit operator bool() const { return state != State::retry; }
};

/// A message that was received; its bytes stay until release().
struct Message {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  Rank from = -1;
  std::uint32_t tag = 0;
  /// Whether `data` is memory that QueueOptions::allocate gave, not the fabric's.
  bool is_allocated() const { return where_ == Where::allocated; }

 private:
  friend class Queue;
  enum class Where : std::uint8_t { nowhere, ring, fabric, packet, allocated };
  Where where_ = Where::nowhere;
  std::uint32_t ticket_ = 0;  // of the fabric
  std::uint32_t packet_ = 0;  // of the pool
};

struct QueueOptions {
  /// Memory for messages that come by rendezvous; null where there is none: the message waits. Default: new, delete.
  std::function<std::byte*(std::size_t bytes)> allocate;
  std::function<void(std::byte* memory, std::size_t bytes)> free;
};

class Queue {
 public:
  /// Collective by order, like a declaration. At most kQueues in the life of a World.
  explicit Queue(World& world, QueueOptions options = {});
  /// Not collective. What has not been received is lost.
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  static constexpr int kQueues = 16;

  /// Longest message that is sent at once.
  std::size_t eager_bytes() const { return eager_; }

  /// SEND-ENQ. done: sent, the request is done. posted: `bytes` stay as they are until the request is done.
  Outcome send(Rank to, std::uint32_t tag, std::span<const std::byte> bytes, Request& request) {
    if (bytes.size() <= eager_) [[likely]] {
      RingSender* ring = links_[static_cast<std::size_t>(to)].load(std::memory_order_relaxed);
      if (!ring) [[unlikely]]
        return send_short(to, tag, bytes, request);
      if (const Busy busy = ring->push(note(Kind::eager, tag), bytes.data(), bytes.size()); busy != Busy::no)
          [[unlikely]]
        return refused(to, busy);
      rings_->ring(to);
      count(to, 1, bytes.size());
      request.finish();
      return {Outcome::State::done, Retry::none};
    }
    return send_long(to, tag, bytes, request);
  }
  /// As many of these short messages as there is room for, from the front; returns how many. Sent together they cost
  /// less than half.
  using Short = Outgoing;  ///< data, bytes, tag
  std::size_t send_many(Rank to, std::span<const Short> messages);

  /// RECV-DEQ. done: the message is here. posted: it comes; it is whole when the request is done. Retry::empty: none.
  Outcome receive(Message& message, Request& request);
  /// As many as are here and whole, at most the span; ends before one that needs a rendezvous, unless it is the first
  /// (then `request` is as in receive()).
  std::size_t receive_many(std::span<Message> messages, Request& request);
  void release(Message& message) {
    if (message.where_ == Message::Where::ring) [[likely]] {
      message.where_ = Message::Where::nowhere;
      rings_->release(message.from, message.ticket_);
    } else {
      release_other(message);
    }
  }

  /// Moves messages on; true if something happened. Any thread.
  bool progress() { return world_.progress(); }
  /// Makes progress until the request is done. Throws TransportError when a peer is lost.
  void wait(const Request& request) {
    world_.wait_until("queue: the bytes of a message", [&] { return request.done(); });
  }
  /// Whether receive() would find a message.
  bool has_message() { return has_waiting() || (rings_ && rings_->any()); }
  /// Makes progress, and sleeps, until there is a message.
  void wait_for_message() {
    world_.wait_until("queue: a message", [&] { return has_message(); });
  }

  /// What this rank holds to send and receive by the queue: packets, and the rings that its peers use.
  std::size_t memory_bytes() const;
  /// Retries by reason, over all threads.
  std::array<std::uint64_t, kRetryReasons> retries() const;
  /// Depths in one line, for reports: what waits to be received, what is on its way, how many packets are free.
  std::string describe();

 private:
  enum class Kind : std::uint8_t { eager, rts, rtr };
  struct Packet;  // see queue.cpp
  struct Rts {
    std::uint64_t bytes;
    std::uint32_t packet;
  };
  struct Rtr {
    std::uint32_t sender_packet, receiver_packet;
    Landing landing;
    std::uint64_t put;
  };
  // Written by one thread, read by those that report.
  struct alignas(128) Tally {
    std::array<std::atomic<std::uint64_t>, kRetryReasons> retries{};
    std::uint32_t empty_looks = 0;
  };

  Note note(Kind kind, std::uint32_t tag) const {
    return {tag, static_cast<std::uint8_t>(number_ << 4 | static_cast<std::uint8_t>(kind))};
  }
  static Kind kind_of(Note note) { return static_cast<Kind>(note.type & 0xf); }
  void count(Rank to, std::uint64_t messages, std::size_t bytes) {
    auto& level = world_.thread_state().counters.levels[static_cast<std::size_t>(world_.level_to(to))];
    level.messages += messages;
    level.bytes += bytes;
  }

  Outcome send_short(Rank to, std::uint32_t tag, std::span<const std::byte> bytes, Request& request);
  Outcome send_long(Rank to, std::uint32_t tag, std::span<const std::byte> bytes, Request& request);
  Outcome send_self(std::uint32_t tag, std::span<const std::byte> bytes, Request& request);
  Outcome refused(Rank to, Busy busy);
  Outcome refused(Rank to, Retry reason);
  /// One of the pool's; its record is there from here on.
  std::optional<std::uint32_t> take(PacketPool::For use);
  Packet& packet(std::uint32_t number);
  Outcome open(std::uint32_t number, Message& message, Request& request);
  Outcome accept(std::uint32_t number, Message& message, Request& request);
  bool has_waiting() const { return !arrived_.empty() || front_count_.load(std::memory_order_relaxed) > 0; }
  std::optional<std::uint32_t> next_packet();
  /// Short messages from the rings into `messages`, or one announcement into `announced`; returns how many of the
  /// first.
  std::size_t take_from_rings(std::span<Message> messages, std::optional<std::uint32_t>& announced);
  bool pull();
  bool enqueue(const atl::Packet& packet);
  void answer(const atl::Packet& packet);
  void piece(Rank from, std::uint32_t number, const std::byte* data, std::size_t bytes);
  std::optional<std::uint32_t> keep(const atl::Packet& packet);
  void put_in_front(std::uint32_t number);
  bool pump();
  bool move_active();
  bool move_on(std::uint32_t number);
  void note_retry(Retry reason);
  void finish(std::uint32_t number);
  void release_other(Message& message);
  void activate(std::uint32_t number);
  std::byte* own_memory(std::uint32_t number) { return own_.data() + number * eager_; }

  World& world_;
  const QueueOptions options_;
  Fabric& fabric_;
  Rings* const rings_;
  int number_ = 0;
  std::uint32_t channel_ = 0;
  std::size_t eager_ = 0;
  std::vector<std::atomic<RingSender*>> links_;  // [rank]; null: not used yet, or not through a ring
  MpmcQueue arrived_;                            // packets with a message that nobody has received yet
  PacketPool pool_;
  // Of what the pool has given out so far: some are made at once.
  static constexpr std::uint32_t kAtOnce = 32;
  std::vector<std::atomic<Packet*>> packets_;  // [number / kAtOnce]
  std::atomic<std::size_t> packet_bytes_{0};
  SharedSegment own_;  // [number][eager]: short messages of this rank to itself
  std::vector<Tally> tallies_;

  SpinLock active_lock_;
  std::vector<std::uint32_t> active_;  // rendezvous with something to send; under active_lock_
  std::atomic<std::uint32_t> active_count_{0};
  SpinLock front_lock_;
  std::deque<std::uint32_t> front_;  // announcements that found no memory: next to be received
  std::atomic<std::uint32_t> front_count_{0};
};

}  // namespace atl
