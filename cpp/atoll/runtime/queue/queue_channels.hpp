// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atoll/base/array.hpp>
#include <atoll/runtime/queue/queue.hpp>
#include <vector>

/// Channels over one message queue of a World, for those who exchange whole messages in rounds: SEND-ENQ without
/// blocking, RECV-DEQ by whoever waits.
///
///     const auto shared = world.shared<QueueChannels>();             // collective by order, as open()
///     QueueChannels& channels = *shared;
///     const std::uint32_t channel = channels.open(deliver, this);
///     QueueBuffer* buffer = channels.buffer(bytes);                  // any thread
///     std::memcpy(buffer->data(), ...);
///     while (!channels.send(to, channel, stamp, buffer, bytes)) channels.receive();
///     while (channels.receive()) {}                                  // calls deliver(context, from, stamp, data, bytes)
///
/// A message for a channel that is not open yet is copied and waits for it. A buffer returns to the pool when its
/// message has left. Any thread of the team may send and receive; deliver() runs in receive().
namespace atl {

/// Memory for a message, 16-byte aligned.
class QueueBuffer {
 public:
  std::byte* data() { return memory_.data() + sizeof(Header); }

 private:
  friend class QueueChannels;
  struct alignas(16) Header {
    std::uint32_t channel, stamp;
  };
  Array<std::byte> memory_;
  Request request_;
};

class QueueChannels {
 public:
  explicit QueueChannels(World& world) : world_(world), queue_(world) {}
  ~QueueChannels();
  QueueChannels(const QueueChannels&) = delete;
  QueueChannels& operator=(const QueueChannels&) = delete;

  std::uint32_t open(World::Deliver deliver, void* context);
  /// With the last channel the buffers are freed.
  void close(std::uint32_t channel);

  QueueBuffer* buffer(std::size_t bytes);
  void abandon(QueueBuffer* buffer);
  /// False: the queue takes nothing now; the caller still has the buffer. Receive, and try again.
  bool send(Rank to, std::uint32_t channel, std::uint32_t stamp, QueueBuffer* buffer, std::size_t bytes);
  /// Delivers a message that has come; false if there is none.
  bool receive();
  /// Whether all messages have left: a long one leaves only when its receiver takes it, and in progress() of this rank.
  bool all_sent();

 private:
  using Header = QueueBuffer::Header;
  struct Channel {
    World::Deliver deliver = nullptr;
    void* context = nullptr;
  };
  struct Incoming {
    Message message;
    Request request;
  };
  struct UnexpectedMessage {
    Rank from;
    std::vector<std::byte> bytes;
  };

  void reclaim();
  std::unique_ptr<Incoming> take_arrived();
  void deliver(Rank from, const std::byte* data, std::size_t bytes);

  World& world_;
  Queue queue_;
  std::deque<Channel> channels_;
  std::size_t open_channels_ = 0;
  SpinLock lock_;  // of all below
  std::vector<std::unique_ptr<QueueBuffer>> buffers_;
  std::vector<QueueBuffer*> free_, leaving_;         // of buffers_: at nobody's; until their request is done
  std::vector<std::unique_ptr<Incoming>> arriving_;  // by rendezvous
  std::vector<std::unique_ptr<Incoming>> spare_;
  std::vector<UnexpectedMessage> unexpected_;  // for channels that are not open yet
  std::atomic<std::size_t> leaving_count_{0};
  std::atomic<std::size_t> arriving_count_{0};
};

}  // namespace atl
