// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/runtime/queue/queue_channels.hpp>
#include <cstring>
#include <mutex>

namespace atl {
namespace {

// Gives a message back to the queue, also if its receiver throws.
struct Release {
  Queue& queue;
  Message& message;
  ~Release() { queue.release(message); }
};

}  // namespace

QueueChannels::~QueueChannels() {
  for (const auto& buffer : buffers_) world_.note_memory(-static_cast<std::ptrdiff_t>(buffer->memory_.size()));
  for (const auto& incoming : arriving_)
    if (incoming->request.done()) queue_.release(incoming->message);
}

std::uint32_t QueueChannels::open(World::Deliver deliver, void* context) {
  const auto channel = static_cast<std::uint32_t>(channels_.size());
  channels_.push_back({deliver, context});
  ++open_channels_;
  std::vector<UnexpectedMessage> waiting;
  {
    std::lock_guard hold(lock_);
    waiting.swap(unexpected_);
  }
  for (const UnexpectedMessage& message : waiting)
    this->deliver(message.from, message.bytes.data(), message.bytes.size());
  return channel;
}

void QueueChannels::close(std::uint32_t channel) {
  channels_[channel] = {};
  if (--open_channels_ > 0) return;
  std::lock_guard hold(lock_);
  reclaim();
  const auto is_free = [&](const std::unique_ptr<QueueBuffer>& b) {
    return std::find(free_.begin(), free_.end(), b.get()) != free_.end();
  };
  std::ptrdiff_t freed = 0;
  std::erase_if(buffers_, [&](const std::unique_ptr<QueueBuffer>& b) {
    if (!is_free(b)) return false;
    freed += static_cast<std::ptrdiff_t>(b->memory_.size());
    return true;
  });
  free_.clear();
  world_.note_memory(-freed);
}

// The smallest that is large enough, so that announcements leave the large ones to values.
QueueBuffer* QueueChannels::buffer(std::size_t bytes) {
  const std::size_t needed = sizeof(Header) + bytes;
  {
    std::lock_guard hold(lock_);
    reclaim();
    auto best = free_.end();
    for (auto at = free_.begin(); at != free_.end(); ++at)
      if (const std::size_t size = (*at)->memory_.size(); size >= needed)
        if (best == free_.end() || size < (*best)->memory_.size()) best = at;
    if (best != free_.end()) {
      QueueBuffer* const found = *best;
      *best = free_.back();
      free_.pop_back();
      return found;
    }
  }
  auto made = std::make_unique<QueueBuffer>();
  made->memory_ = Array<std::byte>(needed);
  world_.note_memory(static_cast<std::ptrdiff_t>(needed));
  std::lock_guard hold(lock_);
  return buffers_.emplace_back(std::move(made)).get();
}

void QueueChannels::abandon(QueueBuffer* buffer) {
  std::lock_guard hold(lock_);
  free_.push_back(buffer);
}

// Under lock_.
void QueueChannels::reclaim() {
  const auto left =
      std::partition(leaving_.begin(), leaving_.end(), [](QueueBuffer* b) { return !b->request_.done(); });
  free_.insert(free_.end(), left, leaving_.end());
  leaving_.erase(left, leaving_.end());
  leaving_count_.store(leaving_.size(), std::memory_order_relaxed);
}

bool QueueChannels::all_sent() {
  if (leaving_count_.load(std::memory_order_relaxed) == 0) return true;
  std::lock_guard hold(lock_);
  reclaim();
  return leaving_.empty();
}

bool QueueChannels::send(Rank to, std::uint32_t channel, std::uint32_t stamp, QueueBuffer* buffer, std::size_t bytes) {
  const Header header{channel, stamp};
  std::memcpy(buffer->memory_.data(), &header, sizeof header);
  const Outcome outcome =
      queue_.send(to, 0, std::span<const std::byte>(buffer->memory_.data(), sizeof header + bytes), buffer->request_);
  if (outcome.retry()) return false;
  std::lock_guard hold(lock_);
  (outcome.done() ? free_ : leaving_).push_back(buffer);
  leaving_count_.store(leaving_.size(), std::memory_order_relaxed);
  return true;
}

// A rendezvous that is complete; nullptr if there is none.
std::unique_ptr<QueueChannels::Incoming> QueueChannels::take_arrived() {
  if (arriving_count_.load(std::memory_order_relaxed) == 0) return nullptr;
  std::lock_guard hold(lock_);
  const auto done = std::find_if(arriving_.begin(), arriving_.end(), [](const auto& i) { return i->request.done(); });
  if (done == arriving_.end()) return nullptr;
  auto taken = std::move(*done);
  arriving_.erase(done);
  arriving_count_.fetch_sub(1, std::memory_order_relaxed);
  return taken;
}

bool QueueChannels::receive() {
  std::unique_ptr<Incoming> incoming = take_arrived();
  if (!incoming) {
    if (!queue_.has_message()) return false;
    {
      std::lock_guard hold(lock_);
      if (!spare_.empty()) {
        incoming = std::move(spare_.back());
        spare_.pop_back();
      }
    }
    if (!incoming) incoming = std::make_unique<Incoming>();
    const Outcome outcome = queue_.receive(incoming->message, incoming->request);
    if (!outcome.done()) {
      std::lock_guard hold(lock_);
      if (outcome.posted()) arriving_count_.fetch_add(1, std::memory_order_relaxed);
      (outcome.posted() ? arriving_ : spare_).push_back(std::move(incoming));
      return outcome.posted();
    }
  }
  {
    const Release release{queue_, incoming->message};
    deliver(incoming->message.from, incoming->message.data, incoming->message.bytes);
  }
  std::lock_guard hold(lock_);
  spare_.push_back(std::move(incoming));
  return true;
}

void QueueChannels::deliver(Rank from, const std::byte* data, std::size_t bytes) {
  Header header;
  std::memcpy(&header, data, sizeof header);
  if (header.channel >= channels_.size()) {
    std::lock_guard hold(lock_);
    unexpected_.push_back({from, {data, data + bytes}});
    return;
  }
  const Channel& to = channels_[header.channel];
  if (to.deliver) to.deliver(to.context, from, header.stamp, data + sizeof header, bytes - sizeof header);
}

}  // namespace atl
