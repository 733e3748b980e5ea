// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/stream_copy.hpp>
#include <atoll/runtime/aggregation/long_messages.hpp>
#include <atoll/runtime/broadcast/panel_broadcast.hpp>
#include <cstring>
#include <mutex>
#include <utility>

namespace atl {
namespace {

// The most bytes that one direct copy into a peer's buffer takes, so that progress() stays short and the lock free.
constexpr std::size_t kInPlaceBytes = std::size_t{1} << 20;

}  // namespace

PanelBroadcast::PanelBroadcast(World& world, std::vector<std::vector<Rank>> groups, BroadcastOptions options)
    : world_(world), options_(options) {
  check(world.payload_bytes() > sizeof(Head), "slot_bytes is {} (a piece of a panel needs more). Raise it.",
        world.plan().slot_bytes);
  for (auto& ranks : groups) {
    const auto here = std::find(ranks.begin(), ranks.end(), world.rank());
    ATOLL_ASSERT(here != ranks.end());
    const int position = static_cast<int>(here - ranks.begin());
    groups_.push_back({std::move(ranks), position});
  }
  channel_ = world.open_channel(&PanelBroadcast::deliver, this, World::Runs::on_any_thread);
}

PanelBroadcast::~PanelBroadcast() { world_.close_channel(channel_); }

void PanelBroadcast::start(BroadcastRequest& request, std::uint32_t group, std::uint32_t tag, int root,
                           PanelMemory panel, BroadcastShape shape, Urgency urgency) {
  ATOLL_ASSERT(request.done());
  const Group& g = groups_[group];
  const int p = static_cast<int>(g.ranks.size());
  const auto rank_of = [&](int position) { return g.ranks[(position + root) % p]; };
  const BroadcastNeighbours around = broadcast_neighbours(shape, p, (g.position - root + p) % p);
  {
    std::lock_guard hold(lock_);
    ++counters_.started;
    request.group_ = group;
    request.tag_ = tag;
    request.panel_ = panel;
    request.urgent_ = urgency == Urgency::urgent;
    request.chunk_bytes_ = std::max<std::size_t>(options_.chunk_bytes > 0 ? options_.chunk_bytes : panel.bytes, 1);
    request.children_.clear();
    for (const int child : around.children) request.children_.push_back({.rank = rank_of(child)});
    const std::size_t chunks = (panel.bytes + request.chunk_bytes_ - 1) / request.chunk_bytes_;
    request.chunk_missing_.assign(chunks, 0);
    const bool receives = around.parent >= 0;
    if (receives)
      for (std::size_t c = 0; c < chunks; ++c)
        request.chunk_missing_[c] = std::min(request.chunk_bytes_, panel.bytes - c * request.chunk_bytes_);
    request.missing_.store(receives ? panel.bytes : 0, std::memory_order_relaxed);
    request.unsent_.store(request.children_.size() * panel.bytes, std::memory_order_relaxed);
    std::erase_if(early_, [&](const Ready& r) {
      if (r.group != group || r.tag != tag) return false;
      for (auto& child : request.children_)
        if (child.rank == r.from) {
          child.ready = true;
          child.address = r.address;
        }
      return true;
    });
    if (request.done()) return;
    if (!receives) begin(request);
    if (receives) announcements_.push_back({rank_of(around.parent), tag, {Kind::ready, group, 0, 0, panel.data}});
    const auto at = request.urgent_
                        ? std::find_if(requests_.begin(), requests_.end(), [](auto* f) { return !f->urgent_; })
                        : requests_.end();
    requests_.insert(at, &request);
  }
  pump();
}

bool PanelBroadcast::progress() {
  const bool came = world_.progress();
  return pump() || came;
}

void PanelBroadcast::wait_arrived(const BroadcastRequest& request) {
  world_.wait_until("panel broadcast: chunks", [&] {
    pump();
    return request.arrived();
  });
}

void PanelBroadcast::finish(const BroadcastRequest& request) {
  world_.wait_until("panel broadcast: passing chunks on", [&] {
    pump();
    return request.done();
  });
  std::lock_guard over(lock_);  // wait until the thread that moved the last byte no longer uses the request
}

// ---- receiving: on any thread ---------------------------------------------------------------------------------------

void PanelBroadcast::deliver(void* self, Rank from, std::uint32_t tag, const std::byte* data, std::size_t) {
  PanelBroadcast& broadcasts = *static_cast<PanelBroadcast*>(self);
  Head head;
  std::memcpy(&head, data, sizeof head);
  broadcasts.take(from, tag, head, data + sizeof head);
  broadcasts.pump();
}

// Both are called under the lock and do nothing the second time.
void PanelBroadcast::begin(BroadcastRequest& request) {
  if (std::exchange(request.begun_, true)) return;
  if (begun_++ == 0) begun_at_ = world_.now();
}
void PanelBroadcast::end(BroadcastRequest& request) {
  if (!std::exchange(request.begun_, false)) return;
  if (--begun_ == 0) counters_.seconds += world_.now() - begun_at_;
}

BroadcastRequest* PanelBroadcast::find(std::uint32_t group, std::uint32_t tag) {
  const auto at =
      std::find_if(requests_.begin(), requests_.end(), [&](auto* f) { return f->group_ == group && f->tag_ == tag; });
  return at == requests_.end() ? nullptr : *at;
}

void PanelBroadcast::take(Rank from, std::uint32_t tag, const Head& head, const std::byte* bytes) {
  std::lock_guard hold(lock_);
  BroadcastRequest* request = find(head.group, tag);
  if (head.kind == Kind::ready) {
    if (!request) {
      early_.push_back({from, head.group, tag, head.address});
      return;
    }
    for (auto& child : request->children_)
      if (child.rank == from) {
        child.ready = true;
        child.address = head.address;
      }
    return;
  }
  // The parent sends nothing before this rank has announced that it is ready, and the request ends with the last byte.
  ATOLL_ASSERT(request != nullptr);
  if (head.kind == Kind::piece && request->panel_.data)
    std::memcpy(request->panel_.data + head.offset, bytes, head.bytes);
  begin(*request);
  counters_.bytes_received += head.bytes;
  request->chunk_missing_[head.offset / request->chunk_bytes_] -= head.bytes;
  request->missing_.fetch_sub(head.bytes, std::memory_order_release);
  if (request->done()) {
    end(*request);
    std::erase(requests_, request);
  }
}

// ---- sending --------------------------------------------------------------------------------------------------------

// Sends as many chunks as slots are free for: older requests first, and of one request a chunk to each child in turn.
// One thread at a time; others return at once.
bool PanelBroadcast::pump() {
  if (!lock_.try_lock()) return false;
  std::lock_guard hold(lock_, std::adopt_lock);
  bool moved = announce();
  for (std::size_t i = 0; i < requests_.size();) {
    BroadcastRequest& request = *requests_[i];
    for (bool more = !request.children_.empty(); more;) {
      more = false;
      for (auto& child : request.children_) more = send_some(request, child) || more;
      moved = moved || more;
    }
    if (request.done()) {
      end(request);
      requests_.erase(requests_.begin() + static_cast<std::ptrdiff_t>(i));
    } else {
      ++i;
    }
  }
  return moved;
}

bool PanelBroadcast::announce() {
  const std::size_t before = announcements_.size();
  std::erase_if(announcements_, [&](const Announcement& a) {
    Slot slot;
    if (world_.acquire(a.parent, slot) != Busy::no) return false;
    std::memcpy(slot.data, &a.head, sizeof a.head);
    world_.publish(channel_, slot, sizeof a.head, World::Hold::briefly, a.tag);
    return true;
  });
  return announcements_.size() < before;
}

// Sends the rest of the child's next chunk, as far as slots are free; false if nothing could be sent.
bool PanelBroadcast::send_some(BroadcastRequest& request, BroadcastRequest::Child& child) {
  const std::size_t all = request.panel_.bytes, begin = child.sent;
  if (!child.ready || begin == all) return false;
  const std::size_t chunk = begin / request.chunk_bytes_;
  if (request.chunk_missing_[chunk] > 0) return false;
  const std::size_t end = std::min(all, (chunk + 1) * request.chunk_bytes_);
  const bool in_place = request.panel_.data && child.address && world_.fabric().shares_addresses(child.rank) &&
                        options_.copies == BroadcastOptions::Copies::in_place;
  // A modelled chunk is one message however long it is.
  const std::size_t payload =
      request.panel_.data && !in_place ? message_slot_payload(world_, all) : world_.payload_bytes();
  while (child.sent < end) {
    Slot slot;
    if (acquire_for_message(world_, child.rank, payload, slot) != Busy::no) break;
    Head head{Kind::piece, request.group_, child.sent, end - child.sent, nullptr};
    const std::byte* from = request.panel_.data + child.sent;
    std::size_t more = 0, filled = sizeof head;
    if (in_place) {
      head.kind = Kind::arrived;
      head.bytes = std::min<std::size_t>(head.bytes, kInPlaceBytes);
      stream_copy(child.address + child.sent, from, head.bytes);
      world_.count_in_place(child.rank, head.bytes);
      counters_.bytes_in_place += head.bytes;
    } else if (!request.panel_.data) {
      more = head.bytes;
    } else {
      // Copy through the caches: streaming stores, as for the direct copy, measured a fifth slower (8 MB, two ranks).
      head.bytes = std::min<std::size_t>(head.bytes, slot.capacity - sizeof head);
      std::memcpy(slot.data + sizeof head, from, head.bytes);
      filled += head.bytes;
    }
    std::memcpy(slot.data, &head, sizeof head);
    world_.publish_for(channel_, slot, filled, more, World::Hold::briefly, request.tag_);
    child.sent += head.bytes;
    counters_.bytes_sent += head.bytes;
    request.unsent_.fetch_sub(head.bytes, std::memory_order_release);
  }
  if (child.sent == end) ++counters_.chunks_sent;
  return child.sent > begin;
}

}  // namespace atl
