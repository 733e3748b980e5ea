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

/// The message queue: irregular messages of unknown size, without matching and without blocking calls. After H.-V. Dang
/// et al., "A lightweight communication runtime for distributed graph analytics" (LCI, IPDPS 2018), section III.D.
///
///     Queue queue(world);
///     Request sent;
///     while (queue.send(to, tag, bytes, sent).retry()) queue.progress();     // the outcome says why
///     Message m; Request came;
///     if (queue.receive(m, came)) {            // the message whose first packet arrived first, from any rank
///       while (!came.done()) queue.progress(); // a flag in memory; set at once for an eager message
///       read(m.data, m.bytes, m.from, m.tag);
///       queue.release(m);
///     }
///
/// A message of up to eager_bytes() is copied and sent at once (EGR). A longer one goes by rendezvous: the sender
/// announces it (RTS), the receiver answers with the memory for it (RTR), then the bytes follow, by a put of the fabric
/// if it has one, else in pieces through slots. A request is done at the sender when `bytes` may be overwritten, at the
/// receiver when the message is complete.
///
/// Order: receive() returns messages in the order in which their first packets arrive; those of one rank in the order
/// of their sends. Memory: eager messages are read where the fabric received them, until release(). A receiver that
/// holds them uses up their sender's capacity, and the sender gets Retry::backlog; control messages have capacity of
/// their own and still flow. Each announcement, and each message that the progress of another call has found, takes a
/// packet: of Plan::packets, or of a reserve of as many that sends cannot use. Packets are allocated as needed and
/// never freed.
///
/// Threads: any thread of the team may call anything. One thread at a time makes progress; the others return.
namespace atl {

/// Why a call did nothing. Each reason is counted.
enum class Retry : std::uint8_t {
  none,       ///< the operation has started
  no_packet,  ///< all packets of this rank are in use: complete or release some
  no_memory,  ///< the allocator or the fabric's budget had no memory
  lock,       ///< another thread holds the lock
  backlog,    ///< back-pressure: earlier messages to this peer have not left yet
  empty,      ///< receive: there is no message
};
inline constexpr int kRetryReasons = 6;
std::string_view name_of(Retry reason);

/// The state of one send or receive, in the caller's memory; it must not move while pending.
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

/// The result of send() and receive().
struct Outcome {
  enum class State : std::uint8_t { done, posted, retry };
  State state = State::done;
  Retry reason = Retry::none;

  bool done() const { return state == State::done; }
  bool posted() const { return state == State::posted; }
  bool retry() const { return state == State::retry; }
  explicit operator bool() const { return state != State::retry; }
};

/// A received message; its bytes are valid until release().
struct Message {
  const std::byte* data = nullptr;
  std::size_t bytes = 0;
  Rank from = -1;
  std::uint32_t tag = 0;
  /// Whether QueueOptions::allocate provided `data`, rather than the fabric.
  bool is_allocated() const { return where_ == Where::allocated; }

 private:
  friend class Queue;
  enum class Where : std::uint8_t { nowhere, ring, fabric, packet, allocated };
  Where where_ = Where::nowhere;
  std::uint32_t ticket_ = 0;  // the fabric's
  std::uint32_t packet_ = 0;  // number in the pool
};

struct QueueOptions {
  /// Memory for messages that arrive by rendezvous. If it returns null, the message waits. Default: new and delete.
  std::function<std::byte*(std::size_t bytes)> allocate;
  std::function<void(std::byte* memory, std::size_t bytes)> free;
};

class Queue {
 public:
  /// Collective by order, like a declaration. At most kQueues in the life of a World.
  explicit Queue(World& world, QueueOptions options = {});
  /// Not collective. Messages not yet received are lost.
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;
  static constexpr int kQueues = 16;

  /// The longest message that is sent eagerly.
  std::size_t eager_bytes() const { return eager_; }

  /// SEND-ENQ. done: sent, and the request is done. posted: keep `bytes` unchanged until the request is done.
  Outcome send(Rank to, std::uint32_t tag, std::span<const std::byte> bytes, Request& request) {
    if (bytes.size() <= eager_) [[likely]] {
      RingSender* ring = links_[to].load(std::memory_order_relaxed);
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
  /// Sends as many of these eager messages as there is capacity for, from the front; returns how many. A batch costs
  /// less than half of single sends.
  using Short = Outgoing;  ///< data, bytes, tag
  std::size_t send_many(Rank to, std::span<const Short> messages);

  /// RECV-DEQ. done: the message is complete. posted: it is complete when the request is done. Retry::empty: no
  /// message.
  Outcome receive(Message& message, Request& request);
  /// Receives as many complete messages as there are, at most the span's size. It stops before a message that needs a
  /// rendezvous, unless that is the first (then `request` is as in receive()).
  std::size_t receive_many(std::span<Message> messages, Request& request);
  void release(Message& message) {
    if (message.where_ == Message::Where::ring) [[likely]] {
      message.where_ = Message::Where::nowhere;
      rings_->release(message.from, message.ticket_);
    } else {
      release_other(message);
    }
  }

  /// Makes progress; true if something happened. Any thread.
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

  /// The queue's memory on this rank: packets, and the rings that its peers use.
  std::size_t memory_bytes() const;
  /// Retries by reason, over all threads.
  std::array<std::uint64_t, kRetryReasons> retries() const;
  /// The queue's depths in one line, for reports: messages to receive, rendezvous with something to send, free packets.
  std::string describe();

 private:
  enum class Kind : std::uint8_t { eager, rts, rtr };
  struct Packet;  // see packet_record.hpp
  struct Rts {
    std::uint64_t bytes;
    std::uint32_t packet;
  };
  struct Rtr {
    std::uint32_t sender_packet, receiver_packet;
    PutTarget target;
    std::uint64_t put;
  };
  // Written by one thread, read for reports.
  struct alignas(128) Tally {
    std::array<std::atomic<std::uint64_t>, kRetryReasons> retries{};
    std::uint32_t empty_looks = 0;
  };

  Note note(Kind kind, std::uint32_t tag) const {
    return {tag, static_cast<std::uint8_t>(number_ << 4 | static_cast<std::uint8_t>(kind))};
  }
  static Kind kind_of(Note note) { return static_cast<Kind>(note.type & 0xf); }
  void count(Rank to, std::uint64_t messages, std::size_t bytes) {
    auto& level = world_.thread_state().counters.levels[world_.level_to(to)];
    level.messages += messages;
    level.bytes += bytes;
  }

  Outcome send_short(Rank to, std::uint32_t tag, std::span<const std::byte> bytes, Request& request);
  Outcome send_long(Rank to, std::uint32_t tag, std::span<const std::byte> bytes, Request& request);
  Outcome send_self(std::uint32_t tag, std::span<const std::byte> bytes, Request& request);
  Outcome refused(Rank to, Busy busy);
  Outcome refused(Rank to, Retry reason);
  /// Takes a packet from the pool and makes sure that its record exists.
  std::optional<std::uint32_t> take(PacketPool::For use);
  Packet& packet(std::uint32_t number);
  Outcome open(std::uint32_t number, Message& message, Request& request);
  Outcome accept(std::uint32_t number, Message& message, Request& request);
  bool has_waiting() const { return !arrived_.empty() || front_count_.load(std::memory_order_relaxed) > 0; }
  std::optional<std::uint32_t> next_packet();
  /// Receives eager messages from the rings into `messages`, or one announcement into `announced`; returns how many of
  /// the first.
  std::size_t take_from_rings(std::span<Message> messages, std::optional<std::uint32_t>& announced);
  bool pull();
  bool enqueue(const atl::Packet& packet);
  void answer(const atl::Packet& packet);
  void piece(Rank from, std::uint32_t number, const std::byte* data, std::size_t bytes);
  std::optional<std::uint32_t> record_arrival(const atl::Packet& packet);
  void push_front(std::uint32_t number);
  bool pump();
  bool advance_active();
  bool advance(std::uint32_t number);
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
  std::vector<std::atomic<RingSender*>> links_;  // [rank]; null: not used yet, or no ring to that rank
  MpmcQueue arrived_;                            // packets with a message not yet received
  PacketPool pool_;
  // The records of packets that the pool has given out so far, allocated in groups of kAtOnce.
  static constexpr std::uint32_t kAtOnce = 32;
  std::vector<std::atomic<Packet*>> packets_;  // [number / kAtOnce]
  std::atomic<std::size_t> packet_bytes_{0};
  SharedSegment own_;  // [number][eager]: eager messages of this rank to itself
  std::vector<Tally> tallies_;

  SpinLock active_lock_;
  std::vector<std::uint32_t> active_;  // rendezvous with something to send; under active_lock_
  std::atomic<std::uint32_t> active_count_{0};
  SpinLock front_lock_;
  std::deque<std::uint32_t> front_;  // announcements for which there was no memory: received first
  std::atomic<std::uint32_t> front_count_{0};
};

}  // namespace atl
