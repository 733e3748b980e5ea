// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/engine/neighbor_alltoallv.hpp>
#include <atoll/runtime/aggregation/slot_fill_bytes.hpp>
#include <cstring>
#include <mutex>

namespace atl {

std::size_t NeighborAlltoallv::room_for(const World& world, std::size_t bytes) {
  check(world.payload_bytes() > sizeof(Part), "slot_bytes is {} (a part of a message needs more). Raise it.",
        world.plan().slot_bytes);
  return slot_fill_bytes(world, bytes) - sizeof(Part);
}

NeighborAlltoallv::NeighborAlltoallv(World& world, std::size_t room, std::vector<std::size_t> items_to,
                                     std::vector<std::size_t> items_from)
    : world_(world), room_(room) {
  const Rank ranks = world.size();
  for (Rank r = 0; r < ranks; ++r) sources_.emplace_back();
  // Not all to rank 0 first.
  for (Rank step = 1; step < ranks; ++step) {
    const Rank r = (world.rank() + step) % ranks;
    const std::size_t items = items_to[static_cast<std::size_t>(r)];
    if (items > 0) {
      Peer& peer = peers_.emplace_back();
      peer.rank = r;
      peer.items = items;
    }
    const std::size_t told = items_from[static_cast<std::size_t>(r)];
    tellers_ += told > 0;
    if (items == 0 && told > 1) silent_.push_back(r);
  }
  channel_ = world.open_channel(&NeighborAlltoallv::deliver, this);
}

NeighborAlltoallv::~NeighborAlltoallv() {
  world_.close_channel(channel_);
  world_.note_memory(-static_cast<std::ptrdiff_t>(early_bytes_));
}

void NeighborAlltoallv::begin(ReadPart read, void* context) {
  read_ = read;
  context_ = context;
  left_.store(tellers_, std::memory_order_relaxed);
  said_.store(false, std::memory_order_relaxed);
  for (Peer& peer : peers_) {
    peer.next.store(0, std::memory_order_relaxed);
    peer.left.store(peer.items, std::memory_order_relaxed);
    peer.parts.store(0, std::memory_order_relaxed);
  }
  std::vector<Early> now;
  {
    std::lock_guard hold(lock_);
    const std::uint32_t round = round_.load(std::memory_order_relaxed) + 1;
    round_.store(round, std::memory_order_release);
    const auto first =
        std::stable_partition(early_.begin(), early_.end(), [&](const Early& e) { return e.round != round; });
    std::move(first, early_.end(), std::back_inserter(now));
    early_.erase(first, early_.end());
    for (const Early& e : now) early_bytes_ -= e.data.size();
  }
  for (const Rank r : silent_) say_begun(r);
  for (Early& e : now) {
    take(e.from, e.data.data(), e.data.size());
    world_.note_memory(-static_cast<std::ptrdiff_t>(e.data.size()));
    std::vector<std::byte>().swap(e.data);
  }
}

void NeighborAlltoallv::deliver(void* self, Rank from, std::uint32_t round, const std::byte* data, std::size_t bytes) {
  NeighborAlltoallv& posts = *static_cast<NeighborAlltoallv*>(self);
  auto& heard = posts.sources_[static_cast<std::size_t>(from)].heard;
  for (auto known = heard.load(std::memory_order_relaxed);
       known < round && !heard.compare_exchange_weak(known, round, std::memory_order_release);) {
  }
  if (posts.round_.load(std::memory_order_acquire) == round) {
    posts.take(from, data, bytes);
  } else {
    posts.keep(from, round, data, bytes);
  }
}

void NeighborAlltoallv::keep(Rank from, std::uint32_t round, const std::byte* data, std::size_t bytes) {
  std::unique_lock hold(lock_);
  if (round_.load(std::memory_order_relaxed) == round) {
    hold.unlock();
    return take(from, data, bytes);
  }
  early_.push_back({from, round, {data, data + bytes}});
  early_bytes_ += bytes;
  world_.note_memory(static_cast<std::ptrdiff_t>(bytes));
}

void NeighborAlltoallv::take(Rank from, const std::byte* data, std::size_t bytes) {
  Part part;
  std::memcpy(&part, data, sizeof part);
  if (part.told == 0) return;
  if (bytes > sizeof part) read_(context_, from, {data + sizeof part, bytes - sizeof part});
  // Read before it counts: who sees 0 may go on.
  const std::int64_t more = static_cast<std::int64_t>(part.parts) - 1;
  auto& missing = sources_[static_cast<std::size_t>(from)].missing;
  if (missing.fetch_add(more, std::memory_order_acq_rel) + more == 0) left_.fetch_sub(1, std::memory_order_acq_rel);
}

Slot NeighborAlltoallv::slot_to(Rank to) {
  Slot slot;
  world_.wait_until("send: a slot for values of vertices", [&] { return world_.acquire(to, slot) == Busy::no; });
  slot.capacity = sizeof(Part) + room_;
  return slot;
}

void NeighborAlltoallv::say_begun(Rank to) {
  const Slot slot = slot_to(to);
  const Part part{0, 0};
  std::memcpy(slot.data, &part, sizeof part);
  world_.publish(channel_, slot, sizeof part, World::Hold::briefly, round_.load(std::memory_order_relaxed));
}

// They may be waiting to hear so of this rank, or of one that does.
void NeighborAlltoallv::say_begun_to_all() {
  if (said_.exchange(true)) return;
  for (const Peer& p : peers_)
    if (p.parts.load(std::memory_order_relaxed) == 0) say_begun(p.rank);
}

void NeighborAlltoallv::wait_for(Rank peer) {
  say_begun_to_all();
  world_.wait_until("a peer to begin an exchange of values", [&] { return has_begun(peer); });
}

// An item of the peer it is with, then of the next that takes something now: who cannot be told more is not waited for
// while there are others. On ranks that share a core all get something in one turn, so that little room is enough.
bool NeighborAlltoallv::Writer::take_item() {
  if (peer_ && continues()) return true;
  leave();
  peer_ = nullptr;
  const std::size_t peers = posts_.peers_.size();
  bool some = false;
  const auto try_all = [&] {
    some = false;
    for (std::size_t step = 0; step < peers; ++step) {
      const std::size_t number = (number_ + step) % peers;
      if (!posts_.peers_[number].has_items()) continue;
      some = true;
      if (try_peer(number)) return true;
    }
    return !some;
  };
  if (!try_all()) {
    if (std::any_of(posts_.peers_.begin(), posts_.peers_.end(), [&](const Peer& p) { return posts_.is_early(p); }))
      posts_.say_begun_to_all();
    posts_.world_.wait_until("send: a slot for values of vertices, or a peer to begin their exchange", try_all);
  }
  return some;
}

bool NeighborAlltoallv::Writer::continues() {
  if (!peer_->has_items()) return false;
  if (used_ > slot_.capacity / 8 * 7) pass_on(false);
  if (used_ == 0 && !try_open()) return false;
  item_ = peer_->next.fetch_add(1, std::memory_order_relaxed);
  if (item_ >= peer_->items) return false;
  ++items_;
  return true;
}

bool NeighborAlltoallv::Writer::try_peer(std::size_t number) {
  peer_ = &posts_.peers_[number];
  number_ = number;
  if (continues()) return true;
  if (slot_.data) posts_.world_.abandon(std::exchange(slot_, {}));
  peer_ = nullptr;
  return false;
}

std::byte* NeighborAlltoallv::Writer::room(std::size_t bytes) {
  ATOLL_ASSERT(bytes <= posts_.room_);
  if (used_ > 0 && slot_.capacity - used_ < bytes) pass_on(false);
  open();
  return slot_.data + used_;
}

bool NeighborAlltoallv::Writer::try_open() {
  if (slot_.data) return true;
  if (posts_.is_early(*peer_)) return false;
  if (posts_.world_.acquire(peer_->rank, slot_) != Busy::no) return false;
  slot_.capacity = sizeof(Part) + posts_.room_;
  return true;
}

void NeighborAlltoallv::Writer::open() {
  if (!slot_.data) {
    if (posts_.is_early(*peer_)) posts_.wait_for(peer_->rank);
    slot_ = posts_.slot_to(peer_->rank);
  }
  used_ = std::max(used_, sizeof(Part));
}

void NeighborAlltoallv::Writer::pass_on(bool last) {
  const std::uint32_t parts = peer_->parts.fetch_add(1, std::memory_order_relaxed) + 1;
  const Part part{last ? parts : 0, 1};
  std::memcpy(slot_.data, &part, sizeof part);
  posts_.world_.publish(posts_.channel_, std::exchange(slot_, {}), std::exchange(used_, 0), World::Hold::briefly,
                        posts_.round_.load(std::memory_order_relaxed));
}

// The last part of a peer goes out after all others: whoever leaves last, sends it.
void NeighborAlltoallv::Writer::leave() {
  if (!peer_) return;
  const std::size_t mine = std::exchange(items_, 0);
  bool last = peer_->left.load(std::memory_order_acquire) == mine;
  if (used_ > 0 && !last) pass_on(false);
  if (!last) last = peer_->left.fetch_sub(mine, std::memory_order_acq_rel) == mine;
  if (last) {
    open();
    pass_on(true);
  } else if (slot_.data) {
    posts_.world_.abandon(std::exchange(slot_, {}));
  }
}

}  // namespace atl
