// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atoll/base/stream_copy.hpp>
#include <atoll/runtime/aggregation/forward_queue.hpp>
#include <atoll/runtime/routes/slot_rule.hpp>
#include <atoll/runtime/world.hpp>
#include <cstring>
#include <mutex>

namespace atl {

namespace {

// Slots are shared out among the ranks that this one sends to, however many hops lead there.
std::size_t slot_bytes_of(const World& world, const HopList& hops) {
  std::vector<Rank> next;
  for (const HopList::Hop& h : hops.hops())
    if (h.next != world.rank()) next.push_back(h.next);
  std::sort(next.begin(), next.end());
  return world.slot_rule().bytes_for(static_cast<double>(std::unique(next.begin(), next.end()) - next.begin()));
}

std::vector<int> slots_by_level(const World& world, std::size_t slot_bytes) {
  std::vector<int> slots;
  for (int l = 0; l < world.hierarchy().depth(); ++l)
    slots.push_back(world.slot_rule().per_peer_for(slot_bytes, world.machine().cost.levels(), l));
  return slots;
}

}  // namespace

// ---- blocks that wait -----------------------------------------------------------------------------------------------

ForwardQueue::ForwardQueue(World& world, const HopList& hops, std::size_t record_bytes,
                           std::vector<std::uint32_t> channels, Arrive arrive, void* box)
    : world_(world),
      hops_(hops),
      record_bytes_(record_bytes),
      slot_bytes_(slot_bytes_of(world, hops)),
      per_peer_(slots_by_level(world, slot_bytes_)),
      piece_((slot_bytes_ - World::kHeaderBytes - sizeof(Closing)) / (record_bytes + sizeof(Rank))),
      channels_(std::move(channels)),
      arrive_(arrive),
      box_(box),
      waiting_bytes_(static_cast<std::size_t>(hops.rounds())),
      waiting_blocks_(waiting_bytes_.size()) {
  world_.flow().add(this);
}

ForwardQueue::~ForwardQueue() {
  world_.flow().remove(this);
  for (const auto& [hop, blocks] : waiting_)
    for (const Block& b : blocks) world_.note_memory(-static_cast<std::ptrdiff_t>(b.bytes()));
}

// Half of the budget is for waiting blocks, in equal shares per round; the other half is for send buffers.
std::size_t ForwardQueue::share() const { return world_.relay_budget() / 2 / waiting_bytes_.size(); }
std::size_t ForwardQueue::buffers_limit() const { return world_.relay_budget() / 2; }

LongSlots ForwardQueue::slots_to(Rank next) const {
  return {slot_bytes_, per_peer_[static_cast<std::size_t>(world_.level_to(next))]};
}

bool ForwardQueue::is_stopped(Rank next, std::uint32_t channel) const {
  if (stopped_count_.load(std::memory_order_acquire) == 0) return false;
  std::lock_guard hold(lock_);
  return std::find(stopped_.begin(), stopped_.end(), std::pair(next, channel)) != stopped_.end();
}

bool ForwardQueue::send(Block& block) {
  const HopList::Hop& hop = hops_.hops()[block.hop];
  if (hop.next == world_.rank()) {
    const bool on_the_team = Team::this_thread() < world_.team().size();
    if (!on_the_team || world_.thread_state().handlers > 0) return false;
    arrive_(box_, block);
    block.sent = block.size;
    return true;
  }
  const std::uint32_t channel = channel_of(hop.round, hop.arrival);
  while (block.sent < block.size || block.closes > 0) {
    Slot slot;
    if (is_stopped(hop.next, channel) || world_.acquire_long(hop.next, slots_to(hop.next), slot) != Busy::no)
      return false;
    const std::size_t n = std::min(piece_, block.size - block.sent), bytes = n * record_bytes_;
    const std::byte* from = block.memory.get() + block.sent * record_bytes_;
    if (world_.all_near()) {
      stream_copy(slot.data, from, bytes);
    } else if (n > 0) {
      std::memcpy(slot.data, from, bytes);
    }
    std::size_t end = bytes + n * sizeof(Rank);
    if (n > 0)
      std::memcpy(slot.data + bytes, block.memory.get() + block.targets_at + block.sent * sizeof(Rank),
                  n * sizeof(Rank));
    block.sent += n;
    std::uint32_t stamp = block.epoch;
    if (block.sent == block.size && block.closes > 0) {
      const Closing closing{std::exchange(block.closes, 0) - 1, block.sums};
      std::memcpy(slot.data + end, &closing, sizeof closing);
      end += sizeof closing;
      stamp |= kCloses;
    }
    world_.publish(channel, slot, end, World::Hold::briefly, stamp);
  }
  return true;
}

void ForwardQueue::wait_for_slot(std::uint32_t hop) {
  const Rank next = hops_.hops()[hop].next;
  if (next == world_.rank()) return;
  Slot slot;
  world_.wait_until("send: the one buffer to come back",
                    [&] { return world_.acquire_long(next, slots_to(next), slot) == Busy::no; });
  world_.abandon(slot);
}

void ForwardQueue::enqueue(Block&& block) {
  const auto round = static_cast<std::size_t>(hops_.hops()[block.hop].round);
  waiting_bytes_[round] += block.bytes();
  ++waiting_blocks_[round];
  std::lock_guard hold(lock_);
  waiting_[block.hop].push_back(std::move(block));
  count_.fetch_add(1, std::memory_order_release);
}

bool ForwardQueue::pump() {
  if (throttled_count_.load(std::memory_order_acquire) > 0) resume();
  if (count_.load(std::memory_order_acquire) == 0) return false;
  bool moved = false;
  std::vector<std::uint32_t> hops;
  {
    std::lock_guard hold(lock_);
    for (const auto& [hop, blocks] : waiting_) hops.push_back(hop);
  }
  for (const std::uint32_t hop : hops)
    while (send_first(hop)) moved = true;
  return moved;
}

// Sends the first block that waits on this hop. False if there is none, or if not all of it could be sent.
bool ForwardQueue::send_first(std::uint32_t hop) {
  Block block;
  {
    std::lock_guard hold(lock_);
    const auto it = waiting_.find(hop);
    if (it == waiting_.end()) return false;
    block = std::move(it->second.front());
    it->second.pop_front();
    if (it->second.empty()) waiting_.erase(it);
  }
  if (!send(block)) {
    std::lock_guard hold(lock_);
    waiting_[hop].push_front(std::move(block));
    return false;
  }
  const auto round = static_cast<std::size_t>(hops_.hops()[hop].round);
  waiting_bytes_[round] -= block.bytes();
  --waiting_blocks_[round];
  world_.note_memory(-static_cast<std::ptrdiff_t>(block.bytes()));
  count_.fetch_sub(1, std::memory_order_release);
  return true;
}

bool ForwardQueue::is_over(int after, std::size_t limit) const {
  if (deferred_bytes_.load(std::memory_order_relaxed) > limit) return true;
  for (auto r = static_cast<std::size_t>(after + 1); r < waiting_bytes_.size(); ++r)
    if (waiting_bytes_[r].load(std::memory_order_relaxed) > limit) return true;
  return false;
}

void ForwardQueue::throttle(Rank from, int round, Route::Phase arrival) {
  if (!is_over(round, share())) return;
  const std::uint32_t channel = channel_of(round, arrival);
  std::lock_guard hold(lock_);
  for (const Throttled& s : throttled_)
    if (s.from == from && s.channel == channel) return;
  throttled_.push_back({from, channel, round});
  throttled_count_.fetch_add(1, std::memory_order_release);
  world_.flow().send(from, channel, true);
}

void ForwardQueue::resume() {
  const std::size_t limit = share() / 2;
  std::lock_guard hold(lock_);
  std::erase_if(throttled_, [&](const Throttled& s) {
    if (is_over(s.after, limit)) return false;
    world_.flow().send(s.from, s.channel, false);
    throttled_count_.fetch_sub(1, std::memory_order_release);
    return true;
  });
}

void ForwardQueue::on_flow_control(Rank from, std::uint32_t channel, bool stop) {
  std::lock_guard hold(lock_);
  const std::pair key(from, channel);
  std::erase(stopped_, key);
  if (stop) stopped_.push_back(key);
  stopped_count_.store(static_cast<int>(stopped_.size()), std::memory_order_release);
}

bool ForwardQueue::owns(std::uint32_t channel) const {
  return std::find(channels_.begin(), channels_.end(), channel) != channels_.end();
}

void ForwardQueue::wait_for_capacity(std::uint32_t hop) {
  const auto& bytes = waiting_bytes_[hops_.hops()[hop].round];
  const std::size_t limit = world_.plan().buffers == "dynamic" ? share() : 0;
  world_.wait_until("send: capacity in the budget for records in flight",
                    [&] { return bytes.load(std::memory_order_relaxed) <= limit; });
}

void ForwardQueue::wait_until_empty(int round) {
  world_.wait_until("drain: slots for records in flight", [&] {
    for (std::size_t r = 0; r <= static_cast<std::size_t>(round); ++r)
      if (waiting_blocks_[r].load(std::memory_order_relaxed) > 0) return false;
    return true;
  });
}

std::string ForwardQueue::describe() const {
  std::lock_guard hold(lock_);
  if (waiting_.empty() && stopped_.empty() && throttled_.empty()) return {};
  return fmt::format("a relay has {} blocks waiting, {} peers told it to stop, it told {}", count_.load(),
                     stopped_.size(), throttled_.size());
}

// ---- stop, go on ----------------------------------------------------------------------------------------------------

void FlowControl::open() {
  sink_ = world_.open_messages({.context = this,
                                .take =
                                    [](void* self, const Packet& p) {
                                      return static_cast<FlowControl*>(self)->receive(p) ? World::Taken::done
                                                                                         : World::Taken::no;
                                    },
                                .pump = [](void* self) { return static_cast<FlowControl*>(self)->pump(); },
                                .describe =
                                    [](void* self) {
                                      std::string text;
                                      auto& flow = *static_cast<FlowControl*>(self);
                                      std::lock_guard hold(flow.lock_);
                                      for (const ForwardQueue* q : flow.queues_)
                                        text += (text.empty() ? "" : "; ") + q->describe();
                                      return text;
                                    },
                                .control_only = true});
}

void FlowControl::add(ForwardQueue* queue) {
  std::lock_guard hold(lock_);
  queues_.push_back(queue);
  open_.fetch_add(1, std::memory_order_relaxed);
}

void FlowControl::remove(ForwardQueue* queue) {
  std::lock_guard hold(lock_);
  std::erase(queues_, queue);
  open_.fetch_sub(1, std::memory_order_relaxed);
  std::erase_if(last_received_, [&](const LastReceived& h) { return queue->owns(h.channel); });
}

void FlowControl::send(Rank to, std::uint32_t channel, bool stop) {
  std::lock_guard hold(messages_lock_);
  unsent_.push_back({to, {channel, ++number_, stop}});
  unsent_count_.fetch_add(1, std::memory_order_release);
}

bool FlowControl::receive(const Packet& packet) {
  Message message;
  std::memcpy(&message, packet.data, sizeof message);
  std::lock_guard hold(lock_);
  for (ForwardQueue* q : queues_) {
    if (!q->owns(message.channel)) continue;
    const auto same = [&](const LastReceived& h) { return h.channel == message.channel && h.from == packet.from; };
    auto last = std::find_if(last_received_.begin(), last_received_.end(), same);
    if (last == last_received_.end())
      last = last_received_.insert(last_received_.end(), {message.channel, packet.from, 0});
    if (message.number > last->number) {
      last->number = message.number;
      q->on_flow_control(packet.from, message.channel, message.stop != 0);
    }
    break;  // messages for a closed relay match no queue and are ignored
  }
  return true;
}

bool FlowControl::pump() {
  bool moved = false;
  if (lock_.try_lock()) {
    std::lock_guard hold(lock_, std::adopt_lock);
    for (ForwardQueue* q : queues_) moved = q->pump() || moved;
  }
  if (unsent_count_.load(std::memory_order_acquire) == 0 || !messages_lock_.try_lock()) return moved;
  std::lock_guard hold(messages_lock_, std::adopt_lock);
  std::erase_if(unsent_, [&](const Unsent& u) {
    const Note note{.tag = 0, .type = static_cast<std::uint8_t>(sink_ << 4)};
    if (world_.fabric().send(u.to, Traffic::control, note, std::as_bytes(std::span(&u.message, 1))) != Busy::no)
      return false;
    unsent_count_.fetch_sub(1, std::memory_order_release);
    return true;
  });
  return moved;
}

}  // namespace atl
