// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/engine/posts.hpp>
#include <cstring>
#include <mutex>
#include <tuple>

namespace atl {

Posts::Posts(World& world, std::vector<Stream> to, std::vector<Stream> from) : world_(world), to_(std::move(to)) {
  check(world.payload_bytes() > sizeof(Part), "slot_bytes is {} (a part of a message needs more). Raise it.",
        world.plan().slot_bytes);
  std::sort(from.begin(), from.end(),
            [](Stream a, Stream b) { return std::tie(a.peer, a.number) < std::tie(b.peer, b.number); });
  first_.resize(static_cast<std::size_t>(world.size()));
  for (const Stream s : from) {
    if (s.number == 0) first_[static_cast<std::size_t>(s.peer)] = sources_.size();
    sources_.push_back(std::make_unique<Source>());
    sources_.back()->stream = s;
  }
  channel_ = world.open_channel(&Posts::deliver, this);
}

Posts::~Posts() {
  world_.close_channel(channel_);
  world_.note_memory(-static_cast<std::ptrdiff_t>(held_bytes_));
}

void Posts::send(Stream to, std::span<const std::byte> bytes) {
  Part part{bytes.size(), 0, to.number};
  do {
    Slot slot;
    world_.wait_until("send: a slot for values of vertices", [&] { return world_.acquire(to.peer, slot) == Busy::no; });
    const std::size_t n = std::min(bytes.size() - part.offset, slot.capacity - sizeof part);
    std::memcpy(slot.data, &part, sizeof part);
    if (n > 0) std::memcpy(slot.data + sizeof part, bytes.data() + part.offset, n);
    world_.publish(channel_, slot, sizeof part + n, World::Hold::briefly, round_);
    part.offset += n;
  } while (part.offset < bytes.size());
}

void Posts::deliver(void* self, Rank from, std::uint32_t round, const std::byte* data, std::size_t bytes) {
  Posts& posts = *static_cast<Posts*>(self);
  Part part;
  std::memcpy(&part, data, sizeof part);
  Source& source = *posts.sources_[posts.first_[static_cast<std::size_t>(from)] + part.stream];
  const std::size_t n = bytes - sizeof part;
  std::lock_guard hold(source.lock);
  auto message =
      std::find_if(source.messages.begin(), source.messages.end(), [&](const Message& m) { return m.round == round; });
  if (message == source.messages.end()) {
    message = source.messages.insert(source.messages.end(), {posts.buffer_of(part.bytes), part.bytes, round});
  }
  if (n > 0) std::memcpy(message->bytes.data() + part.offset, data + sizeof part, n);
  message->missing -= n;
}

void Posts::collect(std::vector<Source*>& waiting, std::vector<Source*>& arrived) {
  std::erase_if(waiting, [&](Source* source) {
    std::lock_guard hold(source->lock);
    const bool whole = std::any_of(source->messages.begin(), source->messages.end(),
                                   [&](const Message& m) { return m.round == round_ && m.missing == 0; });
    if (whole) arrived.push_back(source);
    return whole;
  });
}

Posts::Message Posts::take(Source& source) {
  std::lock_guard hold(source.lock);
  const auto at =
      std::find_if(source.messages.begin(), source.messages.end(), [&](const Message& m) { return m.round == round_; });
  Message message = std::move(*at);
  source.messages.erase(at);
  return message;
}

std::vector<std::byte> Posts::buffer_of(std::size_t bytes) {
  std::vector<std::byte> buffer;
  {
    std::lock_guard hold(spare_lock_);
    if (!spare_.empty()) {
      buffer = std::move(spare_.back());
      spare_.pop_back();
    }
  }
  const std::size_t before = buffer.capacity();
  buffer.resize(bytes);
  if (const std::size_t more = buffer.capacity() - before; more > 0) {
    world_.note_memory(static_cast<std::ptrdiff_t>(more));
    std::lock_guard hold(spare_lock_);
    held_bytes_ += more;
  }
  return buffer;
}

void Posts::give_back(std::vector<std::byte> buffer) {
  std::lock_guard hold(spare_lock_);
  spare_.push_back(std::move(buffer));
}

}  // namespace atl
