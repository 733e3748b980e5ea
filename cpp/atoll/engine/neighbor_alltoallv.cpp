// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/engine/neighbor_alltoallv.hpp>
#include <atoll/runtime/aggregation/slot_fill_bytes.hpp>
#include <atoll/runtime/queue/queue_channels.hpp>
#include <cstring>
#include <mutex>

namespace atl {

std::size_t NeighborAlltoallv::capacity_for(World& world, std::size_t bytes) {
  // By the queue a thread's share of a round, and somewhat more, up to a size of which more at once is no faster.
  constexpr std::size_t kLeast = std::size_t{1} << 16, kMost = std::size_t{1} << 22;
  if (by_queue(world)) return std::clamp(bytes / static_cast<std::size_t>(world.team().size()) * 9 / 8, kLeast, kMost);
  check(world.payload_bytes() > sizeof(Part), "slot_bytes is {} (a part of a message needs more). Raise it.",
        world.plan().slot_bytes);
  return slot_fill_bytes(world, bytes) - sizeof(Part);
}

NeighborAlltoallv::NeighborAlltoallv(World& world, std::size_t capacity, std::vector<std::size_t> items_to,
                                     std::vector<std::size_t> items_from)
    : world_(world), queue_(by_queue(world) ? world.shared<QueueChannels>() : nullptr), capacity_(capacity) {
  const Rank ranks = world.size();
  if (world.traffic()) traffic_ = std::make_unique<AlltoallvLog>(*world.traffic(), capacity, items_to, items_from);
  for (Rank r = 0; r < ranks; ++r) sources_.emplace_back();
  // Each rank starts with the next one, so that they do not all send to rank 0 first.
  for (Rank step = 1; step < ranks; ++step) {
    const Rank r = (world.rank() + step) % ranks;
    const std::size_t items = items_to[r];
    if (items > 0) {
      Peer& peer = peers_.emplace_back();
      peer.rank = r;
      peer.items = items;
    }
    const std::size_t incoming = items_from[r];
    senders_ += incoming > 0;
    if (items == 0 && incoming > 1) receive_only_.push_back(r);
  }
  channel_ =
      queue_ ? queue_->open(&NeighborAlltoallv::deliver, this) : world.open_channel(&NeighborAlltoallv::deliver, this);
}

NeighborAlltoallv::~NeighborAlltoallv() {
  queue_ ? queue_->close(channel_) : world_.close_channel(channel_);
  world_.note_memory(-static_cast<std::ptrdiff_t>(next_round_bytes_));
}

bool NeighborAlltoallv::receive_queued() {
  bool some = false;
  while (queue_->receive()) some = true;
  if (owed_.load(std::memory_order_relaxed) > 0)
    for (Rank r = 0; r < world_.size(); ++r)
      if (sources_[r].is_owed.exchange(false, std::memory_order_relaxed)) {
        owed_.fetch_sub(1, std::memory_order_relaxed);
        announce_round(r);
      }
  return some;
}

bool NeighborAlltoallv::round_is_over() const {
  return pending_senders_.load(std::memory_order_acquire) == 0 && (!queue_ || queue_->all_sent());
}

void NeighborAlltoallv::begin(ReadPart read, void* context, DoOther other, void* other_context) {
  read_ = read;
  context_ = context;
  other_ = other;
  other_context_ = other_context;
  pending_senders_.store(senders_, std::memory_order_relaxed);
  announced_.store(false, std::memory_order_relaxed);
  for (Peer& peer : peers_) {
    peer.next.store(0, std::memory_order_relaxed);
    peer.pending_items.store(peer.items, std::memory_order_relaxed);
    peer.parts.store(0, std::memory_order_relaxed);
  }
  std::vector<NextRoundPart> now;
  {
    std::lock_guard hold(lock_);
    const std::uint32_t round = round_.load(std::memory_order_relaxed) + 1;
    round_.store(round, std::memory_order_release);
    const auto first = std::stable_partition(next_round_parts_.begin(), next_round_parts_.end(),
                                             [&](const NextRoundPart& e) { return e.round != round; });
    std::move(first, next_round_parts_.end(), std::back_inserter(now));
    next_round_parts_.erase(first, next_round_parts_.end());
    for (const NextRoundPart& e : now) next_round_bytes_ -= e.data.size();
  }
  if (queue_) receive_queued();  // a rank without senders does not wait in the round
  for (const Rank r : receive_only_) announce_round(r);
  for (NextRoundPart& e : now) {
    read_part(e.from, e.data.data(), e.data.size());
    world_.note_memory(-static_cast<std::ptrdiff_t>(e.data.size()));
    std::vector<std::byte>().swap(e.data);
  }
}

void NeighborAlltoallv::deliver(void* self, Rank from, std::uint32_t round, const std::byte* data, std::size_t bytes) {
  NeighborAlltoallv& alltoallv = *static_cast<NeighborAlltoallv*>(self);
  auto& begun_round = alltoallv.sources_[from].begun_round;
  for (auto known = begun_round.load(std::memory_order_relaxed);
       known < round && !begun_round.compare_exchange_weak(known, round, std::memory_order_release);) {
  }
  Part part;
  std::memcpy(&part, data, sizeof part);
  if (part.has_data == 0) return;
  if (alltoallv.round_.load(std::memory_order_acquire) == round) {
    alltoallv.read_part(from, data, bytes);
  } else {
    alltoallv.store_early(from, round, data, bytes);
  }
}

void NeighborAlltoallv::store_early(Rank from, std::uint32_t round, const std::byte* data, std::size_t bytes) {
  std::unique_lock hold(lock_);
  if (round_.load(std::memory_order_relaxed) == round) {
    hold.unlock();
    return read_part(from, data, bytes);
  }
  next_round_parts_.push_back({from, round, {data, data + bytes}});
  next_round_bytes_ += bytes;
  world_.note_memory(static_cast<std::ptrdiff_t>(bytes));
}

void NeighborAlltoallv::read_part(Rank from, const std::byte* data, std::size_t bytes) {
  Part part;
  std::memcpy(&part, data, sizeof part);
  if (bytes > sizeof part) read_(context_, from, {data + sizeof part, bytes - sizeof part});
  // Counts the part only after reading it: a thread that sees 0 senders pending may proceed.
  const std::int64_t more = static_cast<std::int64_t>(part.parts) - 1;
  auto& missing = sources_[from].missing;
  if (missing.fetch_add(more, std::memory_order_acq_rel) + more == 0)
    pending_senders_.fetch_sub(1, std::memory_order_acq_rel);
}

bool NeighborAlltoallv::acquire(Rank to, std::size_t bytes, Memory& memory) {
  if (queue_) {
    memory.buffer = queue_->buffer(sizeof(Part) + bytes);
    memory.data = memory.buffer->data();
    return true;
  }
  if (acquire_for_message(world_, to, sizeof(Part) + capacity_, memory.slot) != Busy::no) return false;
  memory.data = memory.slot.data;
  return true;
}

NeighborAlltoallv::Memory NeighborAlltoallv::memory_to(Rank to, std::size_t bytes) {
  Memory memory;
  world_.wait_until("send: memory for values of vertices", [&] { return acquire(to, bytes, memory); });
  return memory;
}

bool NeighborAlltoallv::try_publish(Rank to, const Memory& memory, std::size_t bytes) {
  const std::uint32_t round = round_.load(std::memory_order_relaxed);
  if (queue_) return queue_->send(to, channel_, round, memory.buffer, bytes);
  world_.publish(channel_, memory.slot, bytes, World::Hold::briefly, round);
  return true;
}

void NeighborAlltoallv::publish(Rank to, const Memory& memory, std::size_t bytes) {
  const auto send = [&] { return try_publish(to, memory, bytes); };
  if (!send()) wait_for_peers("send: the queue takes values of vertices", send);
}

void NeighborAlltoallv::abandon(const Memory& memory) {
  queue_ ? queue_->abandon(memory.buffer) : world_.abandon(memory.slot);
}

// Never waits for the queue: the peer may receive nothing before its next round, and then a later announcement does as
// well. A peer that waits for it does receive.
void NeighborAlltoallv::announce_round(Rank to) {
  const Memory memory = memory_to(to, 0);
  const Part part{0, 0};
  std::memcpy(memory.data, &part, sizeof part);
  if (try_publish(to, memory, sizeof part)) return;
  abandon(memory);
  if (!sources_[to].is_owed.exchange(true, std::memory_order_relaxed)) owed_.fetch_add(1, std::memory_order_relaxed);
}

// A peer may be waiting for this rank to begin the round, directly or through other ranks.
void NeighborAlltoallv::announce_to_all() {
  if (announced_.exchange(true)) return;
  for (const Peer& p : peers_)
    if (p.parts.load(std::memory_order_relaxed) == 0) announce_round(p.rank);
}

void NeighborAlltoallv::wait_for(Rank peer) {
  announce_to_all();
  wait_for_peers("a peer to begin an exchange of values", [&] { return has_begun(peer); });
}

// Takes an item of the current peer, else of the next peer that can be sent to now; a peer that must wait or has no
// free slot is skipped while others can proceed. So where ranks share a core, all peers get a part in one time slice,
// and few slots suffice.
bool NeighborAlltoallv::Writer::take_item() {
  if (peer_ && next_item()) return true;
  finish_peer();
  peer_ = nullptr;
  const std::size_t peers = alltoallv_.peers_.size();
  bool some = false;
  const auto try_all = [&] {
    some = false;
    for (std::size_t step = 0; step < peers; ++step) {
      const std::size_t number = (number_ + step) % peers;
      if (!alltoallv_.peers_[number].has_items()) continue;
      some = true;
      if (try_peer(number)) return true;
    }
    return !some;
  };
  if (!try_all()) {
    if (std::any_of(alltoallv_.peers_.begin(), alltoallv_.peers_.end(),
                    [&](const Peer& p) { return alltoallv_.must_wait(p); }))
      alltoallv_.announce_to_all();
    alltoallv_.wait_until("send: a slot for values of vertices, or a peer to begin their exchange", try_all);
  }
  return some;
}

bool NeighborAlltoallv::Writer::next_item() {
  if (!peer_->has_items()) return false;
  // A slot that is nearly full goes early; a message of the queue is to have all that the thread has for the peer.
  if (!alltoallv_.queue_ && used_ > (sizeof(Part) + alltoallv_.capacity_) / 8 * 7) publish_part(false);
  if (used_ == 0 && !try_open()) return false;
  item_ = peer_->next.fetch_add(1, std::memory_order_relaxed);
  if (item_ >= peer_->items) return false;
  ++items_;
  return true;
}

bool NeighborAlltoallv::Writer::try_peer(std::size_t number) {
  peer_ = &alltoallv_.peers_[number];
  number_ = number;
  if (next_item()) return true;
  if (memory_.data) alltoallv_.abandon(std::exchange(memory_, {}));
  peer_ = nullptr;
  return false;
}

std::byte* NeighborAlltoallv::Writer::reserve(std::size_t bytes) {
  ATOLL_ASSERT(bytes <= alltoallv_.capacity_);
  if (used_ > 0 && sizeof(Part) + alltoallv_.capacity_ - used_ < bytes) publish_part(false);
  open();
  return memory_.data + used_;
}

bool NeighborAlltoallv::Writer::try_open() {
  if (memory_.data) return true;
  if (alltoallv_.must_wait(*peer_)) return false;
  return alltoallv_.acquire(peer_->rank, alltoallv_.capacity_, memory_);
}

void NeighborAlltoallv::Writer::open() {
  if (!memory_.data) {
    if (alltoallv_.must_wait(*peer_)) alltoallv_.wait_for(peer_->rank);
    memory_ = alltoallv_.memory_to(peer_->rank, alltoallv_.capacity_);
  }
  used_ = std::max(used_, sizeof(Part));
}

void NeighborAlltoallv::Writer::publish_part(bool last) {
  const std::uint32_t parts = peer_->parts.fetch_add(1, std::memory_order_relaxed) + 1;
  const Part part{last ? parts : 0, 1};
  if (alltoallv_.traffic_) [[unlikely]]
    alltoallv_.traffic_->add(peer_->rank, used_ - sizeof part);
  std::memcpy(memory_.data, &part, sizeof part);
  alltoallv_.publish(peer_->rank, std::exchange(memory_, {}), std::exchange(used_, 0));
}

// The last part for a peer is published after all others: by the thread that finishes the last item.
void NeighborAlltoallv::Writer::finish_peer() {
  if (!peer_) return;
  const std::size_t mine = std::exchange(items_, 0);
  bool last = peer_->pending_items.load(std::memory_order_acquire) == mine;
  if (used_ > 0 && !last) publish_part(false);
  if (!last) last = peer_->pending_items.fetch_sub(mine, std::memory_order_acq_rel) == mine;
  if (last) {
    open();
    publish_part(true);
  } else if (memory_.data) {
    alltoallv_.abandon(std::exchange(memory_, {}));
  }
}

}  // namespace atl
