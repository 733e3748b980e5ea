// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/runtime/queue/queue_channels.hpp>
#include <cstring>
#include <mutex>

namespace atl {

QueueChannels::~QueueChannels() {
  for (const auto& buffer : buffers_) world_.note_memory(-static_cast<std::ptrdiff_t>(buffer->memory_.size()));
}

std::uint32_t QueueChannels::open(World::Deliver deliver, void* context) {
  const auto channel = static_cast<std::uint32_t>(channels_.size());
  channels_.push_back({deliver, context});
  std::vector<UnexpectedMessage> waiting;
  {
    std::lock_guard hold(lock_);
    waiting.swap(unexpected_);
  }
  for (const UnexpectedMessage& message : waiting)
    this->deliver(message.from, message.bytes.data(), message.bytes.size());
  return channel;
}

QueueBuffer* QueueChannels::buffer(std::size_t bytes) {
  const std::size_t needed = sizeof(Header) + bytes;
  std::lock_guard hold(lock_);
  reclaim();
  const auto fits =
      std::find_if(free_.begin(), free_.end(), [&](QueueBuffer* b) { return b->memory_.size() >= needed; });
  if (fits != free_.end()) {
    QueueBuffer* const found = *fits;
    *fits = free_.back();
    free_.pop_back();
    return found;
  }
  auto& made = buffers_.emplace_back(std::make_unique<QueueBuffer>());
  made->memory_ = Array<std::byte>(needed);
  world_.note_memory(static_cast<std::ptrdiff_t>(needed));
  return made.get();
}

void QueueChannels::give_back(QueueBuffer* buffer) {
  std::lock_guard hold(lock_);
  free_.push_back(buffer);
}

// Under lock_.
void QueueChannels::reclaim() {
  const auto left =
      std::partition(leaving_.begin(), leaving_.end(), [](QueueBuffer* b) { return !b->request_.done(); });
  free_.insert(free_.end(), left, leaving_.end());
  leaving_.erase(left, leaving_.end());
}

bool QueueChannels::send(Rank to, std::uint32_t channel, std::uint32_t stamp, QueueBuffer* buffer, std::size_t bytes) {
  const Header header{channel, stamp};
  std::memcpy(buffer->memory_.data(), &header, sizeof header);
  const Outcome outcome =
      queue_.send(to, 0, std::span<const std::byte>(buffer->memory_.data(), sizeof header + bytes), buffer->request_);
  if (outcome.retry()) return false;
  std::lock_guard hold(lock_);
  (outcome.done() ? free_ : leaving_).push_back(buffer);
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
  deliver(incoming->message.from, incoming->message.data, incoming->message.bytes);
  queue_.release(incoming->message);
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
